"""Words of the game that both the hand engine and the wire use. It imports nothing, so that neither has to know the other."""

from __future__ import annotations

import enum


class Street(enum.StrEnum):
    """A round of betting."""

    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"


class ActionKind(enum.StrEnum):
    """A player's move."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"
    ALL_IN = "all_in"


class ForcedKind(enum.StrEnum):
    """A bet that nobody chose. `ante`, `big_blind_ante` and `dead_post` are no part of the bet to call."""

    ANTE = "ante"
    SMALL_BLIND = "small_blind"
    BIG_BLIND = "big_blind"
    BIG_BLIND_ANTE = "big_blind_ante"
    POST = "post"
    DEAD_POST = "dead_post"
    STRADDLE = "straddle"


class ShownBecause(enum.StrEnum):
    """Why cards are face up."""

    ALL_IN = "all_in"
    """No decision by anybody is left, and two or more are still in."""
    SHOWDOWN = "showdown"
    CHOICE = "choice"
    """Their player showed them after the hand."""
