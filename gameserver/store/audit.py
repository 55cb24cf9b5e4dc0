"""What operators did: one row for each act, written before it is carried out, and never changed
(test_an_audit_row_is_not_changed). No credential and no card is in it: `about` is made of ids and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Connection, insert, select

from gameserver.store import schema
from gameserver.store.engine import Database

_row = schema.audit.c

Outcome: TypeAlias = Literal["asked", "refused"]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """`operator`: a user id, or `service` for the service key. `refused` follows the `asked` of an act that was not carried out."""

    ordinal: int
    at_ms: int
    operator: str
    action: str
    outcome: Outcome
    about: Mapping[str, str | int]


class Audit:
    """The record of what operators did. `now_ms` in Unix time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(
        self, *, operator: str, action: str, outcome: Outcome, about: Mapping[str, str | int], now_ms: int
    ) -> None:
        """Add a row."""
        row = {
            "at_ms": now_ms,
            "operator": operator,
            "action": action,
            "outcome": outcome,
            "about": json.dumps(dict(about), sort_keys=True),
        }

        def work(connection: Connection) -> None:
            connection.execute(insert(schema.audit).values(row))

        await self._database.write(work)

    async def rows(self, *, limit: int, before: int | None = None) -> Sequence[AuditRow]:
        """The newest rows first; `before`: only those with a smaller ordinal."""
        columns = (_row.ordinal, _row.at_ms, _row.operator, _row.action, _row.outcome, _row.about)
        wanted = select(*columns).order_by(_row.ordinal.desc()).limit(limit)
        rows = await self._database.rows(wanted if before is None else wanted.where(_row.ordinal < before))
        return tuple(
            AuditRow(
                ordinal, at_ms, operator, action, "refused" if outcome == "refused" else "asked", json.loads(about)
            )
            for ordinal, at_ms, operator, action, outcome, about in rows
        )
