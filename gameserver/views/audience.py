"""To whom a stream of a table goes. A closed sum type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gameserver.table.commands import PlayerId
from policy.ids import Seat, UserId


@dataclass(frozen=True, slots=True)
class PublicAudience:
    """Everybody who watches: signed in or not, but no agent's connection."""


@dataclass(frozen=True, slots=True)
class AgentsAudience:
    """Agents without a seat: public facts."""


@dataclass(frozen=True, slots=True)
class SeatAudience:
    """The present occupant of one seat. The next occupant is another audience."""

    seat: Seat
    occupant: PlayerId


@dataclass(frozen=True, slots=True)
class OwnerAudience:
    """One person whose own agent plays."""

    user_id: UserId


Audience: TypeAlias = PublicAudience | AgentsAudience | SeatAudience | OwnerAudience
