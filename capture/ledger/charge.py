"""What one turn cost: a row of the charges and a row for each of its calls. Made from a finished turn, and read back.

A turn without a decision has its row too: what it cost is spent. A cost that nobody knows is counted apart and never as nothing
(test_a_cost_that_is_not_known_is_counted_apart).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, assert_never

from sqlalchemy import Row

from capture.captured import CapturedTurn
from capture.durable.columns import exact_usd
from capture.record import Call, Decided, FellBack, FinishedTurn, Outcome, TurnKey
from policy.ids import ActionIndex, AgentId, AgentVersionId, HandNumber, TableId

KEY: Final = ("agent_id", "table_id", "hand_number", "action_index")


class Charged(enum.Enum):
    """What a turn came to."""

    DECIDED = "decided"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class Charge:
    """One turn in the ledger. `provider`, `model`: None where no call was made. `reason`: why it fell back. `at_us`: when it ended."""

    key: TurnKey
    agent_version_id: AgentVersionId | None
    outcome: Charged
    reason: str | None
    provider: str | None
    model: str | None
    calls: int
    unpriced_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    latency_ms: int
    at_us: int


def row_of(turn: FinishedTurn) -> dict[str, Any]:
    """The turn's row of the charges."""
    calls = turn.outcome.calls
    charged, reason, last = _came_to(turn.outcome)
    return {
        **key_row(turn.key),
        "agent_version_id": turn.agent_version_id,
        "outcome": charged.value,
        "reason": reason,
        "provider": None if last is None else last.provider,
        "model": None if last is None else last.model,
        "calls": len(calls),
        "unpriced_calls": sum(call.cost_usd is None for call in calls),
        "input_tokens": sum(call.input_tokens or 0 for call in calls),
        "output_tokens": sum(call.output_tokens or 0 for call in calls),
        "cost_usd": sum((exact_usd(call.cost_usd) for call in calls if call.cost_usd is not None), Decimal(0)),
        "latency_ms": turn.latency_ms,
        "at_us": turn.at_us,
    }


def _came_to(outcome: Outcome) -> tuple[Charged, str | None, Call | None]:
    """What it came to, why it fell back, and the call that the row names: the deciding one, else the last."""
    calls = outcome.calls
    match outcome:
        case Decided(deciding=deciding):
            return Charged.DECIDED, None, calls[deciding]
        case FellBack(reason=reason):
            return Charged.FALLBACK, reason, calls[-1] if calls else None
        case _:
            assert_never(outcome)


def call_rows(turn: FinishedTurn, first: int = 0) -> list[dict[str, Any]]:
    """The rows of its calls. `first`: the number of the first one."""
    key = key_row(turn.key)
    return [{**key, "attempt": first + number, **_call_row(call)} for number, call in enumerate(turn.outcome.calls)]


def _call_row(call: Call) -> dict[str, Any]:
    return {
        "purpose": call.purpose.value,
        "outcome": call.outcome.value,
        "provider": call.provider,
        "model": call.model,
        "input_tokens": call.input_tokens,
        "output_tokens": call.output_tokens,
        "cost_usd": call.cost_usd,
        "latency_ms": call.latency_ms,
    }


def key_row(key: TurnKey) -> dict[str, Any]:
    """A key as columns."""
    return {name: getattr(key, name) for name in KEY}


def key_of(row: Row[Any]) -> TurnKey:
    """The key in a row of any of the tables."""
    return TurnKey(
        AgentId(row.agent_id), TableId(row.table_id), HandNumber(row.hand_number), ActionIndex(row.action_index)
    )


def stamped(turn: CapturedTurn, charge: Charge | None) -> CapturedTurn:
    """The turn with the version that it was charged to, where its record has none."""
    if turn.agent_version_id is not None or charge is None:
        return turn
    return replace(turn, agent_version_id=charge.agent_version_id)


def charges_of(rows: Sequence[Row[Any]]) -> tuple[Charge, ...]:
    """Rows of the charges as values."""
    return tuple(map(_charge_of, rows))


def _charge_of(row: Row[Any]) -> Charge:
    columns = {name: value for name, value in row._mapping.items() if name not in KEY}
    return Charge(key=key_of(row), **{**columns, "outcome": Charged(columns["outcome"])})
