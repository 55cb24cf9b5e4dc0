"""Who is invited to a private table. Who may invite is decided before."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from gameserver.store import schema
from gameserver.store.engine import Database, insert_new
from policy.ids import TableId, UserId

_invited = schema.invitations.c


class StoredInvitations:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[tuple[TableId, UserId]]:
        """Every invitation to a table that is not closed."""
        wanted = select(_invited.table_id, _invited.user_id).join(schema.tables)
        rows = await self._database.rows(wanted.where(schema.tables.c.status == "open"))
        return tuple((TableId(table_id), UserId(user_id)) for table_id, user_id in rows)

    async def add(self, table_id: TableId, user_id: UserId, *, now_ms: int) -> None:
        """Invite somebody; who is invited already stays so."""
        row = {"table_id": table_id, "user_id": user_id, "invited_ms": now_ms}

        def work(connection: Connection) -> None:
            connection.execute(insert_new(connection, schema.invitations).values(row))

        await self._database.write(work)
