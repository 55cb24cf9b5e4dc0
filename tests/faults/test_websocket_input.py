"""C. WebSocket input: F14 to F19, what one message can be. What many are, and how a connection ends, is in `test_websocket_ends`."""

from __future__ import annotations

import json
import time
import tracemalloc
import zlib
from typing import Final

import pytest

from gameserver.table.state import SeatState
from tests.faults.wire import SOON_S, HandshakeRefused, Peer, connect, frame, text_frame
from tests.faults.world import HOST, Stage, World, until

LIMIT: Final = 16_384
LIMIT_BEFORE_ENTER: Final = 4_096
READ_BUFFER: Final = 262_144
"""What asyncio reads at a time, whoever sends it."""
PING: Final = '{"type":"ping","requestId":"p"}'


# --- F14 ----------------------------------------------------------------------------------------------------------------


async def test_f14_broken_frames(stage: Stage) -> None:
    """Binary and empty frames are refused, invalid UTF-8 closes 1007, no mask closes 1002; a lost seat is a lost line."""
    async with stage.undisturbed():
        for sent, code in ((frame("binary", PING.encode()), "binary_frame"), (frame("text"), "bad_json")):
            since = len(stage.A.messages)
            stage.A.send(sent)
            error = await stage.A.sees(lambda m: m["type"] == "error", since=since)
            assert error["code"] == code and await stage.A.works()
        for sent, close in (
            (frame("text", bytes.fromhex("7b2274223a22fffe227d")), 1007),
            (frame("text", PING.encode(), masked=False), 1002),
        ):
            hand = stage.hand.hand_number
            stage.A.send(sent)
            assert await stage.A.is_closed() == close
            await until(lambda: not seat_of_a(stage).connected)
            stage.A = await stage.world.entered(stage.table, stage.tokens["A"])
            assert seat_of_a(stage).connected and stage.hand.hand_number == hand, (
                "the seat was held, and the hand went on"
            )


async def test_f14_fragments_are_put_together_in_the_middle_of_a_character(stage: Stage) -> None:
    """Three fragments that part a character of several bytes are one message."""
    text = "caf\u00e9 \U0001f0a1"
    body = json.dumps({"type": "chat", "text": text, "requestId": "f"}, ensure_ascii=False).encode()
    cut = body.index("\u00e9".encode()) + 1
    second = body.index("\U0001f0a1".encode()) + 2
    async with stage.undisturbed():
        stage.A.send(frame("text", body[:cut], fin=False))
        stage.A.send(frame("continuation", body[cut:second], fin=False) + frame("continuation", body[second:]))
        await stage.S.sees(lambda m: m["type"] == "chat" and m["text"] == text)
        await stage.A.sees(lambda m: m["type"] == "ack" and m["requestId"] == "f")


def seat_of_a(stage: Stage) -> SeatState:
    found: SeatState = next(seat for seat in stage.state.seats if seat.seat == 2)
    return found


# --- F15 ----------------------------------------------------------------------------------------------------------------

SHAPES: Final = (
    ("[]", "not_an_object"),
    ('"x"', "not_an_object"),
    ("7", "not_an_object"),
    ("null", "not_an_object"),
    ("true", "not_an_object"),
    ("{}", "missing_field"),
    ('{"type":7}', "bad_type"),
    ('{"type":null}', "bad_type"),
    ('{"type":"nope"}', "unknown_type"),
    ('{"type":"__class__"}', "unknown_type"),
    ('{"type":"action"}', "missing_field"),
    ('{"type":"action","turnId":"', "bad_json"),
    ('{"type":"ping"}{"type":"ping"}', "bad_json"),
)


async def test_f15_broken_json_and_wrong_shapes(stage: Stage) -> None:
    """Each is refused with its own code, in the order sent, and the action in the same packet works."""
    peer = stage.A if stage.to_act == "A" else stage.P
    action = {"type": "action", "requestId": "act", "turnId": stage.turn_id, "action": "call"}
    async with stage.undisturbed():
        since = len(peer.messages)
        peer.send(b"".join(text_frame(text) for text, _ in SHAPES) + text_frame(json.dumps(action)))
        answer = await peer.sees(lambda m: m.get("requestId") == "act", since=since)
        assert answer["type"] == "ack"
        told = [m["code"] for m in peer.messages[since:] if m["type"] == "error"]
        assert told == [code for _, code in SHAPES]


# --- F16 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("[" * 100_000, {1009}),
        ("[" * (LIMIT - 1), {"too_deep", "bad_json"}),
        ('{"type":"chat","text":' + "[" * 5_000 + "]" * 5_000 + "}", {"too_deep"}),
        ('{"a":' * 2_000 + "1" + "}" * 2_000, {"too_deep"}),
    ],
    ids=["too-long", "open", "arrays", "objects"],
)
async def test_f16_deep_nesting(text: str, answers: set[object], stage: Stage) -> None:
    """Refused after less than a second's work, and the process goes on."""
    async with stage.undisturbed():
        since, began = len(stage.A.messages), time.process_time()
        stage.A.send(text_frame(text))
        if answers == {1009}:
            assert await stage.A.is_closed() == 1009
        else:
            error = await stage.A.sees(lambda m: m["type"] == "error", since=since)
            assert error["code"] in answers and await stage.A.works()
        assert time.process_time() - began < 1.0


# --- F17, F18 -----------------------------------------------------------------------------------------------------------

AMOUNTS: Final = (
    ("NaN", "bad_json"),
    ("Infinity", "bad_json"),
    ("1e999", "bad_type"),
    ("-1", "out_of_range"),
    ("-0", "out_of_range"),
    ("-0.0", "bad_type"),
    ("0.5", "bad_type"),
    ("40.0", "bad_type"),
    ('"40"', "bad_type"),
    ("true", "bad_type"),
    ("null", "bad_type"),
    ("[40]", "bad_type"),
    ("9007199254740993", "out_of_range"),
    ("2147483648", "out_of_range"),
    ("9223372036854775808", "out_of_range"),
    ("9" * 5_000, "out_of_range"),
)


async def test_f17_amounts_that_are_not_chips(stage: Stage) -> None:
    """Whole bounded numbers only: each other amount is refused with its code, quickly, and no chip is made or lost."""
    peer = stage.A if stage.to_act == "A" else stage.P
    total = stage.total_chips()
    async with stage.undisturbed():
        before = stage.picture()
        for amount, code in AMOUNTS:
            since, began = len(peer.messages), time.process_time()
            peer.send(text_frame(f'{{"type":"action","turnId":"{stage.turn_id}","action":"raise","amount":{amount}}}'))
            error = await peer.sees(lambda m: m["type"] == "error", since=since)
            assert (error["code"], time.process_time() - began < 0.2) == (code, True), amount[:20]
            assert stage.picture() == before and stage.total_chips() == total
        assert (await peer.ask("action", turnId=stage.turn_id, action="raise", amount=40))["type"] == "ack"
    assert stage.total_chips() == total


async def test_f18_duplicate_keys(stage: Stage) -> None:
    """Refused as malformed: neither reading of the same bytes is anybody's move."""
    peer = stage.A if stage.to_act == "A" else stage.P
    twice = '"action":"fold","action":"raise","amount":10,"amount":1000'
    async with stage.undisturbed():
        before, seen = stage.picture(), len(stage.S.messages)
        peer.send(text_frame(f'{{"type":"action","turnId":"{stage.turn_id}",{twice}}}'))
        assert (await peer.sees(lambda m: m["type"] == "error"))["code"] == "duplicate_key"
        assert stage.picture() == before
    assert stage.S.kinds(seen) == ["chat"]


# --- F19 ----------------------------------------------------------------------------------------------------------------


def padded(size: int) -> bytes:
    return (PING[:-1] + " " * (size - len(PING)) + "}").encode()


def bomb() -> bytes:
    """The beginning of 64 MB of one letter: under 2 KB, which a careless reader inflates a thousandfold."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    unit = b"A" * 2**20
    whole = b"".join(deflate.compress(unit) for _ in range(64)) + deflate.flush(zlib.Z_SYNC_FLUSH)
    return frame("text", whole[:1_900], rsv=4)


async def test_f19_size_limits(stage: Stage) -> None:
    """A message of exactly the limit works; one byte more, in one frame or in several, or announced only, closes 1009."""
    half = padded(LIMIT + 1)[: LIMIT // 2]
    rest = padded(LIMIT + 1)[LIMIT // 2 :]
    cases = (
        frame("text", padded(LIMIT + 1)),
        frame("text", half, fin=False) + frame("continuation", rest),
        bytes([0x81, 0xFF]) + (2**62).to_bytes(8, "big") + b"mask",
        bytes([0x81, 0xFF]) + (2**63 - 1).to_bytes(8, "big") + b"mask",
    )
    async with stage.undisturbed():
        assert await answer_to(stage.A, frame("text", padded(LIMIT))) == "pong"
        stage.A.send(frame("text", padded(LIMIT)[:9_000], fin=False) + frame("continuation", padded(LIMIT)[9_000:]))
        assert await stage.A.works()
        for sent in cases:
            fresh = await stage.world.entered(stage.table)
            assert await memory_of(fresh, sent) < 4 * LIMIT + READ_BUFFER
            assert await fresh.is_closed() == 1009
            assert "pong" not in fresh.kinds(), "nobody saw the message, nor a piece of it"


async def test_f19_the_limit_before_entering_is_smaller(stage: Stage) -> None:
    """4 KiB until `enter`, as `hello` says."""
    async with stage.undisturbed():
        stranger = await stage.world.connect(stage.table)
        limits = stranger.messages[0]["limits"]
        assert (limits["maxInboundBytes"], limits["maxInboundBytesBeforeEnter"]) == (LIMIT, LIMIT_BEFORE_ENTER)
        assert await answer_to(stranger, frame("text", padded(LIMIT_BEFORE_ENTER))) == "pong"
        stranger.send(frame("text", padded(LIMIT_BEFORE_ENTER + 1)))
        assert await stranger.is_closed() == 1009


async def test_f19_nothing_is_inflated(stage: Stage) -> None:
    """permessage-deflate is not agreed on, whatever is offered; a compressed frame is a broken one, and stays small."""
    offer = [("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")]
    sent = bomb()
    assert len(sent) < 2_048
    async with stage.undisturbed():
        peer = await stage.world.connect(stage.table, headers=offer)
        assert peer.handshake.header("sec-websocket-extensions") is None
        assert await memory_of(peer, sent) < 4 * LIMIT + READ_BUFFER
        assert await peer.is_closed() in (1002, 1009)


async def answer_to(peer: Peer, sent: bytes) -> str:
    since = len(peer.messages)
    peer.send(sent)
    return str((await peer.sees(lambda m: m.get("requestId") == "p", since=since))["type"])


async def memory_of(peer: Peer, sent: bytes) -> int:
    """By how much this process grew at most, until the connection was over."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        peer.send(sent)
        await peer.is_closed()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


# --- handshakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["t-nothere", "a" * 3_000, "%00", "..%2f..", "%ff%fe", "caf\u00e9"])
async def test_a_table_that_is_not_there_closes_like_any_other(table: str, here: World) -> None:
    """4404 once entered, or a refusal of the handshake; never a fault of ours."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        try:
            peer = await connect(HOST, here.port, f"/games/poker/{table}/ws".encode())
        except HandshakeRefused as refused:
            assert 400 <= refused.answer.status < 500
        else:
            peer.say("enter")
            assert await peer.is_closed(SOON_S) == 4404
            await peer.end()
