"""How good two cards are: before the flop by a formula, after it by dealing the rest many times."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations
from typing import Final

from phevaluator import evaluate_cards

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
_DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
_ID: Final = {card: number for number, card in enumerate(_DECK)}
_POINTS: Final = {"A": 10.0, "K": 8.0, "Q": 7.0, "J": 6.0} | {str(n): n / 2 for n in range(2, 10)} | {"T": 5.0}
_GAP_COST: Final = (0, 1, 2, 4, 5)
_MOST_OPPONENTS_DEALT: Final = 3


def chen_points(first: str, second: str) -> float:
    """Bill Chen's points for two hole cards (Chen and Ankenman's formula, not rounded up): -1.5 to 20."""
    high, low = sorted((first, second), key=lambda card: RANKS.index(card[0]), reverse=True)
    points = _POINTS[high[0]]
    if high[0] == low[0]:
        return max(5.0, points * 2)
    gap = RANKS.index(high[0]) - RANKS.index(low[0]) - 1
    points -= _GAP_COST[min(gap, 4)]
    if high[1] == low[1]:
        points += 2
    if gap <= 1 and high[0] not in "QKA":
        points += 1
    return points


@cache
def _points_of_all() -> tuple[float, ...]:
    return tuple(sorted(chen_points(first, second) for first, second in combinations(_DECK, 2)))


def share_of_better_hands(first: str, second: str) -> float:
    """The share of all starting hands with more points: 0.0 for aces, towards 1.0 for the worst."""
    points = chen_points(first, second)
    every = _points_of_all()
    return sum(other > points for other in every) / len(every)


def equity(hole: tuple[str, ...], board: tuple[str, ...], opponents: int, rng: random.Random, samples: int) -> float:
    """The share of the pot that two cards win against random hands, by `samples` deals (a tie counts as half)."""
    opponents = max(1, min(opponents, _MOST_OPPONENTS_DEALT))
    known = [_ID[card] for card in (*hole, *board)]
    rest = [number for number in range(len(_DECK)) if number not in known]
    missing = 5 - len(board)
    mine, table = known[:2], known[2:]
    won = 0.0
    for _ in range(samples):
        dealt = rng.sample(rest, missing + 2 * opponents)
        full_board = table + dealt[:missing]
        own_rank = evaluate_cards(*mine, *full_board)
        best = min(evaluate_cards(*dealt[at : at + 2], *full_board) for at in range(missing, len(dealt), 2))
        won += 1.0 if own_rank < best else 0.5 if own_rank == best else 0.0
    return won / samples
