from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railbird.agenthost.house import STYLES, Choice, Knowledge, decide
from railbird.agenthost.house.strength import RANKS, SUITS
from railbird.client import ActionKind, Street

DECK = [rank + suit for rank in RANKS for suit in SUITS]
BOARD_CARDS = {Street.PREFLOP: 0, Street.FLOP: 3, Street.TURN: 4, Street.RIVER: 5}

PREFLOP = Knowledge(
    hole_cards=("As", "Ah"),
    board=(),
    street=Street.PREFLOP,
    pot_chips=30,
    to_call_chips=20,
    own_bet_chips=0,
    own_stack_chips=1_000,
    big_blind_chips=20,
    legal=frozenset({ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.ALL_IN}),
    raise_range=(40, 1_000),
    opponents=5,
    to_act_after=2,
    raises=0,
    callers=0,
)


@st.composite
def knowledges(draw: st.DrawFn) -> Knowledge:
    """Any turn that the rules can ask for, as `gameserver.hand.facts.Turn` describes it."""
    street = draw(st.sampled_from(Street))
    cards = draw(st.permutations(DECK))[: 2 + BOARD_CARDS[street]]
    stack = draw(st.integers(1, 5_000))
    own_bet = draw(st.integers(0, 1_000))
    to_call = draw(st.one_of(st.just(0), st.integers(1, stack)))
    legal = {ActionKind.FOLD, ActionKind.CALL if to_call else ActionKind.CHECK}
    raise_range = None
    if to_call < stack and draw(st.booleans()):
        most = own_bet + stack
        least = draw(st.integers(min(own_bet + to_call + 1, most), most))
        raise_range = (least, most)
        legal |= {ActionKind.RAISE if to_call or own_bet else ActionKind.BET, ActionKind.ALL_IN}
    elif to_call == stack:
        legal.add(ActionKind.ALL_IN)
    return Knowledge(
        hole_cards=tuple(cards[:2]) if draw(st.booleans()) else (),
        board=tuple(cards[2:]),
        street=street,
        pot_chips=draw(st.integers(1, 10_000)) + own_bet,
        to_call_chips=to_call,
        own_bet_chips=own_bet,
        own_stack_chips=stack,
        big_blind_chips=draw(st.integers(1, 200)),
        legal=frozenset(legal),
        raise_range=raise_range,
        opponents=draw(st.integers(1, 9)),
        to_act_after=draw(st.integers(0, 9)),
        raises=draw(st.integers(0, 6)),
        callers=draw(st.integers(0, 9)),
    )


def assert_legal(choice: Choice, knowledge: Knowledge) -> None:
    assert choice.action in knowledge.legal
    if choice.action in (ActionKind.BET, ActionKind.RAISE):
        assert knowledge.raise_range is not None and choice.amount_chips is not None
        assert knowledge.raise_range[0] <= choice.amount_chips <= knowledge.raise_range[1]
    else:
        assert choice.amount_chips is None


@given(knowledge=knowledges(), style=st.sampled_from(sorted(STYLES)), seed=st.integers(0, 2**32))
def test_a_choice_is_legal_whatever_is_asked(knowledge: Knowledge, style: str, seed: int) -> None:
    """An action that is offered, with an amount where and only where it takes one, inside the range."""
    assert_legal(decide(knowledge, STYLES[style], random.Random(seed)), knowledge)


@given(knowledge=knowledges(), style=st.sampled_from(sorted(STYLES)), seed=st.integers(0, 2**32))
def test_the_same_dice_make_the_same_move(knowledge: Knowledge, style: str, seed: int) -> None:
    choices = {decide(knowledge, STYLES[style], random.Random(seed)) for _ in range(2)}
    assert len(choices) == 1


@given(knowledge=knowledges(), style=st.sampled_from(sorted(STYLES)), seed=st.integers(0, 2**32))
def test_nobody_folds_for_free(knowledge: Knowledge, style: str, seed: int) -> None:
    if knowledge.to_call_chips == 0:
        assert decide(knowledge, STYLES[style], random.Random(seed)).action is not ActionKind.FOLD


def plays(style: str, seed: int = 7, hands: int = 400) -> tuple[float, float]:
    """The shares of random first hands that are played at all, and that are raised."""
    rng = random.Random(seed)
    moves = []
    for _ in range(hands):
        first, second = rng.sample(DECK, 2)
        moves.append(decide(replace(PREFLOP, hole_cards=(first, second)), STYLES[style], rng).action)
    return sum(move is not ActionKind.FOLD for move in moves) / hands, moves.count(ActionKind.RAISE) / hands


def test_styles_differ_as_their_names_say() -> None:
    """Loose ones play more hands than tight ones; aggressive ones raise more of what they play."""
    rock, shark, gambler, station = (plays(name) for name in ("rock", "shark", "gambler", "station"))
    assert rock[0] < shark[0] < gambler[0]
    assert station[0] > 1.8 * shark[0]
    assert shark[1] / shark[0] > 2 * station[1] / station[0]
    assert gambler[1] > shark[1] > rock[1]


@pytest.mark.parametrize("style", sorted(STYLES))
def test_aces_are_never_folded_before_the_flop(style: str) -> None:
    for seed in range(50):
        assert decide(PREFLOP, STYLES[style], random.Random(seed)).action is not ActionKind.FOLD


@pytest.mark.parametrize("style", sorted(STYLES))
def test_the_nuts_are_never_folded(style: str) -> None:
    nuts = replace(
        PREFLOP,
        hole_cards=("As", "Ks"),
        board=("Qs", "Js", "Ts", "2d", "3c"),
        street=Street.RIVER,
        pot_chips=500,
        to_call_chips=400,
        raises=1,
        opponents=1,
    )
    for seed in range(20):
        assert decide(nuts, STYLES[style], random.Random(seed)).action is not ActionKind.FOLD


def test_the_mathematician_folds_without_the_odds_and_calls_with_them() -> None:
    """The same hand against the same bet, for a small pot and for a large one."""
    draw = replace(
        PREFLOP,
        hole_cards=("9s", "8s"),
        board=("Ks", "2s", "4d", "Jc"),
        street=Street.TURN,
        to_call_chips=100,
        raises=1,
        opponents=1,
        legal=frozenset({ActionKind.FOLD, ActionKind.CALL}),
        raise_range=None,
    )
    style = replace(STYLES["mathematician"], bluffing=0.0)
    poor = {decide(replace(draw, pot_chips=110), style, random.Random(seed)).action for seed in range(20)}
    rich = {decide(replace(draw, pot_chips=2_000), style, random.Random(seed)).action for seed in range(20)}
    assert poor == {ActionKind.FOLD}
    assert rich == {ActionKind.CALL}


def test_without_cards_a_player_gives_up() -> None:
    assert decide(replace(PREFLOP, hole_cards=()), STYLES["gambler"], random.Random(1)) == Choice(ActionKind.FOLD)
