"""A captured turn as its page draws it: every text made exact, every absence put into words. It decides nothing about who may read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from markupsafe import Markup

from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn, VerdictOutcome
from capture.reads.assembly import FallenBack, Gone, HandTurn
from capture.record import MissingReason, Purpose
from railbird.pages.absences import EMPTY, OF_A_PART
from railbird.pages.exact_text import ExactText, exact, word
from railbird.pages.glance import Glance, glance_of
from railbird.pages.laid_out import is_shallow, laid_out, read_json
from railbird.pages.turn_facts import Facts, charged, facts_of, figures_of, move_of

_NOTHING: Final = Markup("")
_MOST_PIECES: Final = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a part. `label`: our own words, or a `word`. `closed`: it is behind its label until somebody opens it. `prose`: words, not code."""

    label: str
    text: ExactText
    closed: bool = False
    prose: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What it knew, was told, said, or sent. `absent`: why it is not there, or that it is empty; else there are pieces."""

    name: str
    title: str
    pieces: tuple[Piece, ...] = ()
    absent: str = ""


@dataclass(frozen=True, slots=True)
class OtherCall:
    """A call to a model that did not decide."""

    title: Markup
    facts: Facts
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """`number`: from 1, of this agent's turns. `kind`: `decided`, `fallback` or `gone`. `verdict`: `as_chosen`, `changed` or nothing.

    `move`: what it chose. `sent`, `why`: only where that was changed on the way out.
    """

    number: int
    action_index: int
    kind: str
    facts: Facts
    move: Markup = _NOTHING
    verdict: str = ""
    sent: Markup = _NOTHING
    why: Markup = _NOTHING
    history_gap: bool = False
    glance: Glance | None = None
    parts: tuple[Part, ...] = ()
    others: tuple[OtherCall, ...] = ()
    absent: str = ""


def drawn(turns: Sequence[HandTurn]) -> list[DrawnTurn]:
    """An agent's turns of a hand, in order."""
    return [_drawn(number, turn) for number, turn in enumerate(turns, start=1)]


def _drawn(number: int, turn: HandTurn) -> DrawnTurn:
    match turn:
        case CapturedTurn():
            return _decided(number, turn)
        case FallenBack(charge=charge):
            key, why = charge.key, word(charge.reason or "no reason told")
            return DrawnTurn(number, key.action_index, "fallback", charged(charge), why=why)
        case Gone(key=key, reason=reason, charge=known):
            return DrawnTurn(number, key.action_index, "gone", charged(known), absent=OF_A_PART[reason])
        case _:
            assert_never(turn)


def _decided(number: int, turn: CapturedTurn) -> DrawnTurn:
    changed = turn.verdict.outcome is VerdictOutcome.CHANGED
    return DrawnTurn(
        number=number,
        action_index=turn.key.action_index,
        kind="decided",
        facts=facts_of(turn),
        move=move_of(turn.chosen),
        verdict=turn.verdict.outcome.value,
        sent=move_of(turn.sent) if changed else _NOTHING,
        why=word(turn.why) if changed and turn.why else _NOTHING,
        history_gap=turn.history_gap,
        glance=None if isinstance(turn.knowledge, MissingReason) else glance_of(read_json(turn.knowledge)),
        parts=(_knew(turn), _told(turn), _said(turn), _left(turn)),
        others=tuple(_other(call) for n, call in enumerate(turn.calls) if n != turn.deciding),
    )


# --- the four parts -----------------------------------------------------------------------------------------------------


def _part(name: str, title: str, found: Sequence[Piece] | MissingReason) -> Part:
    if isinstance(found, MissingReason):
        return Part(name, title, absent=OF_A_PART[found])
    if not found or (len(found) == 1 and found[0].text.is_empty):
        return Part(name, title, absent=EMPTY)
    return Part(name, title, tuple(found))


def _knew(turn: CapturedTurn) -> Part:
    title = "What it knew"
    if isinstance(turn.knowledge, MissingReason):
        return _part("knew", title, turn.knowledge)
    known = read_json(turn.knowledge)
    if known is None or known in ({}, [], ""):
        return Part("knew", title, absent=EMPTY)
    return _part("knew", title, [*_known_pieces(known, turn.knowledge)])


def _known_pieces(known: object, whole: bytes) -> Iterator[Piece]:
    """One for each thing by name; what has no names is one piece, as it was written."""
    if not isinstance(known, dict) or len(known) > _MOST_PIECES or not is_shallow(known):
        yield Piece("all of it, as JSON", exact(whole), closed=True)
        return
    for name, value in known.items():
        yield Piece(word(name), exact(laid_out(value)), closed=True, note=_size(value))


def _told(turn: CapturedTurn) -> Part:
    call = turn.deciding_call
    found = MissingReason.BEFORE_CAPTURE if call is None else call.prompt
    return _part("told", "What it was told", found if isinstance(found, MissingReason) else _prompt_pieces(found))


def _prompt_pieces(prompt: CapturedPrompt) -> list[Piece]:
    if not prompt.whole:
        return []
    return [
        Piece("What every turn begins with (the envelope)", exact(prompt.envelope), closed=True),
        Piece("What this turn added (the remainder)", exact(prompt.remainder), note=_fingerprint(prompt)),
    ]


def _fingerprint(prompt: CapturedPrompt) -> str:
    is_whole = "these are the bytes that were sent" if prompt.is_whole else "these are NOT the bytes that were sent"
    fingerprint = prompt.fingerprint
    return f"Both together: {fingerprint.length_bytes:,} bytes, SHA-256 {fingerprint.sha256.hex()}; {is_whole}."


def _said(turn: CapturedTurn) -> Part:
    call, title = turn.deciding_call, "What it said"
    if call is None or call.completion is None:
        return _part("said", title, MissingReason.BEFORE_CAPTURE)
    if not call.completion:
        return Part("said", title, absent=EMPTY)
    return _part("said", title, [*_reasoning(call.completion), *_reply(call)])


def _reasoning(completion: str) -> Iterator[Piece]:
    """The reply's own reasoning, to read it without its quotes."""
    reply = read_json(completion.encode("utf-8", "surrogatepass"))
    if isinstance(reply, dict) and isinstance(reply.get("reasoning"), str) and reply["reasoning"]:
        yield Piece("Its reasoning", exact(reply["reasoning"]), prose=True)


def _reply(call: CapturedCall) -> Iterator[Piece]:
    yield Piece("The reply, before anything was read from it", exact(call.completion or ""))
    if call.response_body and call.response_body != (call.completion or "").encode("utf-8", "surrogatepass"):
        yield Piece("The whole answer of the provider", exact(call.response_body), closed=True)
    if isinstance(call.request_body, bytes) and call.request_body:
        yield Piece("The whole request", exact(call.request_body), closed=True)


def _left(turn: CapturedTurn) -> Part:
    found = turn.messages
    return _part("left", "What left", found if isinstance(found, MissingReason) else [*map(_message, found)])


def _message(message: bytes) -> Piece:
    read = read_json(message)
    kind = read.get("type") if isinstance(read, dict) else None
    return Piece(word(kind) if isinstance(kind, str) else "a message", exact(message))


def _other(call: CapturedCall) -> OtherCall:
    asked = "Asked again" if call.purpose is Purpose.REPAIR else "Asked"
    told: Sequence[Piece] = () if isinstance(call.prompt, MissingReason) else _prompt_pieces(call.prompt)
    said = () if call.completion is None else (Piece("The reply", exact(call.completion), closed=True),)
    return OtherCall(
        title=Markup("{} (attempt {}): {}").format(asked, call.attempt + 1, call.outcome.value.replace("_", " ")),
        facts=figures_of(call),
        pieces=(*told, *said),
    )


def _size(value: object) -> str:
    if isinstance(value, dict | list):
        return "none" if not value else f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return ""
