"""A table as it stands at one instant: what the views read. Frozen; the hole cards in it are sealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gameserver.hand.facts import Posted, Street, Turn
from gameserver.table.commands import Player
from gameserver.table.facts import Blind, HandResult, Moved, Positions, SeatStatus
from gameserver.table.options import TableOptions
from policy.ids import Card, HandNumber, Seat, TurnId
from policy.reveal_policy import HandCards


@dataclass(frozen=True, slots=True)
class SeatState:
    """One occupied seat. `bet_chips`: on this street. `stack_chips`: behind. `paid_out`: left in mid-hand and was paid."""

    seat: Seat
    player: Player
    name: str
    stack_chips: int
    bet_chips: int
    status: SeatStatus
    connected: bool
    time_bank_ms: int
    disconnect_bank_ms: int
    missed: Blind | None
    paid_out: bool


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The decision that the table waits for. Times as in `TurnOpened`. `phase`: `turn`, `time_bank` or `disconnect_bank`."""

    turn_id: TurnId
    turn: Turn
    turn_ends_at_ms: int
    acts_for_at_ms: int
    time_bank_ms: int
    phase: str
    phase_left_ms: int


@dataclass(frozen=True, slots=True)
class LiveHand:
    """The hand in play. `moves`: every public action of it so far, in order. `pots`: (chips, eligible seats), main first.

    `pot_chips`: all chips in the middle, bets of this street included.
    """

    hand_number: HandNumber
    positions: Positions
    dealt: tuple[Seat, ...]
    street: Street
    board: tuple[Card, ...]
    pots: tuple[tuple[int, tuple[Seat, ...]], ...]
    pot_chips: int
    bets: Mapping[Seat, int]
    moves: tuple[Posted | Moved, ...]
    turn: OpenTurn | None
    cards: HandCards


@dataclass(frozen=True, slots=True)
class TableState:
    """`status`: `open`, `paused` or `closed`. `hand`: None between hands. `recent`: the last results, oldest first, 20 at most.

    `last_cards`: the cards of the hand that has just ended, until the next one begins (so that shown ones stay in view).
    """

    options: TableOptions
    status: str
    seats: tuple[SeatState, ...]
    hand_number: HandNumber
    hand: LiveHand | None
    recent: tuple[HandResult, ...]
    last_cards: HandCards | None

    def told(self, *, seats: tuple[SeatState, ...], status: str) -> TableState:
        """The same table with these seats and this status: all that somebody is told of it."""
        return replace(self, seats=seats, status=status)
