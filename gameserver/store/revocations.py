"""What was revoked, so that it stays so over a restart. It keeps names of tokens (`jti`) and no token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, select, update

from gameserver.store import schema
from gameserver.store.engine import Database, insert_new

_revoked = schema.revocations.c


@dataclass(frozen=True, slots=True)
class StoredRevocation:
    """`until_ms` (Unix time): of a `token`, when it runs out by itself; of an `agent`, until when its revoked tokens were issued."""

    kind: Literal["token", "agent"]
    name: str
    until_ms: int


class StoredRevocations:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[StoredRevocation]:
        """Everything that is revoked."""
        rows = await self._database.rows(select(_revoked.kind, _revoked.name, _revoked.until_ms))
        return tuple(
            StoredRevocation("agent" if kind == "agent" else "token", name, until) for kind, name, until in rows
        )

    async def add(self, revocation: StoredRevocation) -> None:
        """Revoke; of two for the same name the later one counts."""
        row = {"kind": revocation.kind, "name": revocation.name, "until_ms": revocation.until_ms}
        same = (_revoked.kind == revocation.kind, _revoked.name == revocation.name)
        later = update(schema.revocations).where(*same, _revoked.until_ms < revocation.until_ms)

        def work(connection: Connection) -> None:
            connection.execute(insert_new(connection, schema.revocations).values(row))
            connection.execute(later.values(until_ms=revocation.until_ms))

        await self._database.write(work)

    async def forget(self, *, now_ms: int) -> None:
        """Drop what was revoked of tokens that have run out."""
        over = delete(schema.revocations).where(_revoked.kind == "token", _revoked.until_ms <= now_ms)

        def work(connection: Connection) -> None:
            connection.execute(over)

        await self._database.write(work)
