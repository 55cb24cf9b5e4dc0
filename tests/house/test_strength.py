from __future__ import annotations

import random

import pytest

from railbird.agenthost.house.strength import chen_points, equity, share_of_better_hands


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        ("As", "Ah", 20.0),
        ("Ks", "Kh", 16.0),
        ("2s", "2h", 5.0),
        ("As", "Ks", 12.0),
        ("Ah", "Ks", 10.0),
        ("Ts", "9s", 8.0),
        ("7s", "2h", -1.5),
        ("5h", "5c", 5.0),
    ],
)
def test_points(first: str, second: str, points: float) -> None:
    """As in Chen's own table, before rounding."""
    assert chen_points(first, second) == chen_points(second, first) == points


def test_no_hand_is_better_than_aces_and_most_are_better_than_seven_deuce() -> None:
    assert share_of_better_hands("As", "Ah") == 0.0
    assert share_of_better_hands("7s", "2h") > 0.95
    assert share_of_better_hands("As", "Kd") < 0.1


def test_equity_before_the_flop_is_near_the_known_one() -> None:
    """Aces win about 85 in 100 against one random hand, about 64 against three."""
    rng = random.Random(3)
    assert equity(("As", "Ah"), (), 1, rng, 2_000) == pytest.approx(0.85, abs=0.03)
    assert equity(("As", "Ah"), (), 3, rng, 2_000) == pytest.approx(0.64, abs=0.04)


def test_equity_on_the_river_knows_the_nuts_and_the_played_board() -> None:
    rng = random.Random(3)
    assert equity(("As", "Ks"), ("Qs", "Js", "Ts", "2d", "3c"), 1, rng, 50) == 1.0
    assert equity(("2d", "3c"), ("Qs", "Js", "Ts", "As", "Ks"), 2, rng, 50) == 0.5
