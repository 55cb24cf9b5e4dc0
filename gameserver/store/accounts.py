"""The accounts of the chip ledger, and moves between them.

Double entry: a move takes from one account what it gives to another, so the sum over all accounts is zero at every commit
(test_the_sum_of_all_accounts_is_zero).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from policy.ids import HandNumber, TableId, UserId


@dataclass(frozen=True, slots=True)
class Issued:
    """Where play chips come from; the one account that may be below zero."""


@dataclass(frozen=True, slots=True)
class Bankroll:
    """A person's play chips away from the tables."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """What a player has at a table. `player_id`: an agent's id or a user's."""

    table_id: TableId
    player_id: str


@dataclass(frozen=True, slots=True)
class PotAccount:
    """Passes the chips of a finished hand on; zero at every commit."""

    table_id: TableId


Account: TypeAlias = Issued | Bankroll | SeatAccount | PotAccount


class Reason(enum.StrEnum):
    GRANT = "grant"
    BUY_IN = "buy_in"
    REBUY = "rebuy"
    REBUY_RETURNED = "rebuy_returned"
    BET = "bet"
    WIN = "win"
    CASH_OUT = "cash_out"
    REFUND = "refund"


@dataclass(frozen=True, slots=True)
class ChipMove:
    """`amount_chips` (above 0) from `source` to `target`. `table_id` and `hand_number`: None where it is about none."""

    source: Account
    target: Account
    amount_chips: int
    reason: Reason
    table_id: TableId | None
    hand_number: HandNumber | None
