"""Where an agent plays, as which version, and how it proves that: what a host needs to play one seat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from policy.ids import AgentId, AgentVersionId, TableId
from railbird.agenthost.mind import Mind
from railbird.agenthost.seats.seating import Seating

PlaceKey: TypeAlias = tuple[AgentId, TableId]

Tokens: TypeAlias = Callable[[AgentVersionId | None], Awaitable[str]]
"""A fresh token of this agent that names a version; minutes long where it is hosted."""


@dataclass(frozen=True, slots=True)
class Place:
    """One seat to be played. `url`: of the table's WebSocket. `tokens`: see there.

    `seated_as`: the version that has the seat already, where it is another one: it plays on until the table takes the new one.
    """

    agent_id: AgentId
    table_id: TableId
    url: str
    mind: Mind
    seating: Seating
    tokens: Tokens
    seated_as: Mind | None = None

    @property
    def key(self) -> PlaceKey:
        """An agent has one seat at a table."""
        return self.agent_id, self.table_id
