"""Writes charges, each turn once, however often it is handed over.

An agent program that starts again in the middle of a turn asks its model again: the turn's row then has the costs of both. The
same turn handed over twice, since nobody knew whether the first time was committed, is known by its time and counts once
(test_a_turn_that_is_decided_twice_costs_twice, test_the_same_turn_handed_over_twice_is_charged_once).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, and_, insert, select, update

from capture.durable.database import insert_new
from capture.durable.schema import calls, charges
from capture.ledger.charge import KEY, call_rows, row_of
from capture.record import FinishedTurn

_SUMS: Final = ("calls", "unpriced_calls", "input_tokens", "output_tokens", "cost_usd", "latency_ms")
_THE_KEY: Final = [charges.c[name] for name in KEY]


@dataclass(frozen=True, slots=True)
class ChargeRows:
    """A turn's rows, ready to be written: of the charges, and of its calls."""

    row: dict[str, Any]
    calls: list[dict[str, Any]]

    @property
    def key(self) -> tuple[Any, ...]:
        """What the turn is known by."""
        return tuple(self.row[name] for name in KEY)


def rows_of(turn: FinishedTurn) -> ChargeRows:
    """What is kept of a turn. Raises ValueError or ArithmeticError for a cost that is no amount."""
    return ChargeRows(row_of(turn), call_rows(turn))


def put(connection: Connection, entries: Sequence[ChargeRows]) -> None:
    """Write the turns. Raises what the database raises; then none of them is written."""
    first = {entry.key: entry for entry in reversed(entries)}
    new = _insert(connection, first)
    _insert_calls(connection, (first[key] for key in new))
    for entry in entries:
        if entry.key not in new or first[entry.key] is not entry:
            _add(connection, entry)


def _insert(connection: Connection, entries: dict[tuple[Any, ...], ChargeRows]) -> set[tuple[Any, ...]]:
    """The keys that were not there before."""
    statement = insert_new(connection, charges).returning(*_THE_KEY)
    return {tuple(row) for row in connection.execute(statement, [entry.row for entry in entries.values()])}


def _insert_calls(connection: Connection, entries: Iterable[ChargeRows]) -> None:
    rows = [row for entry in entries for row in entry.calls]
    if rows:
        connection.execute(insert(calls), rows)


def _add(connection: Connection, entry: ChargeRows) -> None:
    """Add to a row that is there, unless it is this turn's."""
    its_row = and_(*(charges.c[name] == entry.row[name] for name in KEY))
    there = connection.execute(select(charges).where(its_row).with_for_update()).mappings().one()
    if there["at_us"] == entry.row["at_us"]:
        return
    connection.execute(update(charges).where(its_row).values(_together(there, entry.row)))
    moved = [{**row, "attempt": row["attempt"] + there["calls"]} for row in entry.calls]
    if moved:
        connection.execute(insert(calls), moved)


def _together(there: RowMapping, later: dict[str, Any]) -> dict[str, Any]:
    """The later turn's row, with the sums of both."""
    rest = {name: value for name, value in later.items() if name not in KEY}
    return {**rest, **{name: there[name] + later[name] for name in _SUMS}}
