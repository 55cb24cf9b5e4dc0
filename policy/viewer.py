"""Who looks: a closed sum type, one case for each kind of viewer. There is no nullable id: "nobody in particular" is
`Spectator`, never `None`, so a forgotten viewer cannot be taken for an all-seeing one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policy.ids import AgentId, Seat, UserId


@dataclass(frozen=True, slots=True)
class SeatedAgent:
    """An agent on its own connection, in the seat that it plays."""

    agent_id: AgentId
    seat: Seat


@dataclass(frozen=True, slots=True)
class UnseatedAgent:
    """An agent on its own connection without a seat: not yet seated, or no longer."""

    agent_id: AgentId


@dataclass(frozen=True, slots=True)
class SeatedUser:
    """A person who plays, in their seat."""

    user_id: UserId
    seat: Seat


@dataclass(frozen=True, slots=True)
class Owner:
    """A person who watches their own agents play. `seats`: where these agents were dealt in, in the hand looked at."""

    user_id: UserId
    seats: frozenset[Seat]


@dataclass(frozen=True, slots=True)
class Spectator:
    """Anybody who watches, signed in or not."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who runs the server, by name (for the audit). Sees a hand in play no better than a spectator does."""

    name: str


Viewer: TypeAlias = SeatedAgent | UnseatedAgent | SeatedUser | Owner | Spectator | Operator
