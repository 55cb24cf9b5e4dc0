"""What the registry needs of the application, as protocols: its database, the register of agents, the tables that are open.

Every method of these that raises a refusal raises `gameserver.errors.Refusal` with a code of the wire.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

T = TypeVar("T")


class Database(Protocol):
    """Whole transactions."""

    async def write(self, work: Callable[[Connection], T]) -> T: ...

    async def read(self, work: Callable[[Connection], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class OwnedAgent:
    """An agent, and who owns it now."""

    agent_id: AgentId
    owner: UserId


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """A version as it was published."""

    version_id: AgentVersionId
    content: bytes


class Register(Protocol):
    """The table server's agents and versions."""

    async def agent(self, agent_id: AgentId) -> OwnedAgent | None: ...

    async def agents_of(self, owner: UserId) -> Sequence[AgentId]:
        """All that a person owns now."""

    async def versions_of(self, agent_id: AgentId) -> Sequence[PublishedVersion]:
        """Oldest first."""

    async def version(self, version_id: AgentVersionId) -> PublishedVersion | None: ...


@dataclass(frozen=True, slots=True)
class OpenTable:
    """What one has to know of a table before an agent is sent there. `seated`: the agents that sit there."""

    kind: TableKind
    reveal: RevealOptions
    max_seats: int
    min_buy_in_chips: int
    seated: AbstractSet[AgentId]


class Tables(Protocol):
    """The tables of the server."""

    def table(self, table_id: TableId, agent: OwnedAgent) -> OpenTable:
        """A table that this agent may know of. Raises Refusal `not_found`."""

    def sits_at(self, agent_id: AgentId) -> Collection[RevealOptions]:
        """What every table reveals where this agent sits."""

    def reveals_of(self, tables: Collection[TableId]) -> Collection[RevealOptions]:
        """What those of these tables reveal that are open."""


class SeatedVersion(Protocol):
    """Which version of an agent has a seat, as the table server stored it."""

    async def __call__(self, agent_id: AgentId, table_id: TableId, /) -> AgentVersionId | None:
        """None where it has no seat there."""


class Unseat(Protocol):
    """Takes an agent out of its seats: what it is dealt into is played to its end first."""

    def __call__(self, agent_id: AgentId, /) -> Awaitable[bool]:
        """Whether it sits nowhere any more; else it leaves when its hands are over."""
