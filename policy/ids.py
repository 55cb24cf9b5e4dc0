"""Names of people and things, each a type of its own: a user id never meets an agent id.

This module only names; it checks nothing. What comes from outside is checked where it is decoded.
"""

from __future__ import annotations

from typing import Final, NewType, TypeAlias

UserId = NewType("UserId", str)
AgentId = NewType("AgentId", str)
AgentVersionId = NewType("AgentVersionId", str)
TableId = NewType("TableId", str)
TurnId = NewType("TurnId", str)
"""One decision of one player."""

Seat = NewType("Seat", int)
"""A seat's number at its table, counted from 0."""

HandNumber = NewType("HandNumber", int)
"""Counts up per table from 1, over restarts too; a number that was given out is never given out again."""

ActionIndex = NewType("ActionIndex", int)
"""Counts the actions of one hand over all players from 0, forced bets included."""

Card = NewType("Card", str)
"""Two characters, rank then suit: `As`, `Td`, `2c`."""

HoleCards: TypeAlias = tuple[Card, Card]

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for rank in RANKS for suit in SUITS)
"""The 52 cards in a fixed order: deuces first, clubs before diamonds before hearts before spades."""
