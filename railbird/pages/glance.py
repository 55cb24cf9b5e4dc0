"""What a turn was about, at a glance: the agent's cards, the board, the pot, the price. From what the agent's program says it knew.

Knowledge is whatever an agent's program made of it: what is not where our own agents have it is left out, and stays in the whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

_CARD: Final = re.compile("([2-9TJQKA])([cdhs])")
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_STREETS: Final = ("preflop", "flop", "turn", "river")
_MOST_CARDS: Final = 7


@dataclass(frozen=True, slots=True)
class ShownCard:
    """`suit`: c, d, h or s."""

    rank: str
    suit: str

    @property
    def symbol(self) -> str:
        """The suit as people draw it."""
        return _SUITS[self.suit]


@dataclass(frozen=True, slots=True)
class Glance:
    """`words`: street, pot, and what a call costs, as far as they are told."""

    own: tuple[ShownCard, ...]
    board: tuple[ShownCard, ...]
    words: tuple[str, ...]


def glance_of(known: object) -> Glance | None:
    """None where nothing of it is told."""
    state, turn = _part(known, "state"), _part(known, "yourTurn")
    glance = Glance(
        own=_cards(state.get("yourHoleCards")),
        board=_cards(state.get("board")),
        words=tuple(
            [street for street in _STREETS if state.get("street") == street]
            + [f"pot {pot:,}" for pot in _amount(state.get("pot"))]
            + [f"{to_call:,} to call" if to_call else "nothing to call" for to_call in _amount(turn.get("toCall"))]
        ),
    )
    return glance if glance.own or glance.board or glance.words else None


def _part(known: object, name: str) -> dict[str, Any]:
    part = known.get(name) if isinstance(known, dict) else None
    return part if isinstance(part, dict) else {}


def _amount(value: object) -> list[int]:
    return [value] if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else []


def _cards(value: object) -> tuple[ShownCard, ...]:
    if not isinstance(value, list) or len(value) > _MOST_CARDS:
        return ()
    found = [_CARD.fullmatch(card) if isinstance(card, str) else None for card in value]
    return tuple(ShownCard(card[1], card[2]) for card in found if card is not None) if all(found) else ()
