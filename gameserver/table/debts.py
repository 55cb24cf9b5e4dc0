"""What a seat owes before it gets cards again: which blinds it missed, and what it posts for them. Pure functions.

Several rounds out do not add up. A newcomer owes a live big blind and nothing else until it is first dealt in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gameserver.hand.facts import ForcedBet, ForcedKind
from gameserver.table.facts import Blind
from policy.ids import Seat


@dataclass(frozen=True, slots=True)
class Debt:
    """`small`, `big`: this blind passed while the seat was not dealt in. `newcomer`: sat down after the first hand began."""

    small: bool = False
    big: bool = False
    newcomer: bool = False

    @property
    def owes(self) -> bool:
        return self.small or self.big or self.newcomer

    @property
    def missed(self) -> Blind | None:
        """As it is told; a newcomer has missed nothing."""
        if self.small and self.big:
            return Blind.BOTH
        if self.small:
            return Blind.SMALL
        return Blind.BIG if self.big else None


NONE: Final = Debt()
NEWCOMER: Final = Debt(newcomer=True)


def after_passing(debt: Debt, *, small: bool, big: bool) -> Debt:
    """The debt of a seat that is not dealt in, when these blinds have passed it."""
    if debt.newcomer:
        return debt
    return Debt(small=debt.small or small, big=debt.big or big)


def posts(seat: Seat, debt: Debt, *, small_blind_chips: int, big_blind_chips: int) -> tuple[ForcedBet, ...]:
    """What the seat posts to come in: the live big blind first, the dead small blind after it."""
    live = ForcedBet(seat, ForcedKind.POST, big_blind_chips)
    dead = ForcedBet(seat, ForcedKind.DEAD_POST, small_blind_chips)
    return ((live,) if debt.big or debt.newcomer else ()) + ((dead,) if debt.small else ())
