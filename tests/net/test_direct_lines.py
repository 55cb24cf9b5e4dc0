"""A frame's shortest way, on real sockets: straight to those that have nothing queued, and past nobody who has."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvloop
from websockets.exceptions import ConnectionClosed

from gameserver.net.batch import Batch
from gameserver.net.direct_lines import DirectLines
from gameserver.net.outlet import DirectOutlet
from gameserver.net.protocol import WEBSOCKET_FORM
from gameserver.net.streams import Stream
from gameserver.views.audience import PublicAudience
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Pong
from tests.net import serving as net
from tests.net.events import abort_all, open_events
from tests.net.serving import Server, closed, read, read_until, serving, until

BIG = "x" * 20_000


@dataclass
class Line:
    """A socket that takes `room` bytes of each frame, or raises."""

    room: int | Exception
    got: list[bytes] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)
    breaks: bool = False

    @property
    def connection(self) -> Line:
        return self

    def send(self, data: bytes) -> int:
        if isinstance(self.room, Exception):
            raise self.room
        self.got.append(data[: self.room])
        return min(self.room, len(data))

    def write_rest(self, data: bytes) -> None:
        if self.breaks:
            raise RuntimeError("a broken transport")
        self.rest.append(data)

    def __hash__(self) -> int:
        return id(self)


def test_what_a_socket_does_not_take_goes_to_its_transport() -> None:
    """All, some or nothing of it, and whatever the socket says; the others get theirs."""
    lines: DirectLines[Line] = DirectLines(WEBSOCKET_FORM)
    all_of_it, some, full, gone, broken = (
        Line(1_000_000),
        Line(3),
        Line(BlockingIOError()),
        Line(ConnectionResetError()),
        Line(1, breaks=True),
    )
    last = Line(1_000_000)
    for line in (all_of_it, some, full, gone, broken, last):
        lines.add(line, line.send)
    batch = Batch([b'{"type":"pong"}'])
    lines.send(batch)
    whole = batch.websocket_bytes
    assert (all_of_it.got, all_of_it.rest) == ([whole], []) == (last.got, last.rest)
    assert (some.got, some.rest) == ([whole[:3]], [whole[3:]])
    assert (full.rest, gone.rest) == ([whole], [whole])
    lines.remove(last)
    lines.send(batch)
    assert len(all_of_it.got) == 2 and len(last.got) == 1


def public_stream(server: Server) -> Stream:
    return server.door._tables[net.TABLE].streams[PublicAudience()]


def directly(server: Server) -> int:
    return sum(len(lines._sends) for lines in public_stream(server)._direct.values())


async def test_a_frame_goes_straight_to_sockets_and_event_streams() -> None:
    """Each in its form; under another loop through its transport, with the same frames."""
    async with serving() as server, await server.entered() as first, await server.entered() as second:
        events = await open_events(server.url, f"/host/games/poker/{net.TABLE}/stream")
        await events.read_until("snapshot")
        await until(lambda: directly(server) == 3)
        server.broadcast(net.chat("to all"))
        texts = [(await read(first))["text"], (await read(second))["text"], (await events.read()).message["text"]]
        assert texts == ["to all"] * 3
        abort_all()
        await until(lambda: directly(server) == 2)


@pytest.mark.parametrize("new_loop", [asyncio.SelectorEventLoop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_the_socket_beneath_the_transport(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """What the shortest way relies on: asyncio's own transport has its socket there. Under another loop there is no direct line."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(_what_the_line_takes()) == (b"as it is" if new_loop is asyncio.SelectorEventLoop else None)


async def _what_the_line_takes() -> bytes | None:
    ours, theirs = socket.socketpair()
    with theirs:
        transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
        outlet = DirectOutlet(transport, net.OUTLET, WEBSOCKET_FORM, lambda: True, lambda code, reason: None)
        line = outlet.direct_line()
        taken = None if line is None else theirs.recv(line.send(b"as it is"))
        transport.abort()
        return taken


async def fill_a_little(server: Server) -> int:
    """Broadcast until something is queued for the one that does not read, and less than the bound."""
    outlet: Any = server.floor.attached[0]._outlet  # type: ignore[attr-defined]
    for n in itertools.count(1):
        server.broadcast(net.chat(f"{n} {BIG}"))
        if outlet.is_queued:
            return n
    raise AssertionError


async def test_nothing_overtakes_what_is_queued() -> None:
    """Frames, replies and pings behind a queue come behind it, in order and whole; then the line is direct again."""
    async with serving() as server:
        slow = await server.entered(max_queue=1)
        await until(lambda: directly(server) == 1)
        sent = await fill_a_little(server)
        assert directly(server) == 0
        server.broadcast(net.chat("behind"))
        server.floor.attached[0].reply(Pong(server_time=1))
        server.broadcast(net.chat("last"))
        got = await read_until(slow, "pong")
        assert [frame["seq"] for frame in got[:-1]] == list(range(1, sent + 2)) and got[-2]["text"] == "behind"
        assert (await read(slow))["text"] == "last"
        await until(lambda: directly(server) == 1)
        server.broadcast(net.chat("and on"))
        assert (await read(slow))["seq"] == sent + 3
        await slow.close()


Close = Callable[[Server, Any], None]


def by_us(server: Server, protocol: Any) -> None:
    server.floor.attached[0].close(CloseCode.REPLACED)


def by_uvicorns_end(server: Server, protocol: Any) -> None:
    protocol.shutdown()


def by_silence(server: Server, protocol: Any) -> None:
    protocol.keepalive_timeout()


def by_too_many_control_frames(server: Server, protocol: Any) -> None:
    protocol._close_abuser("too many control frames")


@pytest.mark.parametrize("close", [by_us, by_uvicorns_end, by_silence, by_too_many_control_frames])
async def test_nothing_follows_a_close_frame(close: Close) -> None:
    """Whoever begins to close: what is broadcast in the same breath is not written, and the close frame is the last one."""
    async with serving() as server:
        client = await server.entered()
        await until(lambda: directly(server) == 1)
        server.broadcast(net.chat("before"))
        protocol: Any = server.floor.attached[0]._outlet._is_open.__self__  # type: ignore[attr-defined]
        close(server, protocol)
        assert directly(server) == 0
        server.broadcast(net.chat("after"))
        assert public_stream(server).subscribers == ()
        assert (await read(client))["text"] == "before"
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert (await closed(client))[0] not in (None, 1006)


async def test_a_peer_that_closes_is_out_of_the_direct_lines_at_once() -> None:
    """Its close frame is answered, and no frame of the stream is written behind the answer."""
    async with serving() as server:
        client = await server.entered()
        await until(lambda: directly(server) == 1)
        await client.close()
        assert client.close_code == 1000
        await until(lambda: directly(server) == 0)
        server.broadcast(net.chat("to nobody"))
        await until(lambda: len(server.floor.detached) == 1)
