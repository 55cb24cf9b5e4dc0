"""D. Game and concurrency: F26 and F27, broadcasts with bad peers among the audience."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from gameserver.net.outlet import OutletLimits
from gameserver.net.protocol import ReadyWebSocket
from gameserver.wire.messages import Chat
from tests.faults.wire import Peer, handshake, text_frame
from tests.faults.world import HOST, Stage, World, until, world

BIG: Final = "x" * 20_000
FRAMES: Final = 512
"""Together some 10 MB."""


# --- F26 ----------------------------------------------------------------------------------------------------------------


async def test_f26_one_bad_peer_does_not_break_a_broadcast(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """While frames go out, others go, come, and break in mid-send: everybody else has each frame once and in order."""
    world = stage.world
    watchers = [await world.entered(stage.table) for _ in range(8)]
    places = [len(peer.messages) for peer in watchers]
    broken = outlet_of(world, watchers[5])
    late: list[Peer] = []
    for number in range(12):
        if number == 4:
            watchers[3].reset()
        if number in (5, 8):
            late.append(await world.entered(stage.table))
        if number == 7:
            break_off(broken, monkeypatch)
        await stage.next_public_frame()
    good = [peer for peer in watchers if peer not in (watchers[3], watchers[5])]
    assert len(good) == 6
    for peer, since in [(peer, places[watchers.index(peer)]) for peer in good] + [(peer, 2) for peer in late]:
        await peer.sees(lambda m: m.get("text") == f"said {stage.said}")
        numbers = [m["seq"] for m in peer.messages[since:] if "seq" in m]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert [m["text"] for m in peer.messages[since:] if m["type"] == "chat"][-1] == f"said {stage.said}"
    assert good[0].messages[2]["seq"] == good[0].messages[1]["seq"] + 1
    async with stage.undisturbed():
        await stage.act("call")


def break_off(outlet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its socket nor its transport takes a byte any more, and the transport says so by an error."""
    monkeypatch.setattr(outlet, "_send", None)
    monkeypatch.setattr(outlet, "_transport", BrokenTransport(outlet._transport))
    outlet._listener.line_changed()


class BrokenTransport:
    """A transport that cannot be written to."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def write(self, data: bytes) -> None:
        raise OSError("a broken pipe")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)


def outlet_of(world: World, peer: Peer) -> Any:
    """The server's way out to this peer."""
    ours = peer.writer.get_extra_info("sockname")
    outlets: list[Any] = [connection._outlet for connection in world.server.socket._visiting]
    (found,) = [outlet for outlet in outlets if outlet._transport.get_extra_info("peername") == ours]
    return found


# --- F27 ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[OutletLimits]:
    """The real bound of a queue, and little patience."""
    limits = OutletLimits(patience_s=0.5, linger_s=0.5)
    monkeypatch.setattr(ReadyWebSocket, "limits", limits)
    yield limits


async def test_f27_slow_reader(tmp_path: Path, impatient: OutletLimits) -> None:
    """A spectator that reads nothing is dropped; what waits for it is bounded; P and S have each frame at once."""
    async with world(tmp_path) as now:
        stage = await now.stage()
        async with stage.undisturbed():
            deaf = await deaf_spectator(now, stage)
            before = len(stage.S.messages)
            outlets = [c._outlet for c in now.server.socket._visiting if not c.closed]
            slowest_s, most_queued = await ten_megabytes(now, stage, outlets)
            assert slowest_s < 0.5
            assert most_queued <= impatient.max_queued_bytes + len(BIG) + 1_000
            await until(lambda: now.server.socket.open_connections == 3, 5.0)
            numbers = [m["seq"] for m in stage.S.messages[before:] if "seq" in m]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and len(numbers) >= FRAMES
            deaf.close()


async def deaf_spectator(now: World, stage: Stage) -> socket.socket:
    """Enters, and does not read a byte after that; its own buffer is as small as it gets."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(deaf, (HOST, now.port))
    await loop.sock_sendall(deaf, handshake(f"/games/poker/{stage.table}/ws"))
    await until(lambda: now.server.socket.open_connections == 4)
    await loop.sock_sendall(deaf, text_frame('{"type":"enter"}'))
    return deaf


async def ten_megabytes(now: World, stage: Stage, outlets: list[Any]) -> tuple[float, int]:
    """Public frames, with P and S measured between them: the slowest delivery, and the most that waited for anybody."""
    slowest_s, most_queued = 0.0, 0
    for number in range(FRAMES):
        frame = Chat(seq=0, table_id=stage.table, sender="x", text=f"{number} {BIG}")
        now.server.door.send_to_public(stage.table, [frame])
        most_queued = max(most_queued, *(outlet._transport.get_write_buffer_size() for outlet in outlets))
        if number % 32 == 31:
            began = time.monotonic()
            await stage.next_public_frame()
            slowest_s = max(slowest_s, time.monotonic() - began)
        else:
            await asyncio.sleep(0)
    return slowest_s, most_queued
