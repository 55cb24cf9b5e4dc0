"""Bounded queues on real sockets: a reader that does not read delays nobody, and is moved on or cut."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvloop
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from gameserver.errors import ErrorCode
from gameserver.net.outlet import DirectOutlet, OutletLimits
from gameserver.net.protocol import ReadyWebSocket
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Chat, Error
from tests.net import serving as net
from tests.net.serving import FOREIGN, OURS, OUTLET, Server, closed, read, say, serving, until

BIG = "x" * 20_000


class PatientWebSocket(ReadyWebSocket):
    limits = OutletLimits(max_queued_bytes=100_000, patience_s=60, linger_s=0.3)


PATIENT: dict[str, Any] = {"ws": PatientWebSocket}


async def fast_and_slow(server: Server) -> tuple[ClientConnection, ClientConnection]:
    return await server.entered(), await server.entered(max_queue=1)


async def fill(server: Server, fast: ClientConnection) -> int:
    """Broadcast until the slow one is skipped; the fast one gets each frame at once. Returns how many were sent."""
    (stream,) = [s for s in server.door._tables[net.TABLE].streams.values() if len(s.subscribers) == 2]
    for n in range(1, 2000):
        server.broadcast(chat_of(n))
        assert (await asyncio.wait_for(fast.recv(), 1))[:40].count(f'"seq":{n},') == 1  # type: ignore[arg-type]
        if any(subscriber.behind for subscriber in stream.subscribers):
            return n
    raise AssertionError("the slow reader was never behind")


def chat_of(n: int) -> Chat:
    return net.chat(f"{n} {BIG}")


@pytest.mark.parametrize("protocols", [PATIENT, FOREIGN], ids=["ours", "foreign"])
async def test_a_slow_reader_is_moved_to_the_newest_snapshot(protocols: dict[str, Any]) -> None:
    """It reads what was queued, is told `resync`, gets the state as it is now, and goes on without a gap."""
    async with serving(protocols) as server:
        fast, slow = await fast_and_slow(server)
        sent = await fill(server, fast)
        for n in range(sent + 1, sent + 4):
            server.broadcast(chat_of(n))
            await fast.recv()
        got = [await read(slow)]
        while got[-1]["type"] == "chat":
            got.append(await read(slow))
        assert [frame["seq"] for frame in got[:-1]] == list(range(1, sent))
        assert got[-1]["type"] == "resync"
        snapshot = await read(slow)
        assert (snapshot["type"], snapshot["seq"]) == ("snapshot", sent + 3)
        server.broadcast(chat_of(0))
        assert (await read(slow))["seq"] == (await read(fast))["seq"] == sent + 4
        await slow.close()
        await fast.close()


@pytest.mark.parametrize("protocols", [OURS, FOREIGN], ids=["ours", "foreign"])
async def test_f27_a_reader_that_does_not_read_is_cut_with_4450_and_delays_nobody(protocols: dict[str, Any]) -> None:
    """It is out of the stream, what is queued for it is bounded, and the other one has every frame."""
    async with serving(protocols) as server:
        fast, slow = await fast_and_slow(server)
        sent = await fill(server, fast)
        for n in range(sent + 1, sent + 100):
            server.broadcast(chat_of(n))
            assert (await read(fast))["seq"] == n
        await until(lambda: not connection_is_open(server), 4)
        with pytest.raises(ConnectionClosed):
            while True:
                await slow.recv()
        if protocols is OURS:
            assert (slow.close_code, slow.close_reason) == (4450, "reads too slowly")
        assert fast.close_code is None
        await fast.close()


def connection_is_open(server: Server) -> bool:
    """Whether the slow one's outlet still takes anything."""
    slow = server.floor.attached[1]
    return not _outlet_is_closed(slow._outlet)  # type: ignore[attr-defined]


def _outlet_is_closed(outlet: Any) -> bool:
    return not outlet._is_open() if isinstance(outlet, DirectOutlet) else outlet._closing is not None


async def test_the_queue_of_a_reader_that_does_not_read_is_bounded() -> None:
    """One batch above the bound at most; its own answers are bounded too."""
    async with serving(PATIENT) as server:
        fast, slow = await fast_and_slow(server)
        sent = await fill(server, fast)
        outlet = server.floor.attached[1]._outlet  # type: ignore[attr-defined]
        for n in range(sent + 1, sent + 50):
            server.broadcast(chat_of(n))
            await read(fast)
            assert outlet._transport.get_write_buffer_size() <= OUTLET.max_queued_bytes + 21_000
        for _ in range(20):
            server.floor.attached[1].reply(Error(code=ErrorCode.INTERNAL, message=BIG))
        assert outlet._transport.get_write_buffer_size() <= 2 * OUTLET.max_queued_bytes + 21_000
        assert not outlet._is_open()
        slow.transport.abort()
        await fast.close()


async def test_a_peer_that_never_answers_a_close_is_gone_all_the_same() -> None:
    """The close frame waits behind the queue; the connection is aborted after a while (F21 d)."""
    async with serving(PATIENT) as server:
        fast, slow = await fast_and_slow(server)
        await fill(server, fast)
        server.floor.attached[1].close(CloseCode.REPLACED)
        await until(lambda: server.endpoint.open_connections == 1, 4)
        slow.transport.abort()
        await fast.close()


async def test_a_reset_in_mid_broadcast_disturbs_nobody() -> None:
    """Every other client has every frame once and in order, and the reset one is detached."""
    async with serving() as server:
        clients = [await server.entered() for _ in range(6)]
        for n in range(1, 21):
            if n == 10:
                clients[3].transport.abort()
            server.broadcast(net.chat(str(n)), net.chat(f"{n} again"))
            await asyncio.sleep(0)
        for client in (*clients[:3], *clients[4:]):
            assert [(await read(client))["seq"] for _ in range(40)] == list(range(1, 41))
        await until(lambda: len(server.floor.detached) == 1)
        for client in clients:
            await client.close()


@pytest.mark.parametrize("deflate", [True, False])
async def test_ready_frames_stand_beside_ordinary_messages(deflate: bool) -> None:
    """Also on a connection that negotiated compression elsewhere: both windows stay in step."""
    async with serving(ws_per_message_deflate=deflate) as server:
        clients = [await server.entered(compression="deflate" if n % 2 else None) for n in range(4)]
        for n in range(1, 11):
            server.broadcast(net.chat("state " * 50))
            for client in clients:
                assert (await read(client))["seq"] == n
                await say(client, "ping", echo="same words, same words")
                assert (await read(client))["echo"] == "same words, same words"
        for client in clients:
            await client.close()


def test_all_of_it_runs_on_uvloop_too() -> None:
    """uvicorn's own default loop has another transport."""

    async def scenario() -> None:
        async with serving(PATIENT) as server:
            fast, slow = await fast_and_slow(server)
            sent = await fill(server, fast)
            got = [await read(slow)]
            while got[-1]["type"] != "snapshot":
                got.append(await read(slow))
            assert got[-1]["seq"] == sent
            server.floor.attached[1].close(CloseCode.REPLACED)
            assert await closed(slow) == (4409, "replaced by a newer connection")
            await fast.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(asyncio.wait_for(scenario(), 30))
