"""What holds in any hand, however it is played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from gameserver.hand.facts import ActionKind, CardsShown, HandFact, HandOver, HoleDealt, Mucked, Turn
from gameserver.hand.hand import Hand
from policy.ids import HoleCards, Seat
from policy.reveal_policy import Stage, Standing
from policy.sealed import open_sealed
from tests.hand.setups import SetUp, random_set_up

SEEDS = st.integers(0, 2**32)


@dataclass(frozen=True, slots=True)
class Moment:
    """The hand after a step, and what the step said."""

    hand: Hand
    facts: tuple[HandFact, ...]


def moments(set_up: SetUp, seed: int) -> Iterator[Moment]:
    """A hand played at random to its end, step by step."""
    dice = random.Random(seed)
    hand, facts = set_up.deal()
    yield Moment(hand, facts)
    while (turn := hand.turn) is not None:
        action, amount = move(dice, turn)
        yield Moment(hand, hand.act(turn.seat, action, amount))


def move(dice: random.Random, turn: Turn) -> tuple[ActionKind, int | None]:
    action = dice.choice((*turn.legal, turn.legal[1], turn.legal[1]))
    if action in {ActionKind.BET, ActionKind.RAISE} and turn.raise_range is not None:
        return action, dice.randint(*turn.raise_range)
    return action, None


def set_up_of(seed: int) -> SetUp:
    return random_set_up(random.Random(seed))


@given(SEEDS, SEEDS)
def test_no_chip_is_made_or_lost(deal: int, play: int) -> None:
    """After each step stacks and pot are the chips that there were; no stack and no bet is below 0; pots add up; stacks and what was put in too."""
    set_up = set_up_of(deal)
    for now in moments(set_up, play):
        hand = now.hand
        assert sum(hand.stacks.values()) + hand.pot_chips == sum(set_up.stacks)
        assert min(*hand.stacks.values(), *hand.bets.values(), *hand.contributed.values()) >= 0
        if not hand.over:  # what a cancelled hand gives back
            assert tuple(hand.stacks[seat] + chips for seat, chips in hand.contributed.items()) == set_up.stacks
        assert sum(amount for amount, _ in hand.pots()) + sum(hand.bets.values()) == hand.pot_chips


@given(SEEDS, SEEDS)
def test_the_result_adds_up(deal: int, play: int) -> None:
    """Pots hold what was put in, less what was returned; winners of a pot are eligible for it and share all of it."""
    set_up = set_up_of(deal)
    for now in moments(set_up, play):
        last = now
    result = last.hand.result
    assert isinstance(result, HandOver)
    assert last.facts[-1] == result
    assert sum(pot.amount_chips for pot in result.pots) == sum(last.hand.contributed.values())
    for pot in result.pots:
        assert sum(chips for _, chips in pot.winners) == pot.amount_chips
        assert {seat for seat, _ in pot.winners} <= set(pot.eligible)
        assert not set(pot.eligible) & last.hand.folded


@given(SEEDS, SEEDS)
def test_who_is_asked_can_do_what_is_offered(deal: int, play: int) -> None:
    """The next actor is live and has chips; each offered action is legal at both ends of its range, and none outside it."""
    for now in moments(set_up_of(deal), play):
        hand, turn = now.hand, now.hand.turn
        if turn is None:
            assert hand.over
            continue
        assert turn.seat not in hand.folded | hand.all_in
        assert 0 <= turn.to_call_chips <= hand.stacks[turn.seat]
        for action in ActionKind:
            amounts = turn.raise_range if action in {ActionKind.BET, ActionKind.RAISE} and turn.raise_range else (None,)
            assert all(hand.can(turn.seat, action, amount) is (action in turn.legal) for amount in amounts)
        if turn.raise_range is not None:
            least, most = turn.raise_range
            assert not any(hand.can(turn.seat, turn.legal[2], amount) for amount in (least - 1, most + 1))
            assert hand.bets[turn.seat] < least <= most == hand.bets[turn.seat] + hand.stacks[turn.seat]


@given(SEEDS, SEEDS, st.randoms(use_true_random=False))
def test_nothing_before_the_showdown_depends_on_hidden_cards(deal: int, play: int, dice: random.Random) -> None:
    """Two worlds with other hole cards: the same moves are offered and the same things said until cards are shown."""
    set_up = set_up_of(deal)
    cards = [card for hand in set_up.hole for card in hand]
    dice.shuffle(cards)
    other = replace(set_up, hole=tuple((cards[place], cards[place + 1]) for place in range(0, len(cards), 2)))
    for here, there in zip(moments(set_up, play), moments(other, play), strict=True):
        assert here.hand.turn == there.hand.turn
        assert [*open_facts(here.facts)] == [*open_facts(there.facts)]


def open_facts(facts: tuple[HandFact, ...]) -> Iterator[HandFact | Seat]:
    """Facts up to the first that tells of hole cards; of a deal only who got one."""
    for fact in facts:
        if isinstance(fact, CardsShown | Mucked) or (isinstance(fact, HandOver) and not fact.uncontested):
            return
        yield fact.seat if isinstance(fact, HoleDealt) else fact


@given(SEEDS, SEEDS)
def test_only_hands_that_may_be_seen_are_shown(deal: int, play: int) -> None:
    """What is shown is what was dealt to that seat; no folded hand is shown; nothing is shown while a decision is left."""
    set_up = set_up_of(deal)
    dealt: dict[Seat, HoleCards] = {}
    for now in moments(set_up, play):
        dealt |= {fact.seat: open_sealed(fact.cards) for fact in now.facts if isinstance(fact, HoleDealt)}
        shown = [fact for fact in now.facts if isinstance(fact, CardsShown)]
        assert now.hand.over or not shown
        assert all(fact.cards == dealt[fact.seat] and fact.seat not in now.hand.folded for fact in shown)
        stage = now.hand.cards().stage
        assert stage is (Stage.OVER if now.hand.over else Stage.BETTING)
        standings = {entry.seat: entry.standing for entry in now.hand.cards().seats}
        assert {seat for seat, standing in standings.items() if standing is Standing.FOLDED} == now.hand.folded
    assert dealt == {Seat(number): cards for number, cards in enumerate(set_up.hole)}


@given(SEEDS, SEEDS)
def test_the_same_hand_played_again_is_the_same(deal: int, play: int) -> None:
    """No clock and no randomness of its own: the facts are equal, seals apart."""
    set_up = set_up_of(deal)
    for here, there in zip(moments(set_up, play), moments(set_up, play), strict=True):
        assert unsealed(here.facts) == unsealed(there.facts)


def unsealed(facts: tuple[HandFact, ...]) -> list[HandFact | tuple[Seat, HoleCards]]:
    return [(fact.seat, open_sealed(fact.cards)) if isinstance(fact, HoleDealt) else fact for fact in facts]
