"""What the page of one's own agents asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from starlette.requests import HTTPConnection


@dataclass(frozen=True, slots=True)
class SeatOfAgent:
    """Where an agent sits. `seat`: from 0."""

    table_id: str
    table_name: str
    seat: int


@dataclass(frozen=True, slots=True)
class WantedSeat:
    """Where a hosted agent is sent, and does not sit yet. `problem`: why not; None: it is on its way. `hosted`: a host goes on trying."""

    table_id: str
    table_name: str
    hosted: bool
    problem: str | None


@dataclass(frozen=True, slots=True)
class VersionOfAgent:
    """A published version. `published`: a day in UTC. `deployed`: it is the one that is played for its owner."""

    number: int
    version_id: str
    published: str
    deployed: bool


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """One agent. `versions`: newest first. `host`: whether one can play it: `running`, `no_host`, `no_host_has_the_model`, or None."""

    agent_id: str
    name: str
    seats: tuple[SeatOfAgent, ...]
    wanted: tuple[WantedSeat, ...]
    versions: tuple[VersionOfAgent, ...]
    host: str | None


@dataclass(frozen=True, slots=True)
class OwnerSummary:
    """Whoever is signed in, and their agents. `csrf_word`: for what the page changes; empty where no cookie was shown."""

    user_id: str
    csrf_word: str
    agents: tuple[AgentSummary, ...]


class OwnersPort(Protocol):
    """One's own agents, for whoever asks."""

    async def owner(self, asker: HTTPConnection) -> OwnerSummary | None:
        """The one who asks; None: nobody is signed in."""
