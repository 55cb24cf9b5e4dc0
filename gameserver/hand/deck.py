"""Where cards come from: a secure deck for play, a scripted one for tests and replays.

SECURITY: not display logic. What is not dealt yet is in a closure and in no attribute; a deck prints as "<deck>" and nothing
copies or encodes it. This module knows neither players nor rules: a hand asks for one card at a time.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn, Protocol, final

from gameserver.errors import Bug
from policy.ids import DECK, Card, HoleCards, Seat
from policy.sealed import SealedError


class Deck(Protocol):
    """Deals from the top. The card is out of the deck then."""

    def deal(self) -> Card:
        """The next card. Raises Bug when the deck is empty."""
        ...


def secure_deck() -> Deck:
    """A full deck in an order that nobody can foretell.

    The order is drawn card by card as it is dealt, which is a Fisher-Yates shuffle stopped in time: each card that is left is
    equally likely, by `secrets.randbelow`, which asks the operating system and rejects what would make some cards likelier.
    A card that is not dealt yet has no place in the deck, so there is nothing to learn ahead of it.
    """
    left = list(DECK)

    def draw() -> Card:
        top = secrets.randbelow(len(left))
        left[top], left[-1] = left[-1], left[top]
        return left.pop()

    return _ClosedDeck(draw, lambda: len(left))


def scripted_deck(*, hole: Mapping[Seat, HoleCards | None], board: Sequence[Card], order: Sequence[Seat]) -> Deck:
    """A deck that deals the given cards; for tests and replays.

    `hole`: a seat that is None or absent gets any cards that are not used otherwise. `board`: as much of it as is known.
    `order`: the seats dealt in, first left of the button first. Beyond the script the deck deals what is left, in the fixed
    order of `policy.ids.DECK`. Raises Bug when a card is named twice.
    """
    given = [card for cards in hole.values() if cards is not None for card in cards]
    spare = _unused([*given, *board])
    hands = [_scripted_hand(hole.get(seat), spare) for seat in order]
    rounds = [hand[turn] for turn in range(2) for hand in hands]
    left = [*rounds, *board, *spare]
    left.reverse()
    return _ClosedDeck(left.pop, lambda: len(left))


@final
class _ClosedDeck:
    """SECURITY: not display logic. Withholds what is not dealt yet from everything but `deal`."""

    __slots__ = ("_draw", "_left")

    def __init__(self, draw: Callable[[], Card], left: Callable[[], int]) -> None:
        def closed_draw() -> Card:  # a bound method of a list would have the list as an attribute
            return draw()

        self._draw: Final = closed_draw
        self._left: Final = left

    def deal(self) -> Card:
        if self._left() == 0:
            raise Bug("the deck is empty")
        return self._draw()

    def __repr__(self) -> str:
        return "<deck>"

    def __copy__(self) -> NoReturn:
        raise SealedError("a deck does not leave")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise SealedError("a deck does not leave")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SealedError("a deck does not leave")


def _scripted_hand(cards: HoleCards | None, spare: list[Card]) -> HoleCards:
    return cards if cards is not None else (spare.pop(), spare.pop())


def _unused(used: Sequence[Card]) -> list[Card]:
    if len(set(used)) != len(used) or not set(used) <= set(DECK):
        raise Bug("a script names a card twice, or one that does not exist")
    return [card for card in DECK if card not in used]
