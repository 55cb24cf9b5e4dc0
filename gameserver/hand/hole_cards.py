"""The hole cards of one hand: sealed as they are dealt, and what became of each. No chips and no turns.

It opens no seal itself; what it lays face up goes through `showdown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gameserver.hand import showdown
from gameserver.hand.deck import Deck
from gameserver.hand.facts import CardsShown, HoleDealt, Mucked, ShownBecause
from policy.ids import Card, HoleCards, Seat
from policy.reveal_policy import HandCards, SeatCards, Stage, Standing
from policy.sealed import Sealed


class DealtCards:
    """`standings`: by seat. `show_order`: seats whose cards were laid face up before the pots were paid, in order."""

    __slots__ = ("_sealed", "show_order", "standings")

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.standings: Final = dict.fromkeys(seats, Standing.LIVE)
        self.show_order: Final[list[Seat]] = []
        self._sealed: Final[dict[Seat, Sealed[HoleCards]]] = {}

    def deal(self, deck: Deck) -> list[HoleDealt]:
        """One card to each seat from the left of the button, twice around."""
        first = [deck.deal() for _ in self.standings]
        for seat, card in zip(self.standings, first, strict=True):
            self._sealed[seat] = Sealed((card, deck.deal()))
        return [HoleDealt(seat, cards) for seat, cards in self._sealed.items()]

    def fold(self, seat: Seat) -> None:
        self.standings[seat] = Standing.FOLDED

    def folded(self) -> frozenset[Seat]:
        return frozenset(seat for seat, standing in self.standings.items() if standing is Standing.FOLDED)

    def is_folded(self, seat: Seat) -> bool:
        return self.standings[seat] is Standing.FOLDED

    def is_shown(self, seat: Seat) -> bool:
        return self.standings[seat] is Standing.SHOWN

    def face_up(self, seat: Seat, because: ShownBecause) -> CardsShown:
        """Lays a seat's cards open for everybody."""
        self.standings[seat] = Standing.SHOWN
        if because is not ShownBecause.CHOICE:
            self.show_order.append(seat)
        return CardsShown(seat, showdown.face_up(self._sealed[seat]), because)

    def show_all(self, order: Sequence[Seat]) -> list[CardsShown]:
        """All live hands face up, since nobody has a decision left; those that are up already stay as they are."""
        return [self.face_up(seat, ShownBecause.ALL_IN) for seat in order if not self.is_shown(seat)]

    def show_or_muck(self, order: Sequence[Seat], strength: dict[Seat, showdown.Strength]) -> list[CardsShown | Mucked]:
        """A showdown without an all-in: in showing order, whoever is beaten by a hand shown before mucks."""
        shows = showdown.must_show(order, strength)
        return [self.face_up(seat, ShownBecause.SHOWDOWN) if seat in shows else self._muck(seat) for seat in order]

    def strengths(self, seats: Sequence[Seat], board: Sequence[Card]) -> dict[Seat, showdown.Strength]:
        return showdown.strengths({seat: self._sealed[seat] for seat in seats}, board)

    def for_the_gate(self, stage: Stage) -> HandCards:
        """What `reveal_policy` asks about. Peeks are the table's."""
        seats = tuple(SeatCards(seat, cards, self.standings[seat]) for seat, cards in self._sealed.items())
        return HandCards(stage=stage, seats=seats, peeks=())

    def _muck(self, seat: Seat) -> Mucked:
        self.standings[seat] = Standing.MUCKED
        return Mucked(seat)
