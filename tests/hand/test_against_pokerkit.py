"""Random hands played here and at PokerKit side by side: each decision and the final stacks agree, but for known divergences.

RAILBIRD_DIFFERENTIAL_HANDS sets how many (1,200 by default: a good twenty seconds, nearly all of them PokerKit's).
"""

from __future__ import annotations

import os
import random
from collections import Counter

from gameserver.hand.facts import Acted, ActionKind, HandFact, Street, StreetDealt, Turn
from gameserver.hand.hand import Hand
from tests.hand.pokerkit_oracle import Asked, Divergence, PokerKitTable, StreetSoFar, explain, stacks_by_their_odd_chips
from tests.hand.setups import BIG_BLIND, SetUp, random_set_up

HANDS = int(os.environ.get("RAILBIRD_DIFFERENTIAL_HANDS", "1200"))


def test_random_hands_agree_with_pokerkit() -> None:
    """Every decision (who, how much to call, the range of a raise) and every final stack; each known divergence but the rare one is met."""
    met: Counter[Divergence] = Counter()
    compared = 0
    for seed in range(HANDS):
        try:
            compared += SideBySide(random_set_up(random.Random(seed)), random.Random(seed + 1), met).play()
        except AssertionError as difference:
            difference.add_note(f"hand {seed}")
            raise
    print({divergence.name: met[divergence] for divergence in Divergence}, compared, "hands to the end")
    assert compared > HANDS * 0.8
    assert HANDS < 1200 or {divergence for divergence in Divergence if not met[divergence]} <= {Divergence.CLOSED_AGAIN}


def test_short_all_ins_that_come_to_a_full_raise_stay_a_full_raise() -> None:
    """Raise to 30, all-in 45, 55 and 60: the raiser faces 30 more, a full raise and over, and may raise; PokerKit refuses."""
    dice, met = random.Random(3), Counter[Divergence]()
    cards = random_set_up(random.Random(9))
    hole = tuple(cards.hole[seat] for seat in range(6))
    hand = SideBySide(SetUp((1000, 1000, 1000, 45, 55, 60), 0, 0, None, hole, cards.board), dice, met)
    for kind, total in [(ActionKind.RAISE, amount) for amount in (30, 45, 55, 60)] + [
        (ActionKind.FOLD, None),
        (ActionKind.CALL, None),
    ]:
        hand.both(kind, total)
    turn, asked = hand.hand.turn, hand.theirs.asked()
    assert turn is not None
    assert asked is not None
    assert (turn.seat, turn.to_call_chips, turn.raise_range) == (2, 30, (80, 1000))
    assert (asked.seat, asked.to_call_chips, asked.raise_range) == (2, 30, None)
    assert hand.explained(turn, asked) is Divergence.CLOSED_AGAIN


class SideBySide:
    """One hand at both tables."""

    def __init__(self, set_up: SetUp, dice: random.Random, met: Counter[Divergence]) -> None:
        self.set_up = set_up
        self.dice = dice
        self.met = met
        self.theirs = PokerKitTable(set_up)
        self.hand, facts = set_up.deal()
        opened_at = set_up.straddle_chips or BIG_BLIND
        self.street = StreetSoFar(opened_at, opened_at)
        self.note(facts)

    def play(self) -> bool:
        """Whether the hand could be compared to its end."""
        while True:
            ours, theirs = self.hand.turn, self.theirs.asked()
            if ours is None and theirs is None:
                return self.compare_stacks()
            if not agree(ours, theirs) and not self.goes_on_after(self.explained(ours, theirs)):
                return False
            if ours is None:
                self.theirs.act(ActionKind.CHECK, None)
            elif theirs is not None and not self.move(self.hand, ours, theirs):
                return False

    def explained(self, ours: Turn | None, theirs: Asked | None) -> Divergence:
        divergence = explain(self.set_up, self.hand, self.street, ours, theirs)
        assert divergence is not None, f"ours {ours}, PokerKit's {theirs}, {self.set_up.stacks}, {self.street}"
        self.met[divergence] += 1
        return divergence

    def goes_on_after(self, divergence: Divergence) -> bool:
        """After a short blind the two hands have different bets in front of them: there is no more to compare."""
        return divergence is not Divergence.SHORT_BLIND

    def move(self, hand: Hand, ours: Turn, theirs: Asked) -> bool:
        """Makes one move that both allow. A fold with nothing to call is refused there, and ends the comparison."""
        kind, total = self.choose(ours, theirs)
        if kind is ActionKind.FOLD and not self.theirs.state.can_fold():
            assert ours.to_call_chips == 0
            assert hand.can(ours.seat, kind, None)
            self.met[Divergence.NO_FOLD] += 1
            return False
        self.both(kind, total)
        return True

    def both(self, kind: ActionKind, total: int | None) -> None:
        turn = self.hand.turn
        assert turn is not None
        self.note(self.hand.act(turn.seat, kind, total))
        self.theirs.act(kind, total)

    def choose(self, ours: Turn, theirs: Asked) -> tuple[ActionKind, int | None]:
        passive = ours.legal[1]
        if self.dice.random() < (0.2 if ours.to_call_chips else 0.005):
            return ActionKind.FOLD, None
        if ours.raise_range is None or theirs.raise_range is None or self.dice.random() < 0.55:
            return passive, None
        least, most = max(ours.raise_range[0], theirs.raise_range[0]), ours.raise_range[1]
        total = self.dice.choice((least, most, min(most, least + self.dice.randint(0, 3 * BIG_BLIND))))
        return (ActionKind.RAISE if ActionKind.RAISE in ours.legal else ActionKind.BET), total

    def note(self, facts: tuple[HandFact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, StreetDealt):
                assert fact.street is not Street.PREFLOP
                self.street = StreetSoFar(BIG_BLIND, 0)
            elif isinstance(fact, Acted):
                self.street.note(fact)

    def compare_stacks(self) -> bool:
        result = self.hand.result
        assert result is not None
        ours, theirs = tuple(chips for _, chips in result.stacks), self.theirs.stacks()
        if ours != theirs:
            by_pot = stacks_by_their_odd_chips(result, merge=False)
            self.met[Divergence.ODD_CHIPS if theirs == by_pot else Divergence.MERGED_POTS] += 1
            assert theirs in (by_pot, stacks_by_their_odd_chips(result, merge=True)), (
                f"ours {ours}, {theirs}, {result.pots}"
            )
        return True


def agree(ours: Turn | None, theirs: Asked | None) -> bool:
    if ours is None or theirs is None:
        return ours is None and theirs is None
    return Asked(ours.seat, ours.to_call_chips, ours.raise_range) == theirs
