"""People, their agents and the agents' versions: who there is, and who owned what when.

A version never changes once it is published, and a past owner is never forgotten
(test_what_was_written_once_is_not_changed, test_the_owner_at_the_time_of_a_hand). What is in a version is its maker's own bytes.
Who may do any of this is decided before; tokens and keys are not kept here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from gameserver.errors import ErrorCode, Refusal
from gameserver.store import posting, schema
from gameserver.store.engine import Database, insert_once
from gameserver.store.posting import Bookkeeping
from gameserver.store.stored import StoredAgent, StoredVersion
from policy.ids import AgentId, AgentVersionId, UserId

_user: Final = schema.users.c
_agent: Final = schema.agents.c
_owner: Final = schema.agent_owners.c
_version: Final = schema.agent_versions.c


class People:
    """Each method is one transaction. A person who is named here for the first time gets the starting chips."""

    def __init__(self, database: Database, books: Bookkeeping) -> None:
        self._database = database
        self._books = books

    async def name_user(self, user_id: UserId, name: str) -> None:
        """Note what a person is called."""

        def work(connection: Connection) -> None:
            self._see(connection, user_id)
            connection.execute(update(schema.users).where(_user.user_id == user_id).values(name=name))

        await self._database.write(work)

    async def user_name(self, user_id: UserId) -> str | None:
        """What a person is called (their id where nobody said); None for one who was not seen."""
        return await self._database.value(select(_user.name).where(_user.user_id == user_id))

    async def create_agent(self, agent_id: AgentId, name: str, owner: UserId) -> StoredAgent:
        """Register an agent. Raises Bug where there is one with this id."""
        agent = StoredAgent(agent_id, name, owner, self._books.wall_ms())
        row = {"agent_id": agent_id, "name": name, "owner": owner, "created_ms": agent.created_ms}

        def work(connection: Connection) -> None:
            self._see(connection, owner)
            insert_once(connection, insert(schema.agents).values(row), "an agent's id is taken")
            self._note_owner(connection, agent_id, owner)

        await self._database.write(work)
        return agent

    async def agent(self, agent_id: AgentId) -> StoredAgent | None:
        """One agent, or None."""
        found = await self._agents(_agent.agent_id == agent_id)
        return found[0] if found else None

    async def agent_with_version(
        self, agent_id: AgentId, version_id: AgentVersionId
    ) -> tuple[StoredAgent, bool] | None:
        """One agent, and whether it has such a version; None where there is no such agent."""
        has = select(_version.version_id).where(_version.agent_id == agent_id, _version.version_id == version_id)
        rows = await self._database.rows(select(schema.agents, has.exists()).where(_agent.agent_id == agent_id))
        if not rows:
            return None
        *columns, has_version = rows[0]
        return StoredAgent(*columns), bool(has_version)

    async def agents_of(self, owner: UserId) -> Sequence[StoredAgent]:
        """The agents that a person owns now, oldest first."""
        return await self._agents(_agent.owner == owner)

    async def owner_at(self, agent_id: AgentId, at_ms: int) -> UserId | None:
        """Who owned an agent at a time (Unix milliseconds); None before it was made."""
        wanted = select(_owner.owner).where(_owner.agent_id == agent_id, _owner.since_ms <= at_ms)
        latest = wanted.order_by(_owner.since_ms.desc(), _owner.ordinal.desc()).limit(1)
        return await self._database.value(latest)

    async def transfer_agent(self, agent_id: AgentId, to: UserId) -> None:
        """Give an agent to somebody else, from now on. Raises Refusal `not_found`."""

        def work(connection: Connection) -> None:
            self._see(connection, to)
            change = update(schema.agents).where(_agent.agent_id == agent_id).values(owner=to)
            _one(connection, change.returning(_agent.agent_id))
            self._note_owner(connection, agent_id, to)

        await self._database.write(work)

    async def publish_version(self, agent_id: AgentId, version_id: AgentVersionId, content: bytes) -> StoredVersion:
        """Keep a new version of an agent, as it is and for good. Raises Refusal `not_found`, and Bug where the id is taken."""
        now_ms = self._books.wall_ms()

        def work(connection: Connection) -> StoredVersion:
            # The agent's row is held, so that two versions published at once get two numbers.
            _one(connection, select(_agent.agent_id).where(_agent.agent_id == agent_id).with_for_update())
            last = select(func.coalesce(func.max(_version.number), 0)).where(_version.agent_id == agent_id)
            number = connection.execute(last).scalar_one() + 1
            version = StoredVersion(version_id, agent_id, number, content, now_ms)
            row = {name: getattr(version, name) for name in version.__slots__}
            insert_once(connection, insert(schema.agent_versions).values(row), "a version's id is taken")
            return version

        return await self._database.write(work)

    async def version(self, version_id: AgentVersionId) -> StoredVersion | None:
        """One version, or None."""
        found = await self._versions(_version.version_id == version_id)
        return found[0] if found else None

    async def versions_of(self, agent_id: AgentId) -> Sequence[StoredVersion]:
        """All versions of an agent, oldest first."""
        return await self._versions(_version.agent_id == agent_id)

    def _see(self, connection: Connection, user_id: UserId) -> None:
        posting.see(connection, user_id, self._books)

    def _note_owner(self, connection: Connection, agent_id: AgentId, owner: UserId) -> None:
        row = {"agent_id": agent_id, "owner": owner, "since_ms": self._books.wall_ms()}
        connection.execute(insert(schema.agent_owners).values(row))

    async def _agents(self, condition: ColumnElement[bool]) -> Sequence[StoredAgent]:
        wanted = select(schema.agents).where(condition).order_by(_agent.created_ms, _agent.agent_id)
        return tuple(StoredAgent(**row._mapping) for row in await self._database.rows(wanted))

    async def _versions(self, condition: ColumnElement[bool]) -> Sequence[StoredVersion]:
        wanted = select(schema.agent_versions).where(condition).order_by(_version.number)
        return tuple(StoredVersion(**row._mapping) for row in await self._database.rows(wanted))


def _one(connection: Connection, statement: Any) -> None:
    if connection.execute(statement).scalar_one_or_none() is None:
        raise Refusal(ErrorCode.NOT_FOUND)
