"""What a house player knows when it is asked to act, what it answers, and by which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from railbird.client import ActionKind, Street


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One decision, as one player sees it. Chips are whole numbers; cards are two characters.

    `hole_cards`: empty where the player does not know them. `pot_chips`: the bets of this street included.
    `raise_range`: least and most total of the street for a bet or raise, `None` where none is allowed.
    `opponents`: how many others are still in. `to_act_after`: how many of them move after us on this street, as seats go.
    `raises`: bets and raises of this street by others. `callers`: calls of this street by others.
    """

    hole_cards: tuple[str, ...]
    board: tuple[str, ...]
    street: Street
    pot_chips: int
    to_call_chips: int
    own_bet_chips: int
    own_stack_chips: int
    big_blind_chips: int
    legal: frozenset[ActionKind]
    raise_range: tuple[int, int] | None
    opponents: int
    to_act_after: int
    raises: int
    callers: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A move. `amount_chips`: the total bet on this street after it, for a bet or raise; otherwise `None`."""

    action: ActionKind
    amount_chips: int | None = None


@dataclass(frozen=True, slots=True)
class PreflopGrounds:
    """Shares of all starting hands: that are better than ours, and that this style plays in this place."""

    better: float
    plays: float


@dataclass(frozen=True, slots=True)
class PostflopGrounds:
    """Shares of the pot: what we win against random hands, what we believe after the bets, and what a call needs (0: it is free)."""

    strength: float
    believed: float
    odds: float


Grounds: TypeAlias = PreflopGrounds | PostflopGrounds


@dataclass(frozen=True, slots=True)
class Weighed:
    """A move, and what it was made by; `None` where the player does not know its cards."""

    choice: Choice
    grounds: Grounds | None
