"""A captured turn as its page draws it: every text made exact, every absence put into words. It decides nothing about who may read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, assert_never

from markupsafe import Markup

from capture.assembly import FallenBack, Gone, HandTurn
from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn, VerdictOutcome
from capture.charge import Charge
from capture.document import money
from capture.record import MissingReason, Move, Purpose, TurnKey
from railbird.pages.absences import EMPTY, OF_A_PART
from railbird.pages.exact_text import ExactText, exact, word
from railbird.pages.glance import Glance, glance_of
from railbird.pages.laid_out import is_shallow, laid_out, read_json

_US_A_S: Final = 1_000_000
_NOTHING: Final = Markup("")
_MOST_PIECES: Final = 40
_VERBS: Final = {"raise": "raise to", "all_in": "all in"}


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
    facts: tuple[tuple[str, Markup], ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """`number`: from 1, of this agent's turns. `kind`: `decided`, `fallback` or `gone`. `verdict`: `as_chosen`, `changed` or nothing.

    `move`: what it chose. `sent`, `why`: only where that was changed on the way out.
    """

    number: int
    action_index: int
    kind: str
    facts: tuple[tuple[str, Markup], ...]
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


def when(at_us: int) -> str:
    """A time for people, in UTC."""
    return datetime.fromtimestamp(at_us / _US_A_S, UTC).strftime("%Y-%m-%d %H:%M UTC")


def dollars(usd: Decimal | None) -> str:
    """An exact price; a price that nobody knows is not nothing."""
    return "price not known" if usd is None else f"${money(usd)}"


def _drawn(number: int, turn: HandTurn) -> DrawnTurn:
    match turn:
        case CapturedTurn():
            return _decided(number, turn)
        case FallenBack(charge=charge):
            key, why = charge.key, word(charge.reason or "no reason told")
            return DrawnTurn(number, key.action_index, "fallback", _charged(key, charge), why=why)
        case Gone(key=key, reason=reason, charge=known):
            return DrawnTurn(number, key.action_index, "gone", _charged(key, known), absent=OF_A_PART[reason])
        case _:
            assert_never(turn)


def _decided(number: int, turn: CapturedTurn) -> DrawnTurn:
    changed = turn.verdict.outcome is VerdictOutcome.CHANGED
    return DrawnTurn(
        number=number,
        action_index=turn.key.action_index,
        kind="decided",
        facts=tuple(_facts(turn)),
        move=_move(turn.chosen),
        verdict=turn.verdict.outcome.value,
        sent=_move(turn.sent) if changed else _NOTHING,
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


# --- calls and facts ----------------------------------------------------------------------------------------------------


def _other(call: CapturedCall) -> OtherCall:
    asked = "Asked again" if call.purpose is Purpose.REPAIR else "Asked"
    told: Sequence[Piece] = () if isinstance(call.prompt, MissingReason) else _prompt_pieces(call.prompt)
    said = () if call.completion is None else (Piece("The reply", exact(call.completion), closed=True),)
    return OtherCall(
        title=Markup("{} (attempt {}): {}").format(asked, call.attempt + 1, call.outcome.value.replace("_", " ")),
        facts=(
            ("model", _model(call.provider, call.model)),
            ("tokens", _tokens(call.input_tokens, call.output_tokens)),
            ("cost", word(dollars(call.cost_usd))),
            ("took", word(_took(call.latency_ms))),
        ),
        pieces=(*told, *said),
    )


def _facts(turn: CapturedTurn) -> Iterator[tuple[str, Markup]]:
    call = turn.deciding_call
    if turn.agent_version_id is not None:
        yield "version", word(turn.agent_version_id)
    if call is not None:
        yield "model", _model(call.provider, call.model)
        yield (
            "tokens",
            _tokens(*(_sum([getattr(c, f"{way}_tokens") for c in turn.calls]) for way in ("input", "output"))),
        )
        yield "cost", word(_cost(turn.calls))
    yield "took", word(_took(turn.latency_ms))
    for name, value in (
        ("temperature", turn.temperature),
        ("seed", turn.seed),
        ("max. tokens", turn.max_tokens),
        ("prompt version", turn.prompt_version),
    ):
        if value is not None:
            yield name, word(str(value))
    yield "ended", word(when(turn.at_us))


def _charged(key: TurnKey, charge: Charge | None) -> tuple[tuple[str, Markup], ...]:
    """What the ledger knows of a turn that has no record."""
    if charge is None:
        return ()
    version = () if charge.agent_version_id is None else (("version", word(charge.agent_version_id)),)
    model = () if charge.model is None else (("model", _model(charge.provider or "", charge.model)),)
    return (
        *version,
        *model,
        ("tokens", _tokens(charge.input_tokens, charge.output_tokens)),
        ("cost", word(priced(charge.cost_usd, charge.unpriced_calls))),
        ("took", word(_took(charge.latency_ms))),
        ("ended", word(when(charge.at_us))),
    )


def priced(usd: Decimal, unpriced_calls: int) -> str:
    """What is known of a price, and of how many calls it is not."""
    calls = f"{unpriced_calls} {'call' if unpriced_calls == 1 else 'calls'}"
    return f"{dollars(usd)} and {calls} of unknown price" if unpriced_calls else dollars(usd)


def _cost(calls: Sequence[CapturedCall]) -> str:
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    return priced(sum(known, Decimal(0)), len(calls) - len(known)) if known else dollars(None)


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _tokens(told: int | None, said: int | None) -> Markup:
    return Markup("{} in, {} out").format(*("not told" if n is None else f"{n:,}" for n in (told, said)))


def _model(provider: str, model: str) -> Markup:
    return word(model) if provider in ("", model) else Markup("{} ({})").format(word(model), word(provider))


def _took(latency_ms: int) -> str:
    return f"{latency_ms:,} ms" if latency_ms < 1_000 else f"{latency_ms / 1_000:.2f} s"


def _move(move: Move) -> Markup:
    verb = _VERBS.get(move.action, move.action)
    return word(verb if move.amount is None else f"{verb} {move.amount:,}")


def _size(value: object) -> str:
    if isinstance(value, dict | list):
        return "none" if not value else f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return ""
