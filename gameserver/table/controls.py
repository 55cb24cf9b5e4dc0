"""What its creator and its operators may do to a table, and the powers that its rules give to players."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from gameserver.errors import ErrorCode, Refusal
from gameserver.table import hand_end, hand_flow
from gameserver.table.commands import (
    AgentPlayer,
    NarrowReveal,
    PlayerId,
    Remove,
    Rename,
    ReportProviderDown,
    SetVersion,
    UsePower,
)
from gameserver.table.facts import LeftBecause, OptionsChanged, PowerUsed, TableStatusChanged
from gameserver.table.play import Play
from gameserver.table.table import Change, Table, nothing
from policy import spectator_policy
from policy.errors import PolicyRefusal
from policy.ids import AgentVersionId, Seat
from policy.reveal_policy import Peek, Standing
from policy.spectator_policy import RevealOptions

DEALER_PEEK: Final = "dealer_peek"
"""The power to look at one opponent's hole cards, in this hand."""

# --- the table ----------------------------------------------------------------------------------------------------------


def prepare_pause(table: Table) -> Change:
    """No new hand until `resume`; the hand in play goes on."""
    return _to_status(table, "paused")


def prepare_resume(table: Table) -> Change:
    return _to_status(table, "open")


def prepare_close(table: Table) -> Change:
    """No new hand, nobody sits down; all are paid out, at once or when the hand is over."""
    _check_open(table)
    return partial(_close, table)


def prepare_rename(table: Table, command: Rename) -> Change:
    _check_open(table)
    is_so = table.next_name is None and command.name == table.options.name
    return nothing if is_so else partial(_rename, table, command.name)


def prepare_narrow_reveal(table: Table, command: NarrowReveal) -> Change:
    """The gate decides. Raises Refusal(not_allowed) where something would be revealed that is not now."""
    _check_open(table)
    try:
        reveal = spectator_policy.narrow_reveal_options(now=table.options.reveal, asked=command.reveal)
    except PolicyRefusal as refusal:
        raise Refusal(ErrorCode.NOT_ALLOWED, refusal.why) from None
    return nothing if reveal == table.options.reveal else partial(_narrow, table, reveal)


def prepare_remove(table: Table, command: Remove) -> Change:
    """Raises Refusal: no_such_seat, not_found (nobody sits there)."""
    if not 0 <= command.seat < table.options.max_seats:
        raise Refusal(ErrorCode.NO_SUCH_SEAT, "this table has no such seat")
    if command.seat not in table.chairs:
        raise Refusal(ErrorCode.NOT_FOUND, "nobody has this seat")
    return partial(hand_flow.leave, table, command.seat, LeftBecause.REMOVED)


def _to_status(table: Table, status: str) -> Change:
    _check_open(table)
    return nothing if table.status == status else partial(_set_status, table, status)


def _check_open(table: Table) -> None:
    if table.closing or table.status == "closed":
        raise Refusal(ErrorCode.TABLE_CLOSED, "this table is closed")


def _set_status(table: Table, status: str, now_ms: int) -> None:
    table.status = status
    table.tell(TableStatusChanged(status))


def _close(table: Table, now_ms: int) -> None:
    table.closing = True
    if table.play is None:
        hand_end.close(table, now_ms)


def _rename(table: Table, name: str, now_ms: int) -> None:
    """A name is read by the players, so that of a hand in play waits for its end (`whisper_policy`, TABLE_NAME)."""
    if table.play is None:
        hand_end.rename(table, name)
    else:
        table.next_name = name


def _narrow(table: Table, reveal: RevealOptions, now_ms: int) -> None:
    table.options = replace(table.options, reveal=reveal)
    table.tell(OptionsChanged(reveal))


# --- agents -------------------------------------------------------------------------------------------------------------


def prepare_set_version(table: Table, command: SetVersion) -> Change:
    """Another version of a seated agent, from the next hand on. Raises Refusal(not_seated)."""
    for chair in table.chairs.values():
        if isinstance(chair.player, AgentPlayer) and chair.player.agent_id == command.player and not chair.paid_out:
            return partial(_set_version, table, chair.seat, command.version_id)
    raise Refusal(ErrorCode.NOT_SEATED, "this agent has no seat here")


def prepare_report(table: Table, command: ReportProviderDown) -> Change:
    """Raises Refusal: not_seated, stale_turn."""
    play = hand_flow.check_own_turn(table, table.chair_of(command.player), command.turn_id)
    return partial(_report, play)


def _set_version(table: Table, seat: Seat, version_id: AgentVersionId, now_ms: int) -> None:
    if table.play is None:
        hand_end.change_version(table, seat, version_id)
    else:
        table.put(replace(table.chairs[seat], next_version=version_id))


def _report(play: Play, now_ms: int) -> None:
    play.provider_down = True


# --- powers and cards ---------------------------------------------------------------------------------------------------


def prepare_power(table: Table, command: UsePower) -> Change:
    """Raises Refusal: not_seated, not_allowed (the rules grant none), illegal_action, no_such_seat."""
    chair = table.staying_chair_of(command.player)
    granted = table.options.powers.get(command.power, 0) if command.power == DEALER_PEEK else 0
    if granted < 1:
        raise Refusal(ErrorCode.NOT_ALLOWED, "the rules of this table grant no such power")
    play = table.play
    if play is None or play.hand is None or not play.is_in(chair.seat):
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "a power is for who is in the hand")
    if not play.is_dealt(command.target):
        raise Refusal(ErrorCode.NO_SUCH_SEAT, "this seat was not dealt in")
    if command.target == chair.seat or not play.is_in(command.target):
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "a peek is at an opponent who is in the hand")
    if sum(peek.by == chair.seat for peek in play.peeks) >= granted:
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "all uses of this power in this hand are used")
    return partial(_peek, table, play, Peek(by=chair.seat, at=command.target))


def prepare_show(table: Table, player: PlayerId) -> Change:
    """One's own cards, after the hand and before the next. Raises Refusal: not_seated, hand_live, illegal_action."""
    chair = table.chair_of(player)
    if table.play is not None:
        raise Refusal(ErrorCode.HAND_LIVE, "cards can be shown when the hand is over")
    if table.ended is None or table.ended_players.get(chair.seat) != chair.player_id:
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "no cards of yours are left to show")
    if any(each.seat == chair.seat and each.standing is Standing.SHOWN for each in table.ended.cards().seats):
        raise Refusal(ErrorCode.ILLEGAL_ACTION, "these cards are face up already")
    return partial(_show, table, chair.seat)


def _peek(table: Table, play: Play, peek: Peek, now_ms: int) -> None:
    play.peeks.append(peek)
    table.tell(PowerUsed(DEALER_PEEK, peek.by, peek.at))


def _show(table: Table, seat: Seat, now_ms: int) -> None:
    if table.ended is None:
        return
    table.tell(table.ended.show(seat))
