"""Looks charges up: of one hand within a scope, and the hands of late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, select, tuple_

from capture.durable.schema import charges
from capture.ledger.charge import Charged
from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.ids import AgentId, HandNumber, TableId

_charge: Final = charges.c
_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class RecentHand:
    """A hand in which agents asked their models. `decided`, `fallbacks`: turns. `last_at_us`: when its latest turn ended.

    `agents`: each with the number of its decided turns, by id.
    """

    table_id: TableId
    hand_number: HandNumber
    decided: int
    fallbacks: int
    cost_usd: Decimal
    unpriced_calls: int
    last_at_us: int
    agents: tuple[tuple[AgentId, int], ...]


def of_hand(scope: OwnerScope | OperatorScope) -> Select[Any]:
    """The charges of a hand within a scope."""
    return (
        select(charges)
        .where(_charge.table_id == scope.table_id, _charge.hand_number == scope.hand_number, *_agents_in(scope))
        .order_by(_charge.agent_id, _charge.action_index)
    )


def _agents_in(scope: OwnerScope | OperatorScope) -> tuple[ColumnElement[bool], ...]:
    match scope:
        case OwnerScope(agent_id=agent_id):
            return (_charge.agent_id == agent_id,)
        case OperatorScope(whose=EveryAgent()):
            return ()
        case OperatorScope(whose=str(agent_id)):
            return (_charge.agent_id == agent_id,)
        case _:
            raise AssertionError(scope)


def _turns_of(whose: AgentId | EveryAgent) -> tuple[ColumnElement[bool], ...]:
    return () if isinstance(whose, EveryAgent) else (_charge.agent_id == whose,)


def recent(
    connection: Connection, limit: int, before_us: int | None, *, whose: AgentId | EveryAgent
) -> Sequence[RecentHand]:
    """The hands whose latest turn ended last, before a time, latest first. `whose`: of one agent, its turns alone count."""
    found: dict[tuple[str, int], RecentHand] = {}
    below = before_us
    while len(found) < limit:
        rows = connection.execute(_some(below, whose)).all()
        if not rows:
            break
        below = rows[-1].at_us
        new = {(row.table_id, row.hand_number) for row in rows} - found.keys()
        for hand in _summed(connection, new, whose):
            if before_us is None or hand.last_at_us < before_us:
                found[hand.table_id, hand.hand_number] = hand
    latest_first = sorted(found.values(), key=lambda hand: (-hand.last_at_us, hand.table_id, hand.hand_number))
    return latest_first[:limit]


def _some(below_us: int | None, whose: AgentId | EveryAgent) -> Select[Any]:
    """The latest turns below a time, with all those of the last one's own time."""
    latest = select(_charge.at_us).where(*_turns_of(whose)).order_by(_charge.at_us.desc())
    latest = latest if below_us is None else latest.where(_charge.at_us < below_us)
    oldest = select(func.min(latest.limit(_AT_ONCE).subquery().c.at_us)).scalar_subquery()
    rows = select(_charge.table_id, _charge.hand_number, _charge.at_us)
    rows = rows.where(_charge.at_us >= oldest, *_turns_of(whose))
    rows = rows if below_us is None else rows.where(_charge.at_us < below_us)
    return rows.order_by(_charge.at_us.desc())


def _summed(connection: Connection, hands: set[tuple[str, int]], whose: AgentId | EveryAgent) -> list[RecentHand]:
    if not hands:
        return []
    decided = func.sum(case((_charge.outcome == Charged.DECIDED.value, 1), else_=0))
    wanted = (
        select(
            _charge.table_id,
            _charge.hand_number,
            _charge.agent_id,
            func.count().label("turns"),
            decided.label("decided"),
            func.sum(_charge.cost_usd).label("cost_usd"),
            func.sum(_charge.unpriced_calls).label("unpriced_calls"),
            func.max(_charge.at_us).label("last_at_us"),
        )
        .where(tuple_(_charge.table_id, _charge.hand_number).in_(sorted(hands)), *_turns_of(whose))
        .group_by(_charge.table_id, _charge.hand_number, _charge.agent_id)
        .order_by(_charge.agent_id)
    )
    by_hand: dict[tuple[str, int], list[Row[Any]]] = {}
    for row in connection.execute(wanted):
        by_hand.setdefault((row.table_id, row.hand_number), []).append(row)
    return [_hand(TableId(table), HandNumber(number), rows) for (table, number), rows in by_hand.items()]


def _hand(table_id: TableId, hand_number: HandNumber, rows: list[Row[Any]]) -> RecentHand:
    decided = sum(int(row.decided) for row in rows)
    return RecentHand(
        table_id=table_id,
        hand_number=hand_number,
        decided=decided,
        fallbacks=sum(int(row.turns) for row in rows) - decided,
        cost_usd=sum((row.cost_usd for row in rows), Decimal(0)),
        unpriced_calls=sum(int(row.unpriced_calls) for row in rows),
        last_at_us=max(row.last_at_us for row in rows),
        agents=tuple((AgentId(row.agent_id), int(row.decided)) for row in rows),
    )
