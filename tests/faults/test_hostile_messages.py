"""Every message of tests/hostile/ws.json at a live table, in its state, with its answer; and the table is as before."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from tests.faults.wire import OPCODES, Message, Peer, frame, text_frame
from tests.faults.world import Stage, World, world
from tests.hostile.messages import HostileMessage, filled, hostile_messages, padded, repeated

CASES: Final = hostile_messages()
ANSWERS_WITHIN_S: Final = 30.0
MACHINE_MS: Final = 150
"""What may be added to a time of the file, for the ordinary message behind it and the client's own work. Times are of this process."""
FRAMES_A_CONNECTION: Final = 20
"""After so many cases A comes back on a new connection, before its refusals are too many."""


@dataclass
class Arena:
    """Two tables of one server: at one A is to act, facing a bet, at the other it is not."""

    world: World
    on: Stage
    off: Stage
    old_turns: Mapping[str, str]
    session: str
    other_session: str
    silent: Peer
    silent_since_s: float
    used: dict[str, int] = field(default_factory=dict)

    def stage(self, when: str) -> Stage:
        return self.on if when == "on_turn" else self.off


@pytest.fixture(scope="module")
async def arena(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Arena]:
    async with world(tmp_path_factory.mktemp("hostile")) as now:
        on, off = await now.stage(), await now.stage()
        old_turns = {"on": await at_turn_of(on, "A"), "off": await at_turn_of(off, "P")}
        await on.next_public_frame()
        await off.next_public_frame()
        silent = await now.connect(off.table)
        yield Arena(
            world=now,
            on=on,
            off=off,
            old_turns=old_turns,
            session=off.S.messages[1]["session"],
            other_session=on.A.messages[1]["session"],
            silent=silent,
            silent_since_s=time.monotonic(),
        )


async def at_turn_of(stage: Stage, who: str) -> str:
    """Play until A has a closed turn behind it, and `who` is to act and faces a bet. Returns A's closed turn."""
    old = ""
    for _ in range(6):
        if old and stage.to_act == who and stage.hand.turn.turn.to_call_chips > 0:
            return old
        if stage.to_act == "A":
            old = stage.turn_id
        if old and stage.to_act != who:
            await stage.act("raise", amount=60)
        else:
            await stage.next_hand()
    raise AssertionError("the table is not as it must be")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_a_hostile_message_gets_its_answer_and_changes_nothing(case: HostileMessage, arena: Arena) -> None:
    """One answer to the sender alone; turn, stacks, pot, clock and everybody's frames as before; the next message works."""
    stage = arena.stage(case.when)
    before, p_seen, s_seen = stage.picture(), len(stage.P.messages), len(stage.S.messages)
    async with stage.undisturbed():
        peer = await sender(case, arena)
        since, began = len(peer.messages), time.process_time()
        send(peer, case.send, values(arena, stage))
        outcome = await answered(peer, since, case)
        assert any(fits(outcome, answer) for answer in answers(case)), (outcome, case.expect, case.why)
        assert case.within_ms is None or (time.process_time() - began) * 1_000 < case.within_ms + MACHINE_MS
        assert stage.picture() == before, case.why
        returned = await restore(case, peer, stage, arena)
    noticed = stage.P.messages[p_seen:] + stage.S.messages[s_seen:]
    allowed = {"presence", "game_state"} if returned else set()
    spoken = {"chat", "ack"} if case.id == "ws-018" else set()
    others = [m["type"] for m in noticed if m.get("text") != f"said {stage.said}" and m["type"] not in ("ack", "pong")]
    assert set(others) <= allowed | spoken, others


# --- the sender -------------------------------------------------------------------------------------------------------------


async def sender(case: HostileMessage, arena: Arena) -> Peer:
    """A connection in the state that the case wants."""
    stage = arena.stage(case.when)
    match case.when:
        case "before_enter":
            return arena.silent if "nothing_for_ms" in case.send else await arena.world.connect(stage.table)
        case "spectator":
            return await arena.world.entered(stage.table)
        case "entered_not_seated":
            return await arena.world.entered(stage.table, stage.tokens["C"])
        case _:
            if not stage.A.is_open:
                stage.A = await arena.world.entered(stage.table, stage.tokens["A"])
            return stage.A


async def restore(case: HostileMessage, peer: Peer, stage: Stage, arena: Arena) -> bool:
    """Everything as it was for the next case. Returns whether A was away."""
    if peer is not stage.A:
        await peer.leave()
        return False
    arena.used[stage.table] = arena.used.get(stage.table, 0) + 1
    if peer.is_open and arena.used[stage.table] < FRAMES_A_CONNECTION:
        return False
    arena.used[stage.table] = 0
    stage.A = await arena.world.entered(stage.table, stage.tokens["A"])
    await peer.end()
    return True


def values(arena: Arena, stage: Stage) -> dict[str, str]:
    """What the placeholders stand for at this table now."""
    least, most = stage.hand.turn.turn.raise_range or (40, 1_000)
    return {
        "TURN": stage.turn_id,
        "OLD_TURN": arena.old_turns["on" if stage is arena.on else "off"],
        "OTHER_TURN": stage.turn_id,
        "OTHER_SEAT": "0",
        "OTHER_USER": f"owner-of-P-{stage.number}",
        "OTHER_AGENT": f"P-{stage.number}",
        "TABLE": stage.table,
        "AGENT_TOKEN": stage.tokens["C"],
        "OTHER_AGENT_TOKEN": stage.tokens["C"],
        "USER_TOKEN": arena.world.user_token("somebody"),
        "OWN_SESSION": arena.session,
        "OTHER_SESSION": arena.other_session,
        "MIN_MINUS_1": str(least - 1),
        "MIN": str(least),
        "MAX_PLUS_1": str(most + 1),
    }


def send(peer: Peer, what: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Put it on the wire."""
    match what:
        case {"text": str(text)}:
            peer.send(text_frame(filled(text, values)))
        case {"frames": [*frames]}:
            peer.send(b"".join(raw_frame(each, values) for each in frames))
        case {"raw_hex": str(raw)}:
            peer.send(bytes.fromhex(raw))
        case {"repeat": dict(parts)}:
            peer.send(text_frame(filled(repeated(parts), values)))
        case {"fragments": dict(parts)}:
            peer.send(b"".join(fragments(parts)))
        case {"pad_to": dict(parts)}:
            peer.send(text_frame(padded(**parts)))
        case {"deflate": dict(parts)}:
            peer.send(frame("text", bomb(parts), rsv=4))
        case {"times": {"message": str(message), "count": int(count)}}:
            peer.send(text_frame(message) * count)
        case {"times": {"control": str(control), "hex": str(body), "count": int(count)}}:
            peer.send(frame(control, bytes.fromhex(body)) * count)
        case {"nothing_for_ms": _}:
            pass
        case _:
            raise AssertionError(f"no such way to send: {list(what)}")


def raw_frame(one: Mapping[str, Any], values: Mapping[str, str]) -> bytes:
    body = filled(one["text"], values).encode() if "text" in one else bytes.fromhex(one["hex"])
    opcode = OPCODES[one["opcode"]] if isinstance(one["opcode"], str) else one["opcode"]
    return frame(opcode, body, fin=one["fin"], masked=one["masked"], rsv=one["rsv"])


def fragments(parts: Mapping[str, Any]) -> Sequence[bytes]:
    spaces = parts.get("space_continuations", {"count": 0, "bytes": 0})
    between = [b" " * spaces["bytes"]] * spaces["count"] + [b""] * parts.get("empty_continuations", 0)
    middle = [frame("continuation", each, fin=False) for each in between]
    return [frame("text", parts["first"].encode(), fin=False), *middle, frame("continuation", parts["last"].encode())]


def bomb(parts: Mapping[str, Any]) -> bytes:
    """A little that would inflate to a lot, made piece by piece."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, -15)
    out = deflate.compress(parts["message_prefix"].encode())
    unit, left = parts["unit"].encode() * 2**20, parts["times"]
    while left > 0:
        out += deflate.compress(unit[:left])
        left -= len(unit)
    out += deflate.compress(parts["suffix"].encode()) + deflate.flush(zlib.Z_SYNC_FLUSH)
    return out.removesuffix(b"\x00\x00\xff\xff")


# --- the answer -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the sender got. `close`: the close frame's code; None while it is open; `replies`: other answers."""

    errors: tuple[str, ...]
    replies: tuple[str, ...]
    close: int | None
    open: bool
    sent: int


async def answered(peer: Peer, since: int, case: HostileMessage) -> Outcome:
    """Wait for the answer, see that an ordinary message works where the connection stayed open, and count."""
    await first_answer(peer, since, case)
    if peer.is_open and "times" not in case.send:
        assert await still_works(peer)
    got = peer.messages[since:]
    told = [str(m["code"]) for m in got if m["type"] == "error"]
    if case.then == "the same your_turn again":
        again = next(m["turn"] for m in got if m["type"] == "error")
        assert again["type"] == "your_turn" and again["legalActions"]
    replies = [m["type"] for m in got if m["type"] not in ("error", "chat", "presence") and not is_own_ping(m)]
    return Outcome(
        tuple(told), tuple(replies), peer.close_code, peer.is_open, int(case.send.get("times", {}).get("count", 1))
    )


async def first_answer(peer: Peer, since: int, case: HostileMessage) -> None:
    within_s = 45.0 if "nothing_for_ms" in case.send else ANSWERS_WITHIN_S
    if "times" in case.send:
        await peer.is_closed(within_s)
        return

    def there() -> bool:
        return not peer.is_open or any(is_answer(m) for m in peer.messages[since:])

    async with asyncio.timeout(within_s):
        while not there():  # noqa: ASYNC110 - an answer or an end, whichever comes
            await asyncio.sleep(0.002)
    if any(m["type"] == "error" for m in peer.messages[since:]) and not any(map(stays_open, answers(case))):
        await peer.is_closed(within_s)


def is_answer(message: Message) -> bool:
    return message["type"] in ("error", "ack", "pong", "snapshot", "resync", "resumed") and not is_own_ping(message)


def is_own_ping(message: Message) -> bool:
    return message["type"] == "pong" and str(message.get("requestId", "")).startswith("r")


async def still_works(peer: Peer) -> bool:
    return await peer.works() or peer.close_code is not None


def answers(case: HostileMessage) -> list[Mapping[str, Any]]:
    """The answers of which one is right."""
    expect = case.expect
    also = case.also_allowed or expect.get("also_allowed")
    found = list(expect.get("any_of", [expect]))
    if also == "connection stays open, not entered":
        found.append({"error": expect["error"], "connection": "open"})
    elif isinstance(also, Mapping):
        found.append({**{key: value for key, value in expect.items() if key == "error"}, **also})
    return found


def stays_open(answer: Mapping[str, Any]) -> bool:
    return "close" not in answer


def fits(outcome: Outcome, answer: Mapping[str, Any]) -> bool:
    """Whether this is that answer, with one error frame for one message at the most."""
    codes = answer.get("error", [])
    named = {codes} if isinstance(codes, str) else set(codes)
    if len(outcome.errors) > outcome.sent:
        return False
    if "close" in answer:  # an error frame comes first where one can
        told = set(outcome.errors) <= (named or {"not_entered", "rate_limited"}) or outcome.sent > 1
        return told and outcome.close in answer["close"]
    if not set(outcome.errors) <= named:
        return False
    if "reply" in answer:
        return outcome.open and answer["reply"] in outcome.replies and not outcome.errors
    return outcome.open and bool(outcome.errors or "error" not in answer)
