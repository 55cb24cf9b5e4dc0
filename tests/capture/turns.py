"""Finished turns to charge, capture and keep."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from capture.record import (
    Call,
    CallOutcome,
    Decided,
    FellBack,
    FinishedTurn,
    MissingReason,
    Move,
    Outcome,
    Prompt,
    Purpose,
    TurnKey,
)
from policy.ids import ActionIndex, AgentId, AgentVersionId, HandNumber, TableId

NOON_US = 1_700_000_000_000_000
"""2023-11-14, a little after ten in the evening."""


def key(agent: str = "a1", hand: int = 7, index: int = 3, table: str = "t1") -> TurnKey:
    return TurnKey(AgentId(agent), TableId(table), HandNumber(hand), ActionIndex(index))


def call(**changed: Any) -> Call:
    prompt = changed.get("prompt", Prompt(b"You play poker.", b"It is your turn."))
    whole = Call(
        attempt=0,
        purpose=Purpose.DECISION,
        outcome=CallOutcome.ANSWERED,
        provider="openai",
        model="gpt-x",
        prompt=prompt,
        request_body=b'{"model":"gpt-x"}',
        response_body=b'{"choices":[]}',
        completion='{"action":"call"}',
        finish_reason="stop",
        input_tokens=900,
        output_tokens=40,
        cost_usd=Decimal("0.1"),
        latency_ms=700,
    )
    return replace(whole, **changed)


def decided(*calls: Call, **changed: Any) -> Decided:
    made = calls or (call(),)
    whole = Decided(calls=made, deciding=len(made) - 1, chosen=Move("call"), sent=Move("call"))
    return replace(whole, **changed)


def fell_back(*calls: Call, reason: str = "timed_out") -> FellBack:
    return FellBack(calls=calls, sent=Move("fold"), reason=reason)


def turn(
    at: TurnKey | None = None,
    outcome: Outcome | None = None,
    *,
    knowledge: object = MissingReason.BEFORE_CAPTURE,
    messages: tuple[bytes, ...] | MissingReason = (b'{"type":"action","action":"call"}',),
    **changed: Any,
) -> FinishedTurn:
    whole = FinishedTurn(
        key=at or key(),
        agent_version_id=AgentVersionId("v1"),
        at_us=NOON_US,
        knowledge={"board": ["As", "Kd"]} if knowledge is MissingReason.BEFORE_CAPTURE else knowledge,
        messages=messages,
        prompt_version="p1",
        temperature=0.5,
        seed=7,
        max_tokens=400,
        history_gap=False,
        latency_ms=800,
        outcome=outcome or decided(),
    )
    return replace(whole, **changed)
