"""How chips lie in pots and how a pot is divided."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gameserver.hand.pots import layers, shares, uncalled
from policy.ids import Seat

A, B, C, D = Seat(0), Seat(1), Seat(2), Seat(3)


def test_equal_bets_are_one_pot() -> None:
    """Two live seats with the same chips in, and one that folded."""
    assert layers({A: 100, B: 100, C: 40}, 0, [A, B]) == ((240, (A, B)),)


def test_each_all_in_makes_a_layer() -> None:
    """Three levels: three pots, main pot first; folded chips stay in the layers that they reached."""
    assert layers({A: 50, B: 150, C: 150, D: 100}, 0, [A, B, C]) == ((200, (A, B, C)), (250, (B, C)))


def test_dead_money_is_in_the_main_pot() -> None:
    """A big-blind ante or a dead post joins the lowest layer."""
    assert layers({A: 8, B: 20, C: 20}, 30, [A, B, C]) == ((54, (A, B, C)), (24, (B, C)))


def test_dead_money_alone_is_a_pot_for_who_has_nothing_else_in() -> None:
    """A seat that is all-in from a big-blind ante plays for the dead money only."""
    assert layers({A: 0, B: 20, C: 20}, 15, [A, B, C]) == ((15, (A, B, C)), (40, (B, C)))


def test_folded_chips_above_all_live_ones_are_in_the_last_pot() -> None:
    """Who folded had more in than anybody still in: the chips are not lost."""
    assert layers({A: 30, B: 50, C: 100}, 0, [A, B]) == ((90, (A, B)), (90, (B,)))


def test_nothing_in_the_middle_is_no_pot() -> None:
    """No empty pots."""
    assert layers({A: 0, B: 0}, 0, [A, B]) == ()


def test_odd_chips_go_one_each_to_the_first() -> None:
    """350 among three: 117, 117, 116."""
    assert shares(350, [C, A, B]) == ((C, 117), (A, 117), (B, 116))


def test_what_nobody_matched_is_uncalled() -> None:
    """Above the second highest bet, folded or not; nothing when two bets are equal."""
    assert uncalled({A: 100, B: 300, C: 50}, [A, B]) == (B, 200)
    assert uncalled({A: 100, B: 300, C: 250}, [A, B]) == (B, 50)
    assert uncalled({A: 300, B: 300, C: 0}, [A, B]) is None
    assert uncalled({A: 30, B: 50, C: 100}, [A, B]) is None


CHIPS = st.lists(st.integers(0, 500), min_size=2, max_size=10)


@given(CHIPS, st.integers(0, 100), st.data())
def test_layers_hold_all_chips_and_shrink_upwards(chips: list[int], dead: int, data: st.DataObject) -> None:
    """No chip is lost or made; each pot has fewer claimants than the one below; who has the most in is in each of them."""
    paid = {Seat(number): amount for number, amount in enumerate(chips)}
    live = sorted(data.draw(st.sets(st.sampled_from(sorted(paid)), min_size=1)))
    pots = layers(paid, dead, live)
    assert sum(amount for amount, _ in pots) == sum(chips) + dead
    claimants = [frozenset(eligible) for _, eligible in pots]
    assert all(upper < lower for lower, upper in itertools.pairwise(claimants))
    deepest = max(live, key=paid.__getitem__)
    assert all(deepest in eligible for eligible in claimants)


@given(st.integers(0, 10_000), st.integers(1, 10))
def test_shares_are_even_to_a_chip(amount: int, winners: int) -> None:
    """They sum up to the pot, and an earlier winner has at most one chip more than a later one."""
    chips = [share for _, share in shares(amount, [Seat(number) for number in range(winners)])]
    assert sum(chips) == amount
    assert chips == sorted(chips, reverse=True)
    assert chips[0] - chips[-1] <= 1
