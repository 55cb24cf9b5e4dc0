"""The kind of a hand in words: before the flop by its two cards, after it by what they make with the board and what they may become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from phevaluator import evaluate_cards

from railbird.agenthost.house.strength import RANKS

_WEAKEST_OF: Final = (
    (10, "a straight flush"),
    (166, "four of a kind"),
    (322, "a full house"),
    (1599, "a flush"),
    (1609, "a straight"),
    (2467, "three of a kind"),
    (3325, "two pair"),
    (6185, "a pair"),
    (7462, "no pair"),
)
"""The evaluator's lowest rank of each class: 1 is the best hand, 7,462 the worst."""
_TEN: Final = RANKS.index("T")
_SEVEN: Final = RANKS.index("7")
_ACE: Final = RANKS.index("A")


def holding(hole: Sequence[str], board: Sequence[str]) -> str:
    """Of two cards and a board of none or three to five."""
    return _of_two(hole) if not board else _with_board(hole, board)


def _of_two(hole: Sequence[str]) -> str:
    high, low = sorted((RANKS.index(card[0]) for card in hole), reverse=True)
    if high == low:
        return f"a {'big' if high >= _TEN else 'middle' if high >= _SEVEN else 'small'} pair"
    suited = " of one suit" if hole[0][1] == hole[1][1] else ""
    if low >= _TEN:
        return f"two big cards{suited}"
    if high - low == 1:
        return f"two neighbours{suited}"
    return f"an ace and a small card{suited}" if high == _ACE else f"two cards{suited or ' that do not fit'}"


def _with_board(hole: Sequence[str], board: Sequence[str]) -> str:
    made = _made(hole, board)
    draws = _draws(hole, board) if len(board) < 5 else []
    return " and ".join([made, *draws])


def _made(hole: Sequence[str], board: Sequence[str]) -> str:
    rank = evaluate_cards(*hole, *board)
    name = next(name for weakest, name in _WEAKEST_OF if rank <= weakest)
    return _pair(hole, board) if name == "a pair" else name


def _pair(hole: Sequence[str], board: Sequence[str]) -> str:
    ours = [RANKS.index(card[0]) for card in hole]
    theirs = sorted({RANKS.index(card[0]) for card in board}, reverse=True)
    if ours[0] == ours[1]:
        return "a pair over the board" if ours[0] > theirs[0] else "a pair in the hand"
    paired = next((rank for rank in ours if rank in theirs), None)
    if paired is None:
        return "the board's pair"
    return "top pair" if paired == theirs[0] else "bottom pair" if paired == theirs[-1] else "middle pair"


def _draws(hole: Sequence[str], board: Sequence[str]) -> list[str]:
    cards = [*hole, *board]
    suits = [card[1] for card in cards]
    flush = any(suits.count(suit) == 4 for suit in {card[1] for card in hole})
    return [*(["a flush draw"] if flush else []), *(["a straight draw"] if _straight_draw(hole, board) else [])]


def _straight_draw(hole: Sequence[str], board: Sequence[str]) -> bool:
    """Whether one card more would make a straight in which a card of ours counts, and none is made."""
    ranks, ours = _ranks([*hole, *board]), _ranks(hole)
    windows = [set(range(low, low + 5)) for low in range(-1, 9)]
    if any(window <= ranks for window in windows):
        return False
    return any(len(window & ranks) == 4 and window & ours for window in windows)


def _ranks(cards: Sequence[str]) -> set[int]:
    """An ace counts below the deuce, too."""
    ranks = {RANKS.index(card[0]) for card in cards}
    return ranks | {-1} if _ACE in ranks else ranks
