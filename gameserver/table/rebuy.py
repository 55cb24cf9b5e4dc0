"""Buying more chips: at once beside a hand, after it for a seat that is in it (table stakes)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gameserver.errors import ErrorCode, Refusal
from gameserver.table.commands import Rebuy
from gameserver.table.facts import ChipsBought, RebuyReserved, RebuyReturned, WishDropped
from gameserver.table.options import TableOptions
from gameserver.table.seats import Chair
from gameserver.table.table import Change, Table
from policy.ids import Seat


def prepare_rebuy(table: Table, command: Rebuy) -> Change:
    """Raises Refusal: not_seated, buy_in_below_min, buy_in_above_max."""
    chair = table.staying_chair_of(command.player)
    if command.amount_chips > table.options.max_buy_in_chips:
        raise Refusal(ErrorCode.BUY_IN_ABOVE_MAX, "more than the largest buy-in")
    if table.is_in_hand(chair.seat):
        return partial(_reserve, table, chair.seat, command.amount_chips)
    _check_fits(table.stack_of(chair), command.amount_chips, table.options)
    return partial(_buy, table, chair.seat, command.amount_chips)


def apply_reserved(table: Table, seat: Seat) -> None:
    """When the hand is over: what fits under the maximum reaches the stack, and the rest goes back."""
    chair = table.chairs[seat]
    reserved = chair.reserved_chips
    if not reserved:
        return
    fits = min(reserved, max(0, table.options.max_buy_in_chips - chair.stack_chips))
    if chair.stack_chips == 0 and fits < table.options.min_buy_in_chips:
        table.tell(WishDropped(seat, chair.player_id, ErrorCode.BUY_IN_BELOW_MIN))
        fits = 0
    table.put(replace(chair, stack_chips=chair.stack_chips + fits, reserved_chips=0))
    if fits:
        table.tell(ChipsBought(seat, chair.player, fits))
    if reserved > fits:
        table.tell(RebuyReturned(seat, chair.player, reserved - fits))


def _check_fits(stack_chips: int, amount_chips: int, options: TableOptions) -> None:
    if stack_chips == 0 and amount_chips < options.min_buy_in_chips:
        raise Refusal(ErrorCode.BUY_IN_BELOW_MIN, "without chips it takes the least buy-in")
    if stack_chips + amount_chips > options.max_buy_in_chips:
        raise Refusal(ErrorCode.BUY_IN_ABOVE_MAX, "the stack would be above the largest buy-in")


def _reserve(table: Table, seat: Seat, amount_chips: int, now_ms: int) -> None:
    chair = _replaced(table, table.chairs[seat])
    table.put(replace(chair, reserved_chips=amount_chips))
    table.tell(RebuyReserved(seat, chair.player, amount_chips))


def _buy(table: Table, seat: Seat, amount_chips: int, now_ms: int) -> None:
    chair = _replaced(table, table.chairs[seat])
    table.put(replace(chair, stack_chips=chair.stack_chips + amount_chips, reserved_chips=0))
    table.tell(ChipsBought(seat, chair.player, amount_chips))


def _replaced(table: Table, chair: Chair) -> Chair:
    """Of two rebuys in one hand the later replaces the earlier."""
    if chair.reserved_chips:
        table.tell(RebuyReturned(chair.seat, chair.player, chair.reserved_chips))
    return chair
