"""Decks, and what each world's play showed of them: which cards stayed hidden from whom, and another deal of just these.

Nothing of the code under test is asked: no gate, no view, no tripwire. What is seen is counted from the table's facts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from phevaluator.evaluator import evaluate_cards

from gameserver.errors import Bug
from gameserver.hand.facts import ActionKind, CardsShown, StreetDealt
from gameserver.table.commands import AgentPlayer, Player, owner_of
from gameserver.table.facts import Fact, HandBegan, HandEnded, Moved, OptionsChanged, PowerUsed
from policy.ids import DECK, Card, Seat

Order = tuple[Card, ...]
_TRIES: Final = 400


class OrderedDeck:
    """Deals in the order given."""

    def __init__(self, order: Order) -> None:
        self._left = list(reversed(order))

    def deal(self) -> Card:
        if not self._left:
            raise Bug("the deck is empty")
        return self._left.pop()


def shuffled(seed: int, hand: int) -> Order:
    """The order of one hand's deck."""
    cards = list(DECK)
    random.Random(f"{seed}/{hand}").shuffle(cards)
    return tuple(cards)


@dataclass
class DealtHand:
    """One hand, as far as the play showed it. `peeks`: (by, at)."""

    seats: tuple[Seat, ...]
    players: dict[Seat, Player]
    show_hands: bool
    board: int = 0
    shown: set[Seat] = field(default_factory=set)
    folded: set[Seat] = field(default_factory=set)
    peeks: set[tuple[Seat, Seat]] = field(default_factory=set)

    def places_of(self, seat: Seat) -> tuple[int, int]:
        """Where a seat's cards are in the deck: one card each, twice round."""
        at = self.seats.index(seat)
        return at, at + len(self.seats)

    def board_places(self) -> range:
        """Where the board's cards are, as far as they were dealt."""
        return range(2 * len(self.seats), 2 * len(self.seats) + self.board)


class Record:
    """Each hand that was dealt, in order; the n-th hand was dealt from the n-th deck."""

    def __init__(self, *, show_hands: bool) -> None:
        self.hands: list[DealtHand] = []
        self._show_hands = show_hands

    def learn(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            match fact:
                case HandBegan():
                    seats = tuple(seat for seat, _ in fact.dealt)
                    self.hands.append(DealtHand(seats, dict(fact.players), self._show_hands))
                case StreetDealt():
                    self.hands[-1].board += len(fact.cards)
                case CardsShown():
                    self.hands[-1].shown.add(fact.seat)
                case Moved() if fact.move.action is ActionKind.FOLD:
                    self.hands[-1].folded.add(fact.move.seat)
                case PowerUsed():
                    self.hands[-1].peeks.add((fact.by, fact.at))
                case OptionsChanged():
                    self._show_hands = fact.reveal.show_hands
                case HandEnded():
                    pass
                case _:
                    pass


@dataclass(frozen=True, slots=True)
class Eyes:
    """Whose cards somebody may know. `plays`: as an agent or a person; `owns`: agents of this user; `public`: the public view."""

    plays: str = ""
    owns: str = ""
    public: bool = False

    def seats(self, hand: DealtHand) -> set[Seat]:
        """The seats of a hand whose cards these eyes have seen when all is over."""
        own = {seat for seat, player in hand.players.items() if self._is_own(player)}
        peeked = {at for by, at in hand.peeks if by in own}
        live = set(hand.seats) if self.public and hand.show_hands else set()
        return hand.shown | own | peeked | live

    def _is_own(self, player: Player) -> bool:
        if isinstance(player, AgentPlayer):
            return player.agent_id == self.plays or (bool(self.owns) and player.owner == self.owns)
        return owner_of(player) in (self.plays, self.owns)


def seen_places(hand: DealtHand, eyes: Eyes) -> set[int]:
    """The places in the deck whose cards these eyes have seen."""
    return {place for seat in eyes.seats(hand) for place in hand.places_of(seat)} | set(hand.board_places())


def twin_order(hand: DealtHand, order: Order, seen: AbstractSet[int], dice: random.Random) -> Order:
    """Another order of the same deck: what was seen is where it was, and the rest is shuffled.

    A hand that was mucked at a showdown stays as good against each other hand as it was: whoever wins, wins in both worlds.
    """
    hidden = [place for place in range(len(order)) if place not in seen]
    for _ in range(_TRIES):
        cards = [order[place] for place in hidden]
        dice.shuffle(cards)
        twin = list(order)
        for place, card in zip(hidden, cards, strict=True):
            twin[place] = card
        if _same_showdown(hand, order, twin):
            return tuple(twin)
    return order


def _same_showdown(hand: DealtHand, one: Sequence[Card], other: Sequence[Card]) -> bool:
    in_hand = [seat for seat in hand.seats if seat not in hand.folded]
    if len(in_hand) < 2 or hand.board < 5 or not hand.shown:
        return True
    return _ranking(hand, one, in_hand) == _ranking(hand, other, in_hand)


def _ranking(hand: DealtHand, order: Sequence[Card], seats: Sequence[Seat]) -> list[list[int]]:
    """For each seat, how it stands against each other one: -1, 0 or 1."""
    board = [order[place] for place in hand.board_places()]
    strength = [evaluate_cards(*board, *(order[place] for place in hand.places_of(seat))) for seat in seats]
    return [[(one > other) - (one < other) for other in strength] for one in strength]
