"""Who has the better hand, who shows, and which code opens seals."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from phevaluator import Card as TheirCard
from pokerkit import StandardHighHand

from gameserver.hand.showdown import Strength, best, must_show, strengths
from policy.ids import DECK, HoleCards, Seat
from policy.sealed import Sealed
from tests.cases.casebook import split_cards

A, B, C = Seat(0), Seat(1), Seat(2)


def strength(hole: str, board: str) -> Strength:
    first, second = split_cards(hole)
    return strengths({A: Sealed((first, second))}, split_cards(board))[A]


def test_each_card_has_the_number_of_the_evaluator() -> None:
    """phevaluator counts cards in the order of DECK."""
    assert [TheirCard(card).id_ for card in DECK] == list(range(52))


@pytest.mark.parametrize(
    ("better", "worse", "board"),
    [
        ("Ah9d", "2s2c", "2h3s4d5cKh"),
        ("6h7c", "Ah9d", "2h3s4d5cKh"),
        ("7h7d", "AsKs", "7c7sAdKhQh"),
        ("2s9s", "AdKd", "3s4s8sKcKh"),
    ],
    ids=["a wheel beats trips", "a six-high straight beats a wheel", "quads beat two pair", "a flush beats trips"],
)
def test_the_ranking_of_hands(better: str, worse: str, board: str) -> None:
    """A smaller strength is a better hand."""
    assert strength(better, board) < strength(worse, board)


def test_the_board_plays_for_everybody() -> None:
    """Royal cards on the board tie every hand."""
    assert strength("2c2d", "AsKsQsJsTs") == strength("AhAd", "AsKsQsJsTs")


def test_strengths_order_hands_as_pokerkit_does() -> None:
    """Three hundred random deals, sorted by both; ties too."""
    dice = random.Random(11)
    board = dice.sample(DECK, 5)
    rest = [card for card in DECK if card not in board]
    hands: list[HoleCards] = [(pair[0], pair[1]) for pair in (dice.sample(rest, 2) for _ in range(300))]
    ranked = sorted(hands, key=lambda hand: strength("".join(hand), "".join(board)))
    theirs = [StandardHighHand.from_game("".join(hand), "".join(board)) for hand in ranked]
    for (hand, next_hand), (their, their_next) in zip(pairwise(ranked), pairwise(theirs), strict=True):
        ours_equal = strength("".join(hand), "".join(board)) == strength("".join(next_hand), "".join(board))
        assert (their == their_next) is ours_equal
        assert their >= their_next


def test_the_best_of_those_eligible_win() -> None:
    """A better hand that is not eligible for a pot does not win it; ties win together, in order."""
    ranks = {A: Strength(1), B: Strength(5), C: Strength(5)}
    assert best((A, B, C), ranks) == (A,)
    assert best((B, C), ranks) == (B, C)
    assert best((C,), {}) == (C,)


@pytest.mark.parametrize(
    ("ranks", "shows"),
    [((1, 2, 3), (A,)), ((3, 2, 1), (A, B, C)), ((2, 3, 1), (A, C)), ((2, 2, 3), (A, B)), ((3, 3, 3), (A, B, C))],
)
def test_who_shows(ranks: tuple[int, int, int], shows: tuple[Seat, ...]) -> None:
    """The first shows; after it whoever is not beaten by a hand that was shown; a tie shows to get its share."""
    order = (A, B, C)
    assert must_show(order, dict(zip(order, map(Strength, ranks), strict=True))) == shows


def test_a_strength_needs_a_whole_board() -> None:
    """Four cards on the board are a mistake of the caller, not a strength."""
    with pytest.raises(TypeError):
        strength("AsAd", "2c3c4c5c")
