"""Bytes from strangers at the decoder: the hostile messages of tests/hostile, the order of the checks, and any bytes."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.errors import ErrorCode
from gameserver.hand.facts import ActionKind
from gameserver.wire.decode import BrokenFrame, MessageRefused, decode
from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_INBOUND_BYTES_BEFORE_ENTER
from gameserver.wire.messages import Action, AgentThoughtIn, ChatIn, Enter, Inbound, Ping, Resume, Sit
from tests.hostile.messages import HostileMessage, hostile_messages, payload

SHAPE_CODES: Final = frozenset(
    {
        "binary_frame",
        "bad_json",
        "too_deep",
        "duplicate_key",
        "not_an_object",
        "unknown_type",
        "unknown_field",
        "missing_field",
        "bad_type",
        "bad_value",
        "out_of_range",
        "bad_text",
        "text_too_long",
    }
)
FRAMES_ONLY: Final = frozenset({f"ws-{n:03}" for n in (*range(4, 15), 15, 16, 17, 19, 174, 177, 178)})
"""Cases that a WebSocket library, a clock or a limit answers: no whole message comes of them, or how it came is the point."""


def max_bytes(case: HostileMessage) -> int:
    return MAX_INBOUND_BYTES_BEFORE_ENTER if case.when == "before_enter" else MAX_INBOUND_BYTES


def answer(frame: str | bytes, *, limit: int = MAX_INBOUND_BYTES, binary: bool = False) -> Inbound | str | int:
    """The message, or the code of its refusal, or the code of the close."""
    try:
        return decode(frame, max_bytes=limit, binary=binary)
    except MessageRefused as refused:
        return str(refused.code)
    except BrokenFrame as broken:
        return broken.close_code


def with_number(message: str, number: str) -> str:
    """The message with the number as it is written put in the place of N."""
    return message.replace("N", number)


def refusal(frame: str | bytes) -> MessageRefused:
    with pytest.raises(MessageRefused) as refused:
        decode(frame, max_bytes=MAX_INBOUND_BYTES)
    return refused.value


CASES: Final = [case for case in hostile_messages() if case.id not in FRAMES_ONLY]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_hostile_message_gets_its_answer(case: HostileMessage) -> None:
    """Where the file expects a code of the shape, it is that one; else the message is whole and for others to judge."""
    sent = payload(case.send)
    assert sent is not None
    data, binary = sent
    began = time.process_time()
    got = answer(data, limit=max_bytes(case), binary=binary)
    assert time.process_time() - began < 0.5, "hostile input takes no time to speak of"
    if isinstance(got, int):
        assert got in case.expect["close"]
    elif isinstance(got, str):
        assert got in case.codes & SHAPE_CODES or case.id == "ws-175"
    else:
        assert case.may_be_taken or case.codes - SHAPE_CODES, f"{case.id} should have been refused"


def test_every_case_of_the_file_is_here_or_named() -> None:
    """178 messages: each is judged here, or is one that only a real socket can show."""
    cases = hostile_messages()
    assert len(cases) == 178
    assert {case.id for case in cases} == {case.id for case in CASES} | FRAMES_ONLY


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_text_and_bytes_are_read_alike(case: HostileMessage) -> None:
    """A server that hands out text and one that hands out bytes give the same answer."""
    data, binary = payload(case.send) or (b"", False)
    with suppress(UnicodeDecodeError):
        as_text = answer(data.decode("utf-8"), limit=max_bytes(case), binary=binary)
        assert as_text == answer(data, limit=max_bytes(case), binary=binary)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b'{"type":"ping","type":"ping"', "bad_json"),
        (b'{"a":{"b":1,"b":2},"c":}', "bad_json"),
        (b'{"a":' * 9 + b"1" + b"}" * 8, "bad_json"),
        (b'{"a":{"b":1,"b":2},"c":' + b"[" * 9 + b"]" * 9 + b"}", "duplicate_key"),
        (b"[" * 9 + b"]" * 9, "too_deep"),
        (b"[" * 8 + b"]" * 8, "not_an_object"),
        (b'{"type":7,"x":1}', "bad_type"),
        (b'{"x":1}', "missing_field"),
        (b'{"type":"nope","x":1}', "unknown_type"),
        (b'{"type":"sit","x":1}', "unknown_field"),
        (b'{"type":"sit","buyIn":"1"}', "missing_field"),
        (b'{"type":"sit","seat":"1","buyIn":0}', "bad_type"),
        (b'{"type":"sit","seat":1,"buyIn":0}', "out_of_range"),
        (b'{"type":"action","turnId":7,"action":"fold","amount":0}', "unknown_field"),
        (b'{"type":"action","turnId":7,"action":"raise"}', "missing_field"),
        (b'{"type":"action","turnId":"t","action":"jump","amount":0}', "bad_value"),
        (b'{"type":"action","turnId":"\\ud800","action":"jump"}', "bad_text"),
    ],
)
def test_the_first_check_of_the_order_that_fails_answers(frame: bytes, code: str) -> None:
    """A message with several faults gets the code of the check that comes first."""
    assert answer(frame) == code


def test_good_messages() -> None:
    """What a well-behaved client sends is taken."""
    assert answer('{"type":"enter"}') == Enter()
    assert answer(' {"agentToken":"a.b.c", "type":"enter"}\n') == Enter(agent_token="a.b.c")
    assert answer('{"type":"sit","seat":3,"buyIn":500,"requestId":"r 1"}') == Sit(seat=3, buy_in=500, request_id="r 1")
    assert answer('{"type":"action","turnId":"t","action":"raise","amount":40}') == Action(
        turn_id="t", action=ActionKind.RAISE, amount=40
    )
    assert answer('{"type":"action","turnId":"t","action":"all_in"}') == Action(turn_id="t", action=ActionKind.ALL_IN)
    assert answer('{"type":"resume","session":"s","epoch":"e","lastSeq":0}') == Resume(
        session="s", epoch="e", last_seq=0
    )
    assert answer('{"type":"resume","session":"s","lastSeq":7}') == Resume(session="s", epoch="", last_seq=7)
    assert answer('{"type":"chat","text":"\\ud83d\\ude00 \u00fc"}') == ChatIn(text="\U0001f600 \u00fc")
    assert answer(b'{"type":"ping"}') == Ping()


def test_a_refusal_carries_the_request_id_where_it_is_valid() -> None:
    """A client can tell which of its requests was refused, but what is no request id is not echoed."""
    assert refusal('{"type":"nope","requestId":"r1"}').request_id == "r1"
    assert refusal('{"type":"sit","seat":0,"requestId":"r1"}').request_id == "r1"
    assert refusal('{"type":"ping","echo":"a","echo":"b","requestId":"r1"}').request_id == "r1"
    assert refusal('{"type":"ping","requestId":"r1","requestId":"r2"}').request_id is None
    assert refusal('{"a":' + "[" * 9 + "]" * 9 + ',"requestId":"r1"}').request_id == "r1"
    for bad in ('""', "7", "null", '"a\\r\\nset-cookie: x"', '"a\\n"', '"' + "r" * 65 + '"', '"\\u00e4"'):
        assert refusal('{"type":"ping","requestId":' + bad + "}").request_id is None
    assert refusal('["r1"]').request_id is None


def test_a_refusal_repeats_nothing_of_the_sender() -> None:
    """Neither the code, the words nor the chain of causes holds what was sent: it may be a token."""
    marker = "MARKER7f3a"
    for frame in (
        f'{{"type":"{marker}"}}',
        f'{{"type":"enter","{marker}":1}}',
        f'{{"type":"enter","agentToken":["{marker}"]}}',
        f'{{"type":"action","action":"{marker}","turnId":"t"}}',
        f'{{"type":"enter","agentToken":"{marker}"',
        f'{{"type":"ping","requestId":"{marker}\\n"}}',
        f'{{"{marker}":1,"{marker}":2}}',
    ):
        refused = refusal(frame)
        assert marker not in f"{refused!r} {refused} {refused.why} {refused.__cause__!r} {refused.__context__!r}"
        assert refused.__cause__ is None


def test_the_size_is_exact_and_counts_bytes() -> None:
    """The limit is the frame's bytes of UTF-8, not its characters."""
    base = b'{"type":"ping"}'
    assert answer(base + b" " * (MAX_INBOUND_BYTES - len(base))) == Ping()
    assert answer(base + b" " * (MAX_INBOUND_BYTES - len(base) + 1)) == 1009
    assert answer('{"type":"chat","text":"' + "\u20ac" * 6_000 + '"}') == 1009
    assert answer("x" * 5_000, limit=MAX_INBOUND_BYTES_BEFORE_ENTER) == 1009


def test_bytes_that_are_no_utf8_are_no_message() -> None:
    """A broken encoding closes the connection, as RFC 6455 says, whatever is around it."""
    assert answer(b'{"type":"\xff"}') == 1007
    assert answer('{"type":"\ud800"}') == 1007
    assert answer(b"\xff" * 20_000) == 1007


def test_brackets_in_text_are_no_depth() -> None:
    """Depth counts arrays and objects only."""
    text = '[[[[[[[[[[{{{{{{{{{{\\"[[[['
    assert answer(json.dumps({"type": "chat", "text": text})) == ChatIn(text=text)


@pytest.mark.parametrize("frame", [b'"\\' * 8_000, b'"\\"' * 5_000, b'"' * 16_000, b"[]" * 8_000, b"\\" * 16_000])
def test_the_scan_for_depth_is_linear(frame: bytes) -> None:
    """No arrangement of quotes and backslashes makes it slow."""
    began = time.process_time()
    assert answer(frame) == "bad_json"
    assert time.process_time() - began < 0.2


def test_many_doubled_keys_are_refused_fast() -> None:
    """An object of nothing but doubled keys costs no more than another."""
    frame = "{" + ",".join(f'"{n % 1_000}":1' for n in range(2_000)) + "}"
    began = time.process_time()
    assert answer(frame) == "duplicate_key"
    assert time.process_time() - began < 0.2


@pytest.mark.parametrize("number", ["40.0", "4e1", "1E3", "1e999", "-0.0", "0.5"])
def test_a_number_with_a_point_or_an_exponent_is_no_whole_number(number: str) -> None:
    """It is of the wrong type wherever it stands, also where its value is whole."""
    assert answer(with_number('{"type":"rebuy","amount":N}', number)) == "bad_type"
    assert answer(with_number('{"type":"sit","seat":N,"buyIn":100}', number)) == "bad_type"


def test_minus_zero_and_endless_digits_are_out_of_every_range() -> None:
    """Neither is a seat, an amount or a number of a frame."""
    for number in ("-0", "9" * 18, "9" * 5_000, "-" + "9" * 5_000):
        assert answer(with_number('{"type":"sit","seat":N,"buyIn":100}', number)) == "out_of_range"
        assert answer(with_number('{"type":"resume","session":"s","lastSeq":N}', number)) == "out_of_range"


def test_what_the_table_decides_has_no_bounds_here() -> None:
    """A seat that is not there, an empty turn and an empty token get the table's own answer, not one of the shape."""
    assert answer('{"type":"sit","seat":-1,"buyIn":100}') == Sit(seat=-1, buy_in=100)
    assert answer('{"type":"sit","seat":99,"buyIn":100}') == Sit(seat=99, buy_in=100)
    assert answer('{"type":"action","turnId":"","action":"fold"}') == Action(turn_id="", action=ActionKind.FOLD)
    assert answer('{"type":"enter","agentToken":""}') == Enter(agent_token="")


@pytest.mark.parametrize("kind", ["action", "agent_decision"])
def test_bet_and_raise_have_an_amount_and_the_others_have_none(kind: str) -> None:
    """Client and server agree about what a move means, or the move is refused."""
    for action in ActionKind:
        head = f'{{"type":"{kind}","turnId":"t","action":"{action}"'
        with_amount, without = answer(head + ',"amount":5}'), answer(head + "}")
        if action in (ActionKind.BET, ActionKind.RAISE):
            assert without == "missing_field"
            assert not isinstance(with_amount, str | int)
        else:
            assert with_amount == "unknown_field"
            assert not isinstance(without, str | int)


def test_a_text_is_taken_as_it_was_sent() -> None:
    """Lengths count after NFC, but nobody's text is changed."""
    decomposed = "e\u0301" * 500
    assert answer(json.dumps({"type": "chat", "text": decomposed})) == ChatIn(text=decomposed)
    assert answer(json.dumps({"type": "chat", "text": "e\u0301" * 501})) == "text_too_long"
    thought = "\u00e4" * 6_000
    assert answer(f'{{"type":"agent_thought","turnId":"t","text":"{thought}"}}') == AgentThoughtIn(
        turn_id="t", text=thought
    )
    assert answer(f'{{"type":"agent_thought","turnId":"t","text":"{thought}x"}}') == "text_too_long"


def test_there_is_one_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second parser reads the bytes: what was checked is what is used."""
    calls: list[object] = []
    parse = json.loads

    def counted(text: str, **hooks: object) -> object:
        calls.append(text)
        return parse(text, **hooks)  # type: ignore[arg-type]  # handed through as they came

    monkeypatch.setattr(json, "loads", counted)
    assert answer('{"type":"ping"}') == Ping()
    assert len(calls) == 1


VALUES: Final[st.SearchStrategy[object]] = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        1,
        99,
        2**60,
        0.5,
        1e300,
        "",
        "x",
        "fold",
        "raise",
        "\0",
        "\u200b",
        "\ud800",
        [],
        [1],
        {},
    ]
)
FIELDS: Final = st.sampled_from(
    [
        "seat",
        "buyIn",
        "amount",
        "turnId",
        "action",
        "text",
        "power",
        "target",
        "when",
        "echo",
        "requestId",
        "agentToken",
    ]
)
TYPES: Final = st.sampled_from(["sit", "action", "chat", "use_power", "ping", "enter", "resume", "sit_out", "nope"])


@given(st.fixed_dictionaries({"type": TYPES}), st.dictionaries(FIELDS, VALUES, max_size=5))
def test_any_object_is_a_message_or_a_refusal(kind: dict[str, object], fields: dict[str, object]) -> None:
    """Whatever the fields hold, the answer is one of the two."""
    got = answer(json.dumps(kind | fields))
    assert not isinstance(got, str) or got in SHAPE_CODES


@given(
    st.one_of(
        st.binary(max_size=200), st.text(alphabet='{}[]",:\\ud8\x00-0.1eNtypactionchat ', max_size=200).map(str.encode)
    )
)
def test_any_bytes_are_a_message_or_a_refusal(data: bytes) -> None:
    """Nothing but the two families of refusal comes out of the decoder."""
    answer(data)


def test_codes_of_the_shape_are_of_the_closed_list() -> None:
    """The codes named here are codes that a client can look up."""
    assert {str(code) for code in ErrorCode} >= SHAPE_CODES
