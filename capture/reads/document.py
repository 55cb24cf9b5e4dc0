"""Captured turns as the models that readers get (`capture.reads.shapes`).

Texts come back as they were: a lone surrogate is `\\udXXX` in JSON. Bytes that are no UTF-8 stand as lone surrogates from `\\udc80`
on, as Python's `surrogateescape` has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final, assert_never

import msgspec

from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn, Part, Verdict, VerdictOutcome
from capture.hand import Hand
from capture.ledger.ledger import Charge
from capture.reads.assembly import AgentTurns, FallenBack, Gone, HandTurn
from capture.reads.operator_read import EveryAgentsTurns, Recent
from capture.reads.promote import Promoted
from capture.reads.shapes import (
    AgentTurnsShape,
    CallShape,
    HandNameShape,
    HandNamesShape,
    HandTurnsShape,
    KeptShape,
    MoveShape,
    PromotedShape,
    RecentAgentShape,
    RecentHandShape,
    RecentHandsShape,
    TurnShape,
    VerdictShape,
)
from capture.record import MissingReason, Move, TurnKey

_US_A_MS: Final = 1_000


def encode(document: msgspec.Struct) -> bytes:
    """JSON in UTF-8."""
    return msgspec.json.encode(document)


def of_agent(found: AgentTurns) -> AgentTurnsShape:
    """One agent's turns of a hand."""
    hand = found.hand
    return AgentTurnsShape(
        table_id=_text(hand.table_id),
        hand_number=hand.hand_number,
        agent_id=_text(hand.agent_id),
        turns=[of_turn(turn) for turn in found.turns],
        missing=_all_missing(found.nothing),
    )


def of_hand(found: EveryAgentsTurns) -> HandTurnsShape:
    """Every agent's turns of a hand, in the order of play."""
    turns = [turn for agent in found.agents for turn in agent.turns]
    in_order = sorted(turns, key=lambda turn: (_key(turn).action_index, _key(turn).agent_id))
    return HandTurnsShape(
        table_id=_text(found.table_id),
        hand_number=found.hand_number,
        agents=[_text(agent.hand.agent_id) for agent in found.agents],
        turns=[of_turn(turn) for turn in in_order],
        missing=_all_missing(found.nothing),
    )


def of_recent(found: Sequence[Recent], *, asked_for: int) -> RecentHandsShape:
    """A page of hands of late."""
    before = found[-1].hand.last_at_us if len(found) == asked_for else None
    return RecentHandsShape(hands=[_recent(each) for each in found], before=before)


def of_promoted(promoted: Promoted) -> PromotedShape:
    """What came of keeping."""
    return PromotedShape(status=promoted.status.value, turns=promoted.turns, missing=list(promoted.missing))


def of_kept(promoted: Promoted, until_us: int | None) -> KeptShape:
    """What came of keeping, and until when it is kept."""
    return KeptShape(
        status=promoted.status.value,
        turns=promoted.turns,
        missing=list(promoted.missing),
        kept_until=None if until_us is None else until_us // _US_A_MS,
    )


def of_hands(hands: Iterable[Hand]) -> HandNamesShape:
    """Hands by name."""
    named = [HandNameShape(table_id=_text(hand.table_id), hand_number=hand.hand_number) for hand in hands]
    return HandNamesShape(hands=named)


def of_turn(turn: HandTurn) -> TurnShape:
    """One turn."""
    match turn:
        case CapturedTurn():
            return _captured(turn)
        case FallenBack(charge=charge):
            reason, missing = _text(charge.reason or ""), _all_missing(MissingReason.NO_DECISION)
            return _of_ledger(charge.key, charge, is_fallback=True, missing=missing, reason=reason)
        case Gone(key=key, reason=why, charge=known):
            return _of_ledger(key, known, is_fallback=False, missing=_all_missing(why))
        case _:
            assert_never(turn)


def money(usd: Decimal) -> str:
    """In plain digits, without zeros at the end."""
    plain = format(usd, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _captured(turn: CapturedTurn) -> TurnShape:
    call = turn.deciding_call
    return TurnShape(
        **_of_key(turn.key),
        **_version(turn.agent_version_id),
        **_parts(turn),
        captured_at=turn.at_us // _US_A_MS,
        action=_text(turn.chosen.action),
        amount=turn.chosen.amount,
        verdict=_verdict(turn.verdict),
        is_fallback=False,
        provider=None if call is None else _text(call.provider),
        model=None if call is None else _text(call.model),
        prompt_version=_text_or_none(turn.prompt_version),
        temperature=turn.temperature,
        seed=turn.seed,
        max_tokens=turn.max_tokens,
        input_tokens=_sum(each.input_tokens for each in turn.calls),
        output_tokens=_sum(each.output_tokens for each in turn.calls),
        cost_usd=_cost(turn.calls),
        latency_ms=turn.latency_ms,
        calls=[_call(each, deciding=n == turn.deciding) for n, each in enumerate(turn.calls)],
        missing={part.value: reason.value for part, reason in turn.missing.items()},
    )


def _parts(turn: CapturedTurn) -> dict[str, Any]:
    """The four parts, as far as they are there."""
    parts: dict[str, Any] = {}
    if not isinstance(turn.knowledge, MissingReason):
        parts["knowledge"] = msgspec.Raw(turn.knowledge)
    if (call := turn.deciding_call) is not None:
        parts |= _prompt(call.prompt)
        parts |= {} if call.completion is None else {"response": _text(call.completion)}
    if not isinstance(turn.messages, MissingReason):
        parts["decision"] = [msgspec.Raw(message) for message in turn.messages]
    return parts


def _prompt(prompt: CapturedPrompt | MissingReason) -> dict[str, Any]:
    if isinstance(prompt, MissingReason):
        return {}
    return {
        "prompt": _text_of(prompt.whole),
        "prompt_sha256": prompt.fingerprint.sha256.hex(),
        "prompt_bytes": prompt.fingerprint.length_bytes,
        "envelope_sha256": prompt.envelope_hash.hex(),
    }


def _call(call: CapturedCall, *, deciding: bool) -> CallShape:
    own = {} if deciding else {**_prompt(call.prompt), "response": _text_or_none(call.completion)}
    body = {} if isinstance(call.request_body, MissingReason) else {"request_body": _text_of(call.request_body)}
    return CallShape(
        attempt=call.attempt,
        purpose=call.purpose.value,
        outcome=call.outcome.value,
        deciding=deciding,
        provider=_text(call.provider),
        model=_text(call.model),
        **own,
        **body,
        response_body=_text_of(call.response_body),
        finish_reason=_text_or_none(call.finish_reason),
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost_usd=None if call.cost_usd is None else money(call.cost_usd),
        latency_ms=call.latency_ms,
    )


def _verdict(verdict: Verdict) -> VerdictShape:
    outcome, gap = verdict.outcome.value, verdict.history_gap
    if verdict.outcome is not VerdictOutcome.CHANGED or verdict.chosen is None or verdict.sent is None:
        return VerdictShape(outcome=outcome, history_gap=gap)
    why = msgspec.UNSET if verdict.why is None else _text(verdict.why)
    return VerdictShape(outcome=outcome, history_gap=gap, from_=_move(verdict.chosen), to=_move(verdict.sent), why=why)


def _move(move: Move) -> MoveShape:
    return MoveShape(action=_text(move.action), amount=move.amount)


def _of_key(key: TurnKey) -> dict[str, Any]:
    return {
        "table_id": _text(key.table_id),
        "hand_number": key.hand_number,
        "agent_id": _text(key.agent_id),
        "action_index": key.action_index,
    }


def _of_ledger(key: TurnKey, charge: Charge | None, **fields: Any) -> TurnShape:
    """A turn of which there is at most what the ledger knows."""
    if charge is None:
        return TurnShape(**_of_key(key), **fields)
    return TurnShape(
        **_of_key(key),
        **_version(charge.agent_version_id),
        **fields,
        captured_at=charge.at_us // _US_A_MS,
        provider=_text_or_none(charge.provider),
        model=_text_or_none(charge.model),
        input_tokens=charge.input_tokens,
        output_tokens=charge.output_tokens,
        cost_usd=money(charge.cost_usd),
        latency_ms=charge.latency_ms,
    )


def _recent(recent: Recent) -> RecentHandShape:
    hand = recent.hand
    return RecentHandShape(
        table_id=_text(hand.table_id),
        hand_number=hand.hand_number,
        last_turn_at=hand.last_at_us // _US_A_MS,
        turns=hand.decided + hand.fallbacks,
        decided=hand.decided,
        fallbacks=hand.fallbacks,
        fallback_only=hand.decided == 0,
        expired=_is_expired(recent),
        in_play=recent.in_play,
        cost_usd=money(hand.cost_usd),
        unpriced_calls=hand.unpriced_calls,
        agents=[RecentAgentShape(agent_id=_text(agent_id), decided=decided) for agent_id, decided in hand.agents],
    )


def _is_expired(recent: Recent) -> bool | None:
    if recent.hand.decided == 0 or recent.captured is True:
        return False
    return None if recent.captured is None else True


def _version(version_id: str | None) -> dict[str, Any]:
    return {} if version_id is None else {"agent_version_id": _text(version_id)}


def _all_missing(reason: MissingReason | None) -> dict[str, str]:
    return {} if reason is None else {Part.ALL.value: reason.value}


def _key(turn: HandTurn) -> TurnKey:
    return turn.charge.key if isinstance(turn, FallenBack) else turn.key


def _sum(numbers: Iterable[int | None]) -> int | None:
    """What is known of it; None where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _cost(calls: Sequence[CapturedCall]) -> str | None:
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    return money(sum(known, Decimal(0))) if known else None


def _text_of(exact: bytes) -> Any:
    return _text(exact.decode("utf-8", "surrogateescape"))


def _text_or_none(text: str | None) -> Any:
    return None if text is None else _text(text)


def _text(text: str) -> Any:
    """A text for the encoder, which takes no lone surrogates: such a one is written as JSON beforehand."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return msgspec.Raw(json.dumps(text).encode())
    return text
