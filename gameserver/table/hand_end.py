"""When a hand is over: played to its end, or cancelled. Either way what had to wait for it happens now.

Order: the result, bought chips, who sits out, new versions, who leaves, and the closing of the table.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.table import clock, rebuy, seats
from gameserver.table.clock import Banks
from gameserver.table.commands import AgentPlayer, Player
from gameserver.table.debts import NONE
from gameserver.table.facts import (
    HandCancelled,
    HandEnded,
    HandResult,
    LeftBecause,
    Renamed,
    TableStatusChanged,
    VersionChanged,
)
from gameserver.table.leaving import free_all_leaving, give_up
from gameserver.table.play import Play
from gameserver.table.seats import Chair
from gameserver.table.table import RECENT_HANDS, Change, Table
from policy.ids import AgentVersionId, HandNumber, Seat


def finish(table: Table, play: Play, now_ms: int) -> None:
    """The hand was played: what it made of chips, debts, banks and positions becomes true."""
    result = _result(table, play)
    after = dict(result.over.stacks)
    table.tell(HandEnded(result))
    for seat, before in play.plan.dealt:
        table.put(_played(table, play, table.chairs[seat], after[seat] - before))
    for seat, debt in play.plan.debts.items():
        if seat in table.chairs:
            table.put(replace(table.chairs[seat], debt=debt))
    table.marks = play.plan.seating.marks
    table.recent = [*table.recent, result][-RECENT_HANDS:]
    table.ended = play.engine
    table.ended_players = {seat: table.chairs[seat].player_id for seat, _ in play.plan.dealt}
    table.play = None
    _what_waited(table, now_ms)


def prepare_cancel(table: Table, why: str) -> Change:
    """Ends the hand as if it had not been dealt. Raises Refusal(not_found) where none is in play."""
    if table.play is None and table.begun is None:
        raise Refusal(ErrorCode.NOT_FOUND, "no hand is in play")
    return partial(_cancel, table, why)


def change_version(table: Table, seat: Seat, version_id: AgentVersionId) -> None:
    """The agent in this seat plays on in another version."""
    chair = table.chairs[seat]
    if isinstance(chair.player, AgentPlayer):
        table.put(replace(chair, player=replace(chair.player, version_id=version_id), next_version=None))
        table.tell(VersionChanged(seat, version_id))


def rename(table: Table, name: str) -> None:
    """The table is called so from now on."""
    table.next_name = None
    if name != table.options.name:
        table.options = replace(table.options, name=name)
        table.tell(Renamed(name))


def close(table: Table, now_ms: int) -> None:
    """Everybody is paid, and the table is closed."""
    for chair in tuple(table.chairs.values()):
        give_up(table, chair, LeftBecause.CLOSED, now_ms)
    table.status = "closed"
    table.tell(TableStatusChanged("closed"))


def _cancel(table: Table, why: str, now_ms: int) -> None:
    """The chairs are as they were before the deal already: see `seats`."""
    table.tell(
        HandCancelled(
            hand_number=_cancelled_number(table),
            refunds=_refunds(table),
            why=why,
            paid_out=frozenset(chair.seat for chair in table.chairs.values() if chair.paid_out),
        )
    )
    for chair in tuple(table.chairs.values()):
        if chair.paid_out:
            _refund_the_departed(table, chair)
    table.play = None
    table.begun = None
    _what_waited(table, now_ms)


def _cancelled_number(table: Table) -> HandNumber:
    if table.play is not None:
        return table.play.hand_number
    if table.begun is None:
        raise Bug("no hand to cancel")
    return table.begun.hand_number


def _refunds(table: Table) -> tuple[tuple[Seat, Player, int], ...]:
    """What each seat had put in. After a restart only that of a player paid out in mid-hand is known: what is on the chair."""
    put_in = table.play.put_in_chips if table.play is not None else lambda seat: 0
    amounts = [
        (chair.seat, chair.player, chair.stack_chips if chair.paid_out else put_in(chair.seat))
        for chair in sorted(table.chairs.values(), key=lambda chair: chair.seat)
    ]
    return tuple(each for each in amounts if each[2] > 0)


def _refund_the_departed(table: Table, chair: Chair) -> None:
    """A player who was paid in mid-hand took these chips too, as far as the return rule is concerned."""
    table.put(replace(chair, stack_chips=0))
    table.departures = [
        replace(left, took_chips=left.took_chips + chair.stack_chips) if left.player == chair.player_id else left
        for left in table.departures
    ]


def _result(table: Table, play: Play) -> HandResult:
    over = play.engine.result
    if over is None:
        raise Bug("the hand is not over")
    dealt = [seat for seat, _ in play.plan.dealt]
    return HandResult(
        hand_number=play.hand_number,
        positions=play.plan.seating.positions,
        began_with=play.plan.dealt,
        players=tuple((seat, table.chairs[seat].player) for seat in dealt),
        names=tuple((seat, table.chairs[seat].name) for seat in dealt),
        moves=tuple(play.moves),
        board=play.engine.board,
        over=over,
        shown=tuple(play.shown),
        contributed=tuple((seat, play.put_in_chips(seat)) for seat in dealt),
        cards=play.engine.cards(),
    )


def _played(table: Table, play: Play, chair: Chair, won_chips: int) -> Chair:
    """The chair after a hand that it was dealt: `won_chips` may be below zero."""
    clocks = table.options.clocks
    timeouts = play.timeouts[chair.seat]
    consumed = play.plan.straddler == chair.seat and chair.seat not in play.straddles_again
    return replace(
        chair,
        stack_chips=chair.stack_chips + won_chips,
        debt=NONE,
        posts=False,
        straddles=chair.straddles and not consumed,
        hands_dealt=chair.hands_dealt + 1,
        timeouts=timeouts,
        banks=_banks_after(table, play, chair),
        sit_out_asked=chair.sit_out_asked or 0 < clocks.timeouts_to_sit_out <= timeouts,
    )


def _banks_after(table: Table, play: Play, chair: Chair) -> Banks:
    """The time bank refilled when it is due; the disconnect bank full after a hand without a break of the line."""
    clocks = table.options.clocks
    left = play.banks[chair.seat]
    time_bank_ms = clock.refilled(
        left.time_bank_ms,
        chair.hands_dealt + 1,
        every_hands=clocks.refill_every_hands,
        refill_ms=clocks.refill_ms,
        cap_ms=clocks.time_bank_ms,
    )
    whole = chair.seat not in play.lost_line
    return Banks(time_bank_ms, clocks.disconnect_bank_ms if whole else left.disconnect_bank_ms)


def _what_waited(table: Table, now_ms: int) -> None:
    for seat in sorted(table.chairs):
        rebuy.apply_reserved(table, seat)
    for chair in tuple(table.chairs.values()):
        if chair.sit_out_asked:
            table.put(seats.sit_out(chair))
        if chair.next_version is not None:
            change_version(table, chair.seat, chair.next_version)
    if table.next_name is not None:
        rename(table, table.next_name)
    free_all_leaving(table, now_ms)
    if table.closing and table.status != "closed":
        close(table, now_ms)
