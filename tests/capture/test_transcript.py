"""A captured turn goes to bytes and back without a loss, whatever it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from capture import transcript
from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn, Part, Verdict, VerdictOutcome
from capture.envelope import fingerprint_of, hash_of, join
from capture.errors import UnreadableRecord
from capture.record import CallOutcome, Decided, FinishedTurn, MissingReason, Move, Prompt, Purpose
from tests.capture.buffers import maker
from tests.capture.turns import call, decided, turn

ODD = "\x00 \ud83d \udc00\ud83d \\ \\u0000 é 😀 \x7f\u2028"


def captured(finished: FinishedTurn) -> CapturedTurn:
    assert isinstance(finished.outcome, Decided)
    return maker().captured(finished, finished.outcome)


def back(kept: CapturedTurn) -> CapturedTurn:
    return transcript.decode(transcript.encode(kept), dict(transcript.envelopes_of(kept)).get)


TEXT = st.text(alphabet=st.characters() | st.characters(categories=["Cs"]))
WORD = TEXT | st.none()
NUMBER = st.integers(-(2**63), 2**64 - 1)
REASON = st.sampled_from(MissingReason)
MOVE = st.builds(Move, TEXT, NUMBER | st.none())
USD = st.decimals(allow_nan=False, allow_infinity=False) | st.none()


@st.composite
def prompts(draw: Callable[..., Any]) -> CapturedPrompt:
    envelope, remainder = draw(st.binary() | TEXT.map(utf8)), draw(st.binary() | TEXT.map(utf8))
    return CapturedPrompt(hash_of(envelope), envelope, remainder, fingerprint_of(join(envelope, remainder)))


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def calls(draw: Callable[..., Any]) -> CapturedCall:
    prompt = draw(prompts() | REASON)
    body = draw(st.binary() | REASON)
    if isinstance(prompt, CapturedPrompt) and draw(st.booleans()):
        said = {"head": draw(TEXT), "content": prompt.whole.decode(errors="replace"), "tail": 1}
        body = json.dumps(said, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    return CapturedCall(
        draw(NUMBER), draw(st.sampled_from(Purpose)), draw(st.sampled_from(CallOutcome)), draw(TEXT), draw(TEXT),
        prompt, body, draw(st.binary()), draw(WORD), draw(WORD), draw(NUMBER | st.none()), draw(NUMBER | st.none()),
        draw(USD), draw(NUMBER),
    )  # fmt: skip


@st.composite
def turns(draw: Callable[..., Any]) -> CapturedTurn:
    said = draw(st.lists(calls(), max_size=3).map(tuple))
    return replace(
        captured(turn()),
        key=replace(turn().key, agent_id=draw(TEXT), table_id=draw(TEXT), hand_number=draw(NUMBER)),
        agent_version_id=draw(WORD), knowledge=draw(st.binary() | REASON),
        messages=draw(st.lists(st.binary()).map(tuple) | REASON), calls=said,
        deciding=draw(st.integers(0, max(0, len(said) - 1))), chosen=draw(MOVE), sent=draw(MOVE), why=draw(WORD),
        history_gap=draw(st.booleans()), prompt_version=draw(WORD), seed=draw(NUMBER | st.none()),
        temperature=draw(st.floats(allow_nan=False) | st.none()), max_tokens=draw(NUMBER | st.none()),
    )  # fmt: skip


@given(turns())
def test_every_turn_comes_back(kept: CapturedTurn) -> None:
    """With its envelopes beside it, and in the form that stands by itself."""
    assert back(kept) == kept
    assert transcript.decode_whole(transcript.encode_whole(kept)) == kept
    assert transcript.hashes_in(transcript.encode(kept)) == transcript.envelopes_of(kept).keys()


@pytest.mark.parametrize("whole", ["short", 'a "quoted"\nline\t\x1f\x7f/', "é 😀 \u2028", "x" * 5_000])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_request_body_comes_back_byte_for_byte_and_repeats_no_prompt(whole: str, ascii_only: bool) -> None:
    """However a client escapes other letters; a body that does not hold the prompt is kept as it is."""
    envelope, remainder = whole.encode(), b"rest\n"
    content = {"messages": [{"content": join(envelope, remainder).decode()}], "seed": 1}
    body = json.dumps(content, ensure_ascii=ascii_only).encode()
    for each in (body, body.replace(b"rest", b"best"), b"", b"\xff" + body, body + body):
        kept = captured(turn(outcome=decided(call(prompt=Prompt(envelope, remainder), request_body=each))))
        assert back(kept).calls[0].request_body == each
    kept = captured(turn(outcome=decided(call(prompt=Prompt(envelope * 9, remainder), request_body=b""))))
    with_body = json.dumps({"content": join(envelope * 9, remainder).decode()}, ensure_ascii=ascii_only).encode()
    again = captured(turn(outcome=decided(call(prompt=Prompt(envelope * 9, remainder), request_body=with_body))))
    assert len(transcript.encode(again)) <= len(transcript.encode(kept)) + 40


def test_odd_texts_and_large_ones_come_back() -> None:
    """NUL, half a character, two megabytes, and three hundred levels of JSON."""
    deep = "[" * 300 + "]" * 300
    for text in (ODD, "x" * 2_000_000, deep):
        kept = captured(turn(outcome=decided(call(completion=text, response_body=utf8(text)))))
        assert (said := back(kept).deciding_call) and said.completion == text and said.response_body == utf8(text)


def test_an_exact_cost_stays_exact() -> None:
    """A tenth is a tenth, and its zeros are its own."""
    kept = captured(turn(outcome=decided(call(cost_usd=Decimal("0.10")))))
    assert (said := back(kept).deciding_call) and str(said.cost_usd) == "0.10"


@pytest.mark.parametrize("gone", ["knowledge", "messages"])
def test_captured_and_empty_is_not_missing(gone: str) -> None:
    """An empty list stays one, and a reason stays a reason."""
    empty: dict[str, Any] = {"knowledge": [], "messages": ()}
    kept = back(captured(turn(**{gone: empty[gone]})))
    assert not kept.missing and getattr(kept, gone) in (b"[]", ())
    part = {"knowledge": Part.KNOWLEDGE, "messages": Part.DECISION}[gone]
    changed: Any = {gone: MissingReason.BEFORE_CAPTURE}
    untold = replace(kept, **changed)
    assert back(untold).missing == {part: MissingReason.BEFORE_CAPTURE}


def test_a_turn_of_which_no_call_was_told_misses_prompt_and_response() -> None:
    """And has the rest."""
    kept = back(captured(turn(outcome=Decided((), 0, Move("call"), Move("call")))))
    untold = MissingReason.BEFORE_CAPTURE
    assert kept.deciding_call is None and kept.missing == {Part.PROMPT: untold, Part.RESPONSE: untold}


@pytest.mark.parametrize(
    ("chosen", "sent", "why", "verdict"),
    [
        (Move("call"), Move("call"), None, Verdict(VerdictOutcome.AS_CHOSEN, False)),
        (Move("bet", 9), Move("bet", 5), "clamped", Verdict(VerdictOutcome.CHANGED, False, Move("bet", 9), Move("bet", 5), "clamped")),
        (Move("check"), Move("fold"), None, Verdict(VerdictOutcome.CHANGED, False, Move("check"), Move("fold"), None)),
    ],
)  # fmt: skip
def test_the_verdict(chosen: Move, sent: Move, why: str | None, verdict: Verdict) -> None:
    """As chosen, or changed from what to what and why; beside it, whether the agent knew less than the table."""
    outcome = decided(chosen=chosen, sent=sent, why=why)
    assert back(captured(turn(outcome=outcome))).verdict == verdict
    assert back(captured(turn(outcome=outcome, history_gap=True))).verdict == replace(verdict, history_gap=True)


def test_a_prompt_that_was_tampered_with_is_not_whole() -> None:
    """A byte in the envelope or in the remainder is enough."""
    (prompt,) = (each.prompt for each in captured(turn()).calls)
    assert isinstance(prompt, CapturedPrompt) and prompt.is_whole
    assert not replace(prompt, envelope=prompt.envelope + b" ").is_whole
    assert not replace(prompt, remainder=b"").is_whole


@pytest.mark.parametrize("damage", ["empty", "other", "cut", "noise", "unpacked", "large", "sizeless"])
def test_damaged_bytes_are_no_record(damage: str) -> None:
    """In one kind of error, that repeats nothing of them."""
    whole = transcript.encode(captured(turn()))
    bomb = zstandard.ZstdCompressor(write_content_size=False).compress(b"marker" * 99)
    spoiled = {
        "empty": b"", "other": b"\x09" + whole[1:], "cut": whole[:-3], "noise": whole[:20] + b"marker" + whole[26:],
        "unpacked": whole[:1] + zstandard.compress(b"marker"), "sizeless": whole[:1] + bomb,
        "large": whole[:1] + bytes.fromhex("28b52ffde0") + (2**40).to_bytes(8, "little"),
    }[damage]  # fmt: skip
    for read in (lambda: transcript.decode(spoiled, dict(transcript.envelopes_of(captured(turn()))).get),
                 lambda: transcript.hashes_in(spoiled), lambda: transcript.decode_whole(b"\x02" + spoiled[1:])):  # fmt: skip
        with pytest.raises(UnreadableRecord) as refused:
            read()
        assert "marker" not in str(refused.value)


def test_a_record_with_values_that_no_turn_has_is_no_record() -> None:
    """A word outside a closed list, a call that is not there, a cost that is no number."""
    kept = captured(turn())
    for wrong in (replace(kept, deciding=7), replace(kept, calls=(replace(kept.calls[0], cost_usd="much"),))):  # type: ignore[arg-type]
        with pytest.raises(UnreadableRecord):
            back(wrong)
