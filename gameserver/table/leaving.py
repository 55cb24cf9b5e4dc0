"""Giving a seat up: at once, or when the hand is over. Standing, leaving, removal and closing are all the same to the chips."""

from __future__ import annotations

from dataclasses import replace

from gameserver.table.facts import LeftBecause, RebuyReturned, SeatFreed, SeatPaid
from gameserver.table.seats import Chair
from gameserver.table.table import Table
from policy.ids import Seat


def give_up(table: Table, chair: Chair, because: LeftBecause, now_ms: int) -> None:
    """Takes a player off the table.

    No hand: paid, and the seat is free. Not in the hand, or folded: paid at once, and the seat is blocked until the hand is
    over. In the hand: marked as leaving, for `hand_flow` to fold it when the action gets there and to free it at the end.
    """
    if chair.leaving is not None:
        return
    chair = _give_reserved_back(table, chair)
    table.put(replace(chair, leaving=because))
    if table.play is None:
        free(table, chair.seat, now_ms)
    elif not table.play.is_in(chair.seat):
        _pay_in_mid_hand(table, chair.seat, now_ms)


def free(table: Table, seat: Seat, now_ms: int) -> None:
    """Pays what the seat has, and frees it."""
    chair = table.chairs[seat]
    if not chair.paid_out:
        _pay(table, chair, chair.stack_chips, now_ms)
    table.free(seat)
    table.tell(SeatFreed(seat, chair.player, chair.leaving or LeftBecause.REMOVED))


def free_all_leaving(table: Table, now_ms: int) -> None:
    """When a hand is over."""
    for seat in [chair.seat for chair in table.chairs.values() if chair.leaving is not None]:
        free(table, seat, now_ms)


def _pay_in_mid_hand(table: Table, seat: Seat, now_ms: int) -> None:
    """Pays what is behind. What the seat put into the hand stays on its chair until the hand is over."""
    chair = table.chairs[seat]
    behind = table.stack_of(chair)
    _pay(table, chair, behind, now_ms)
    table.put(replace(chair, stack_chips=chair.stack_chips - behind, paid_out=True))


def _pay(table: Table, chair: Chair, amount_chips: int, now_ms: int) -> None:
    table.remember_departure(chair.player_id, amount_chips, now_ms)
    if amount_chips:
        table.tell(SeatPaid(chair.seat, chair.player, amount_chips))


def _give_reserved_back(table: Table, chair: Chair) -> Chair:
    if chair.reserved_chips:
        table.tell(RebuyReturned(chair.seat, chair.player, chair.reserved_chips))
    return replace(chair, reserved_chips=0)
