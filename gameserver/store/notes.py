"""Notes of owners that wait for their agent's next hand. What reaches an agent, and when, is `whisper_policy`'s to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from gameserver.errors import ErrorCode, Refusal
from gameserver.store import schema
from gameserver.store.engine import Database
from policy.ids import AgentId

_note = schema.notes.c

MOST_WAITING = 16
"""So many notes may wait for one agent."""


@dataclass(frozen=True, slots=True)
class StoredNote:
    """One note, by the number under which it waits."""

    ordinal: int
    agent_id: AgentId
    text: str


class StoredNotes:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[StoredNote]:
        """Every note that waits, oldest first."""
        rows = await self._database.rows(select(_note.ordinal, _note.agent_id, _note.text).order_by(_note.ordinal))
        return tuple(StoredNote(ordinal, AgentId(agent_id), text) for ordinal, agent_id, text in rows)

    async def add(self, agent_id: AgentId, text: str, *, now_ms: int) -> StoredNote:
        """Keep a note. Raises Refusal `rate_limited` where too many wait."""
        waiting = select(func.count()).select_from(schema.notes).where(_note.agent_id == agent_id)
        row = {"agent_id": agent_id, "text": text, "written_ms": now_ms}

        def work(connection: Connection) -> StoredNote:
            if connection.execute(waiting).scalar_one() >= MOST_WAITING:
                raise Refusal(ErrorCode.RATE_LIMITED, "too many notes wait for this agent's next hand")
            ordinal = connection.execute(insert(schema.notes).values(row).returning(_note.ordinal)).scalar_one()
            return StoredNote(ordinal, agent_id, text)

        return await self._database.write(work)

    async def drop(self, ordinals: Sequence[int]) -> None:
        """Forget notes that were delivered, or that wait for nobody any more."""
        gone = delete(schema.notes).where(_note.ordinal.in_(ordinals))

        def work(connection: Connection) -> None:
            connection.execute(gone)

        await self._database.write(work)
