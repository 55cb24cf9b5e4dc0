"""A turn and a hand's turns as JSON, as readers get them: names of the wire, times in Unix milliseconds, money as exact text.

A part that is not there is absent, and `missing` says why. Texts come back as they were: a lone surrogate is `\\udXXX` in JSON.
Bytes that are no UTF-8 stand as lone surrogates from `\\udc80` on, as Python's `surrogateescape` has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias, assert_never

import msgspec

from capture.assembly import AgentTurns, FallenBack, Gone, HandTurn
from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn, Verdict, VerdictOutcome
from capture.ledger import Charge
from capture.reading_charges import RecentHand
from capture.record import MissingReason, Move, TurnKey
from policy.ids import HandNumber, TableId

Document: TypeAlias = dict[str, Any]
_ALL: Final = "all"


def encode(document: Document) -> bytes:
    """JSON in UTF-8."""
    return msgspec.json.encode(document)


def agent_document(found: AgentTurns) -> Document:
    """One agent's turns of a hand."""
    hand = found.hand
    return {
        "tableId": _text(hand.table_id),
        "handNumber": hand.hand_number,
        "agentId": _text(hand.agent_id),
        "turns": [turn_document(turn) for turn in found.turns],
        "missing": _all_missing(found.nothing),
    }


def hand_document(
    table_id: TableId, hand_number: HandNumber, found: Sequence[AgentTurns], nothing: MissingReason | None
) -> Document:
    """Every agent's turns of a hand, in the order of play."""
    turns = [turn for agent in found for turn in agent.turns]
    in_order = sorted(turns, key=lambda turn: (_key(turn).action_index, _key(turn).agent_id))
    return {
        "tableId": _text(table_id),
        "handNumber": hand_number,
        "agents": [_text(agent.hand.agent_id) for agent in found],
        "turns": [turn_document(turn) for turn in in_order],
        "missing": _all_missing(nothing),
    }


def recent_document(hand: RecentHand, *, in_play: bool, captured: bool | None) -> Document:
    """A hand of late. `captured`: whether any of its turns is there to be read; None: the buffer does not say."""
    return {
        "tableId": _text(hand.table_id),
        "handNumber": hand.hand_number,
        "lastTurnAt": hand.last_at_us // 1_000,
        "turns": hand.decided + hand.fallbacks,
        "decided": hand.decided,
        "fallbacks": hand.fallbacks,
        "fallbackOnly": hand.decided == 0,
        "expired": None if captured is None else hand.decided > 0 and not captured,
        "inPlay": in_play,
        "costUsd": money(hand.cost_usd),
        "unpricedCalls": hand.unpriced_calls,
        "agents": [{"agentId": _text(agent_id), "decided": decided} for agent_id, decided in hand.agents],
    }


def turn_document(turn: HandTurn) -> Document:
    """One turn."""
    match turn:
        case CapturedTurn():
            return _captured(turn)
        case FallenBack(charge=charge):
            return {
                **_of_key(charge.key),
                **_of_charge(charge),
                "isFallback": True,
                "reason": _text(charge.reason or ""),
                "missing": _all_missing(MissingReason.NO_DECISION),
            }
        case Gone(key=key, reason=reason, charge=known):
            of_ledger = {} if known is None else _of_charge(known)
            return {**_of_key(key), **of_ledger, "isFallback": False, "missing": _all_missing(reason)}
        case _:
            assert_never(turn)


def money(usd: Decimal) -> str:
    """In plain digits, without zeros at the end."""
    plain = format(usd, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _captured(turn: CapturedTurn) -> Document:
    call = turn.deciding_call
    return {
        **_of_key(turn.key),
        **_version(turn.agent_version_id),
        "capturedAt": turn.at_us // 1_000,
        **_parts(turn),
        "action": _text(turn.chosen.action),
        "amount": turn.chosen.amount,
        "verdict": _verdict(turn.verdict),
        "isFallback": False,
        "provider": None if call is None else _text(call.provider),
        "model": None if call is None else _text(call.model),
        "promptVersion": _text_or_none(turn.prompt_version),
        "temperature": turn.temperature,
        "seed": turn.seed,
        "maxTokens": turn.max_tokens,
        "inputTokens": _sum(each.input_tokens for each in turn.calls),
        "outputTokens": _sum(each.output_tokens for each in turn.calls),
        "costUsd": _cost(turn.calls),
        "latencyMs": turn.latency_ms,
        "calls": [_call(each, deciding=n == turn.deciding) for n, each in enumerate(turn.calls)],
        "missing": {part.value: reason.value for part, reason in turn.missing.items()},
    }


def _parts(turn: CapturedTurn) -> Document:
    """The four parts, as far as they are there."""
    parts: Document = {}
    if not isinstance(turn.knowledge, MissingReason):
        parts["knowledge"] = msgspec.Raw(turn.knowledge)
    if (call := turn.deciding_call) is not None:
        parts |= _prompt(call.prompt)
        parts |= {} if call.completion is None else {"response": _text(call.completion)}
    if not isinstance(turn.messages, MissingReason):
        parts["decision"] = [msgspec.Raw(message) for message in turn.messages]
    return parts


def _prompt(prompt: CapturedPrompt | MissingReason) -> Document:
    if isinstance(prompt, MissingReason):
        return {}
    return {
        "prompt": _text_of(prompt.whole),
        "promptSha256": prompt.fingerprint.sha256.hex(),
        "promptBytes": prompt.fingerprint.length_bytes,
        "envelopeSha256": prompt.envelope_hash.hex(),
    }


def _call(call: CapturedCall, *, deciding: bool) -> Document:
    body = {} if isinstance(call.request_body, MissingReason) else {"requestBody": _text_of(call.request_body)}
    return {
        "attempt": call.attempt,
        "purpose": call.purpose.value,
        "outcome": call.outcome.value,
        "deciding": deciding,
        "provider": _text(call.provider),
        "model": _text(call.model),
        # The deciding call's prompt and response are the turn's.
        **({} if deciding else {**_prompt(call.prompt), "response": _text_or_none(call.completion)}),
        **body,
        "responseBody": _text_of(call.response_body),
        "finishReason": _text_or_none(call.finish_reason),
        "inputTokens": call.input_tokens,
        "outputTokens": call.output_tokens,
        "costUsd": None if call.cost_usd is None else money(call.cost_usd),
        "latencyMs": call.latency_ms,
    }


def _verdict(verdict: Verdict) -> Document:
    document: Document = {"outcome": verdict.outcome.value, "historyGap": verdict.history_gap}
    if verdict.outcome is VerdictOutcome.CHANGED and verdict.chosen is not None and verdict.sent is not None:
        document |= {"from": _move(verdict.chosen), "to": _move(verdict.sent)}
        document |= {} if verdict.why is None else {"why": _text(verdict.why)}
    return document


def _move(move: Move) -> Document:
    return {"action": _text(move.action), "amount": move.amount}


def _of_key(key: TurnKey) -> Document:
    return {
        "tableId": _text(key.table_id),
        "handNumber": key.hand_number,
        "agentId": _text(key.agent_id),
        "actionIndex": key.action_index,
    }


def _of_charge(charge: Charge) -> Document:
    """What the ledger knows of a turn."""
    return {
        **_version(charge.agent_version_id),
        "capturedAt": charge.at_us // 1_000,
        "provider": _text_or_none(charge.provider),
        "model": _text_or_none(charge.model),
        "inputTokens": charge.input_tokens,
        "outputTokens": charge.output_tokens,
        "costUsd": money(charge.cost_usd),
        "latencyMs": charge.latency_ms,
    }


def _version(version_id: str | None) -> Document:
    return {} if version_id is None else {"agentVersionId": _text(version_id)}


def _all_missing(reason: MissingReason | None) -> Mapping[str, str]:
    return {} if reason is None else {_ALL: reason.value}


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
