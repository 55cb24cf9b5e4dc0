"""Random set-ups of one hand: seats, stacks, forced bets and cards, short stacks among them on purpose."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from gameserver.hand.deck import scripted_deck
from gameserver.hand.facts import ForcedBet, ForcedKind, HandFact
from gameserver.hand.hand import Hand
from policy.ids import DECK, Card, HoleCards, Seat

SMALL_BLIND = 5
BIG_BLIND = 10


@dataclass(frozen=True, slots=True)
class SetUp:
    """Seat numbers count from the left of the button; heads-up seat 0 is the big blind. `ante_chips`: owed by each."""

    stacks: tuple[int, ...]
    ante_chips: int
    big_blind_ante_chips: int
    straddle_chips: int | None
    hole: tuple[HoleCards, ...]
    board: tuple[Card, ...]

    @property
    def big_blind(self) -> Seat:
        return Seat(0 if len(self.stacks) == 2 else 1)

    def forced(self) -> Iterator[ForcedBet]:
        """Antes before blinds, as PokerKit posts them."""
        for seat in map(Seat, range(len(self.stacks)) if self.ante_chips else ()):
            yield ForcedBet(seat, ForcedKind.ANTE, self.ante_chips)
        if self.big_blind_ante_chips:
            yield ForcedBet(self.big_blind, ForcedKind.BIG_BLIND_ANTE, self.big_blind_ante_chips)
        yield ForcedBet(Seat(1 - self.big_blind), ForcedKind.SMALL_BLIND, SMALL_BLIND)
        yield ForcedBet(self.big_blind, ForcedKind.BIG_BLIND, BIG_BLIND)
        if self.straddle_chips is not None:
            yield ForcedBet(Seat(2), ForcedKind.STRADDLE, self.straddle_chips)

    def deal(self) -> tuple[Hand, tuple[HandFact, ...]]:
        """A hand dealt from these cards."""
        hand = Hand(
            seats=[(Seat(number), stack) for number, stack in enumerate(self.stacks)],
            forced=tuple(self.forced()),
            big_blind_chips=BIG_BLIND,
            straddle_chips=self.straddle_chips,
        )
        hole = {Seat(number): cards for number, cards in enumerate(self.hole)}
        return hand, hand.deal(scripted_deck(hole=hole, board=self.board, order=hand.dealt))


def random_set_up(dice: random.Random) -> SetUp:
    """Two to ten seats; a third of the stacks are a few blinds or less; few ranks in one deal of three, so that pots are split."""
    players = dice.choice((2, 2, 3, 3, 4, 5, 6, 6, 8, 10))
    stacks = [_stack(dice) for _ in range(players)]
    ante = dice.choice((0, 0, 0, 1, 3))
    big_blind_ante = BIG_BLIND if not ante and dice.random() < 0.3 else 0
    straddle = 2 * BIG_BLIND if players > 2 and dice.random() < 0.25 and stacks[2] >= 2 * BIG_BLIND + ante else None
    cards = _cards(dice, 2 * players + 5)
    hole = tuple((cards[5 + 2 * place], cards[6 + 2 * place]) for place in range(players))
    return SetUp(tuple(stacks), ante, big_blind_ante, straddle, hole, tuple(cards[:5]))


def _stack(dice: random.Random) -> int:
    low, high = dice.choice(((1, 15), (10, 60), (30, 400), (500, 2000)))
    return dice.randint(low, high)


def _cards(dice: random.Random, count: int) -> list[Card]:
    """Some decks hold a straight on the board, so that several hands play it and odd chips are left over."""
    cards = dice.sample(DECK, count)
    if dice.random() < 0.35:
        board = [Card(rank + dice.choice("cdhs")) for rank in "TJQKA"]
        rest = [card for card in dice.sample(DECK, len(DECK)) if card not in board]
        return board + rest[: count - 5]
    return cards
