"""Where cards come from: a secure deck for play, a scripted one for tests and replays.

SECURITY: not display logic. What is not dealt yet is in a closure and in no attribute; a deck prints as "<deck>" and nothing
copies or encodes it. This module knows neither players nor rules: a hand asks for one card at a time.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn, Protocol, final

from gameserver.errors import Bug
from policy.ids import DECK, Card, HoleCards, Seat
from policy.sealed import SealedError

_ORDERS: Final = math.factorial(len(DECK))


class Deck(Protocol):
    """Deals from the top. The card is out of the deck then."""

    def deal(self) -> Card:
        """The next card. Raises Bug when the deck is empty."""
        ...


def secure_deck() -> Deck:
    """A full deck in an order that nobody can foretell.

    One number is drawn below 52!, the number of orders that a deck has, and its digits say which card comes next; so each
    order is equally likely. `secrets.randbelow` asks the operating system and draws again rather than favour some numbers.
    """
    left = list(DECK)
    order = secrets.randbelow(_ORDERS)

    def draw() -> Card:
        nonlocal order
        order, place = divmod(order, len(left))
        left[place], left[-1] = left[-1], left[place]
        return left.pop()

    return _ClosedDeck(draw)


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
    return _ClosedDeck(lambda: left.pop())  # not left.pop itself: a bound method has its list as an attribute


@final
class _ClosedDeck:
    """SECURITY: not display logic. Withholds what is not dealt yet from everything but `deal`."""

    __slots__ = ("_draw",)

    def __init__(self, draw: Callable[[], Card]) -> None:
        self._draw: Final = draw

    def deal(self) -> Card:
        try:
            return self._draw()
        except (IndexError, ZeroDivisionError):
            raise Bug("the deck is empty") from None

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
