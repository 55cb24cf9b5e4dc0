"""What a player may wish for: sitting out and in, posting or waiting, straddling."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gameserver.errors import ErrorCode, Refusal
from gameserver.table import seats
from gameserver.table.commands import PlayerId, SitOut, SitOutWhen
from gameserver.table.table import Change, Table
from policy.ids import Seat


def prepare_sit_out(table: Table, command: SitOut) -> Change:
    """Raises Refusal(not_seated)."""
    chair = table.staying_chair_of(command.player)
    return partial(_sit_out, table, chair.seat, command.when)


def prepare_sit_in(table: Table, player: PlayerId) -> Change:
    """Raises Refusal(not_seated)."""
    return partial(_sit_in, table, table.staying_chair_of(player).seat)


def prepare_posting(table: Table, player: PlayerId, *, posts: bool) -> Change:
    """The wish to post, or taking it back. Raises Refusal: not_seated, nothing_to_post."""
    chair = table.staying_chair_of(player)
    if not table.debt_of(chair).owes:
        raise Refusal(ErrorCode.NOTHING_TO_POST, "this seat owes nothing")
    return partial(_wish_to_post, table, chair.seat, posts)


def prepare_straddle(table: Table, player: PlayerId) -> Change:
    """Raises Refusal: not_seated, straddle_off."""
    chair = table.staying_chair_of(player)
    if not table.options.straddle:
        raise Refusal(ErrorCode.STRADDLE_OFF, "this table has no straddles")
    return partial(_wish_to_straddle, table, chair.seat)


def _sit_out(table: Table, seat: Seat, when: SitOutWhen, now_ms: int) -> None:
    """Of two wishes the later counts."""
    chair = table.chairs[seat]
    if chair.sitting_out:
        return
    if when is SitOutWhen.NEXT_BIG_BLIND:
        table.put(replace(chair, sit_out_asked=False, out_at_big_blind=True))
    elif table.play is not None and table.play.is_dealt(seat):
        table.put(replace(chair, sit_out_asked=True, out_at_big_blind=False))
    else:
        table.put(seats.sit_out(chair))


def _sit_in(table: Table, seat: Seat, now_ms: int) -> None:
    """Also takes back a wish to sit out, and starts the count of timeouts again."""
    chair = table.chairs[seat]
    table.put(replace(chair, sitting_out=False, sit_out_asked=False, out_at_big_blind=False, timeouts=0))
    if table.play is not None and table.play.is_dealt(seat):
        table.play.timeouts[seat] = 0


def _wish_to_post(table: Table, seat: Seat, posts: bool, now_ms: int) -> None:
    table.put(replace(table.chairs[seat], posts=posts))


def _wish_to_straddle(table: Table, seat: Seat, now_ms: int) -> None:
    """Whoever straddles in the hand in play wishes for the one after."""
    table.put(replace(table.chairs[seat], straddles=True))
    if table.play is not None and table.play.plan.straddler == seat:
        table.play.straddles_again.add(seat)
