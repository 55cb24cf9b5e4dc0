"""C. WebSocket input: F20 to F22, floods, silence, and how connections end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from gameserver.net.connection import REASONS
from gameserver.net.http_protocol import PromptHttp
from gameserver.net.outlet import OutletLimits
from gameserver.net.protocol import UVICORN_SETTINGS, ReadyWebSocket
from gameserver.net.visit import VisitLimits
from gameserver.table import commands
from gameserver.wire.close_codes import CloseCode
from tests.faults.wire import HandshakeRefused, Peer, connect, frame, handshake, head, text_frame
from tests.faults.world import HOST, OPTIONS, SERVICE_KEY, Stage, World, until, world

FLOODS: Final = {
    "valid": text_frame('{"type":"ping"}'),
    "unknown": text_frame('{"type":"nope"}'),
    "control": frame("ping", b"\0"),
    "answers": frame("pong", b"\0"),
    "mixed": text_frame('{"type":"ping"}') + text_frame('{"type":"nope"}') + frame("ping", b"\0"),
}
MANY: Final = 5_000


# --- F20 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entered", [True, False], ids=["entered", "before-enter"])
@pytest.mark.parametrize("kind", FLOODS)
async def test_f20_flood(kind: str, entered: bool, stage: Stage) -> None:
    """P's own action is acked within 500 ms throughout; the flooder is closed, with one error a refused message at the most."""
    async with stage.undisturbed():
        flooder = await (stage.world.entered(stage.table) if entered else stage.world.connect(stage.table))
        flooder.send(FLOODS[kind] * MANY)
        slowest_s = await slowest_of(stage, actions=12)
        assert slowest_s < 0.5
        await until(lambda: flooder.close_code is not None)
        assert flooder.close_code in (1008, CloseCode.TOO_MANY_MESSAGES)
        assert flooder.pongs < 1_000
        assert flooder.kinds().count("error") <= VisitLimits().refusal_burst + 5
        assert len(flooder.messages) <= 2 + VisitLimits().message_burst + VisitLimits().refusal_burst + 50


async def slowest_of(stage: Stage, *, actions: int) -> float:
    """P and A play on; the longest time from an action to its ack."""
    slowest_s = 0.0
    for _ in range(actions):
        await until(lambda: stage.state.hand is not None and stage.state.hand.turn is not None)
        legal = stage.hand.turn.turn.legal
        began = time.monotonic()
        await stage.act("check" if "check" in legal else "call")
        slowest_s = max(slowest_s, time.monotonic() - began)
    return slowest_s


async def test_f20_a_seat_that_floods_loses_its_line_and_no_more(stage: Stage) -> None:
    """The seated agent that floods is closed; its seat, its stack and its turn are as after any lost line."""
    async with stage.undisturbed():
        before = stage.picture()
        stage.A.send(FLOODS["valid"] * MANY)
        assert await stage.A.is_closed() == CloseCode.TOO_MANY_MESSAGES
        stage.A = await stage.world.entered(stage.table, stage.tokens["A"])
        assert stage.picture() == before


# --- F21 ----------------------------------------------------------------------------------------------------------------


def test_f21_each_deadline_is_a_minute_at_the_most() -> None:
    """The head of a request, entering, two heartbeats, and the wait for an answered close."""
    vanished_s = UVICORN_SETTINGS["ws_ping_interval"] + UVICORN_SETTINGS["ws_ping_timeout"] + OutletLimits().linger_s
    heads_and_bodies_s = (PromptHttp.head_within_s, PromptHttp.body_within_s)
    deadlines_s = (*heads_and_bodies_s, VisitLimits().enter_within_ms / 1_000, vanished_s, OutletLimits().linger_s)
    assert all(0 < deadline_s <= 60 for deadline_s in deadlines_s)


async def test_f21_silent_and_half_open_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Silent, dripping, never entering, vanished without FIN, deaf to a close: each is gone in time, and holds nothing.

    The deadlines are shortened here, since what counts is that each is kept; how long they are is the test above.
    """
    monkeypatch.setattr(
        "railbird.serving.UVICORN_SETTINGS", {**UVICORN_SETTINGS, "ws_ping_interval": 0.5, "ws_ping_timeout": 0.5}
    )
    monkeypatch.setattr(PromptHttp, "head_within_s", 1.0)
    monkeypatch.setattr(PromptHttp, "body_within_s", 1.0)
    monkeypatch.setattr(ReadyWebSocket, "limits", OutletLimits(linger_s=0.5))
    async with world(tmp_path) as now:
        shorten_entering(now, monkeypatch, ms=700)
        stage = await now.stage()
        open_before = now.server.socket.open_connections
        async with stage.undisturbed():
            opened = [await asyncio.open_connection(HOST, now.port) for _ in range(4)]
            (silent, _), (dripping, drops), (early, handshakes), (bodiless, bodies) = opened
            bodies.write(head("POST", "/login", [("Host", "table.test"), ("Content-Length", "9")]) + b'{"to')
            handshakes.write(handshake(f"/games/poker/{stage.table}/ws")[:-2])
            idle = await now.connect(stage.table)
            stage.A.answers = False
            deaf = await now.connect(stage.table)
            deaf.answers = False
            deaf.say("enter", agentToken="no.such.token")
            began = time.monotonic()
            drip = asyncio.create_task(dripped(drops))
            ends = (
                silent.read(),
                dripping.read(),
                early.read(),
                bodiless.read(),
                idle.over.wait(),
                stage.A.over.wait(),
                deaf.over.wait(),
            )
            await asyncio.wait_for(asyncio.gather(*ends), 5.0)
            assert time.monotonic() - began < 4.0
            await drip
            assert (idle.close_code, deaf.close_code, stage.A.close_code) == (4408, 4401, 1011)
            await until(lambda: now.server.socket.open_connections == open_before - 1)
            await until(lambda: [s.connected for s in stage.state.seats] == [True, False])
            for _, writer in opened:
                writer.transport.abort()


@pytest.mark.parametrize("path", ["/games/poker/t-1/ws?" + "a" * 9_000, "/games/poker/t-1/ws?token=" + "b" * 40_000])
async def test_f21_a_head_too_long(path: str, here: World) -> None:
    """A handshake whose line is longer than the parser reads is answered and ended, and not kept open in silence."""
    stage = await here.stage()
    async with stage.undisturbed():
        with pytest.raises(HandshakeRefused) as refused:
            await connect(HOST, here.port, path)
        assert refused.value.answer.status in (400, 413, 414, 431)
        with pytest.raises(HandshakeRefused) as refused:
            await connect(
                HOST, here.port, f"/games/poker/{stage.table}/ws", [(f"x-{n}", "c" * 9_000) for n in range(2)]
            )
        assert refused.value.answer.status in (400, 413, 414, 431)


async def test_f21_a_body_that_breaks_off_is_no_fault_of_ours(here: World) -> None:
    """A client that resets in the middle of its body, at every kind of route that reads one: no error in the log."""
    stage = await here.stage()
    async with stage.undisturbed():
        for path, shown in (
            ("/login", []),
            ("/games/poker", [stage.owner("A")]),
            ("/agents", [stage.owner("A")]),
            ("/internal/bankroll", [("x-service-key", SERVICE_KEY)]),
        ):
            _, writer = await asyncio.open_connection(HOST, here.port)
            writer.write(head("POST", path, [("Host", "table.test"), ("Content-Length", "9"), *shown]) + b'{"to')
            await asyncio.sleep(0.05)
            writer.transport.abort()
            await asyncio.sleep(0.05)


async def dripped(writer: asyncio.StreamWriter) -> None:
    """A head that is always about to be complete."""
    for byte in head("GET", "/games/poker", [("Host", "table.test"), ("X-Padding", "a" * 200)])[:60]:
        if writer.is_closing():
            return
        writer.write(bytes([byte]))
        await asyncio.sleep(0.05)


def shorten_entering(now: World, monkeypatch: pytest.MonkeyPatch, *, ms: int) -> None:
    socket = now.server.socket
    limits = replace(socket._limits, visit=VisitLimits(enter_within_ms=ms))
    monkeypatch.setattr(socket, "_limits", limits)


# --- F22 ----------------------------------------------------------------------------------------------------------------


async def test_f22_close_codes_are_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reason has its own documented code and a short text; a fault of ours ends in a close frame too."""
    codes: dict[str, Peer] = {}
    async with world(tmp_path) as now:
        stage = await now.stage()
        codes["bad credentials"] = await closing(now, stage, lambda peer: peer.say("enter", agentToken="a.b.c"))
        codes["table gone"] = await closing(now, "t-nothere", lambda peer: peer.say("enter"))
        codes["rate limit"] = await closing(now, stage, lambda peer: peer.send(FLOODS["valid"] * MANY))
        codes["replaced"], stage.A = stage.A, await now.entered(stage.table, stage.tokens["A"])
        codes["expired credentials"] = await now.entered(stage.table, await now.agent("late", life_s=-29))
        codes["internal fault"] = await internal_fault(now, stage, monkeypatch)
        codes["table closed"] = await closed_table(now)
        await asyncio.gather(*(peer.is_closed() for peer in codes.values()))
        codes["shutdown"] = stage.S
        assert stage.S.is_open and await stage.next_public_frame()
        await now.server.stop()
        await stage.S.is_closed()
    found = {why: peer.close_code for why, peer in codes.items()}
    assert found == {
        "bad credentials": CloseCode.NOT_AUTHENTICATED,
        "table gone": CloseCode.NO_SUCH_TABLE,
        "rate limit": CloseCode.TOO_MANY_MESSAGES,
        "replaced": CloseCode.REPLACED,
        "expired credentials": CloseCode.CREDENTIALS_EXPIRED,
        "internal fault": CloseCode.INTERNAL,
        "table closed": CloseCode.TABLE_CLOSED,
        "shutdown": CloseCode.RESTART,
    }
    for peer in codes.values():
        assert len(peer.close_reason) <= 123 and peer.close_reason.decode("utf-8")
    assert "a-word-of-the-error" not in "".join(str(peer.messages) + str(peer.close_reason) for peer in codes.values())


async def closing(now: World, stage: Stage | str, do: Callable[[Peer], object]) -> Peer:
    peer = await now.connect(stage if isinstance(stage, str) else stage.table)
    do(peer)
    await peer.is_closed()
    return peer


async def internal_fault(now: World, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """A bug in the handler, with a text that is long and of several bytes a character."""

    def fail(*_: object) -> bool:
        raise RuntimeError("a-word-of-the-error \u20ac" * 100)

    peer = await now.entered(stage.table, stage.tokens["C"])
    with monkeypatch.context() as broken:
        broken.setattr(now.server.floor, "say", fail)
        peer.say("stand")
        await peer.is_closed()
    faults = now.log.all_faults()
    assert any("handler failed: RuntimeError at " in fault for fault in faults), "the log has its kind and place"
    assert not any("a-word-of-the-error" in fault for fault in faults), "and no word of it"
    return peer


async def closed_table(now: World) -> Peer:
    table = await now.server.floor.create(OPTIONS)
    peer = await now.entered(table)
    await now.server.floor.operate(table, commands.Close())
    return peer


def test_f22_no_reason_is_too_long() -> None:
    """Our own words, one for each code; none of the codes that must not travel."""
    assert set(REASONS) == set(CloseCode)
    assert all(0 < len(reason.encode()) <= 123 for reason in REASONS.values())
    assert not {1005, 1006, 1015} & set(map(int, CloseCode))
    assert json.loads(json.dumps(list(REASONS.values())))
