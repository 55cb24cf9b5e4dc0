"""Taking a seat: the checks in their order, and the chair that comes of it.

Order: closed, kind and attestation (`seating_policy`), practice, own seat, owner, name, seat number, full, taken, minimum, return
rule, maximum. Whether the bankroll has the chips is the floor's to know; it asks last.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial

from gameserver.errors import ErrorCode, Refusal
from gameserver.table.clock import Banks
from gameserver.table.commands import AgentPlayer, Player, Sit, UserPlayer, owner_of, player_id
from gameserver.table.debts import NEWCOMER, NONE
from gameserver.table.facts import SeatTaken
from gameserver.table.seats import Chair
from gameserver.table.table import Change, Table
from policy import name_policy, seating_policy
from policy.errors import PolicyRefusal
from policy.name_policy import DisplayName
from policy.seating_policy import HostedAgent, OutsideAgent, Person, Sitter


def prepare_sit(table: Table, platform_models: AbstractSet[str], command: Sit, now_ms: int) -> Change:
    """Checks everything but the bankroll. `platform_models`: what may play where anything is revealed. Raises Refusal."""
    if table.closing or table.status == "closed":
        raise Refusal(ErrorCode.TABLE_CLOSED, "this table is closed")
    _check_player(table, platform_models, command.player)
    _check_own_seat(table, command.player)
    _check_name(table, command.name)
    _check_seat(table, command.seat)
    _check_buy_in(table, command, now_ms)
    return partial(_sat, table, command)


def _sat(table: Table, command: Sit, now_ms: int) -> None:
    clocks = table.options.clocks
    newcomer = table.marks is not None or table.play is not None
    table.put(
        Chair(
            seat=command.seat,
            player=command.player,
            name=command.name,
            stack_chips=command.buy_in_chips,
            banks=Banks(clocks.time_bank_ms, clocks.disconnect_bank_ms),
            connected=True,
            debt=NEWCOMER if newcomer else NONE,
        )
    )
    table.tell(SeatTaken(command.seat, command.player, command.name, command.buy_in_chips))


def _check_player(table: Table, platform_models: AbstractSet[str], player: Player) -> None:
    try:
        seating_policy.check_seating(
            table_kind=table.options.kind,
            options=table.options.reveal,
            sitter=_sitter(player),
            platform_models=platform_models,
        )
    except PolicyRefusal as refusal:
        raise _as_refusal(refusal) from None
    if table.options.practice and not _may_practise(table, player):
        raise Refusal(ErrorCode.NOT_ALLOWED, "a practice table seats its creator and their agents only")


def _sitter(player: Player) -> Sitter:
    match player:
        case UserPlayer():
            return Person()
        case AgentPlayer(hosted=True, model=str() as model):
            return HostedAgent(model)
        case AgentPlayer():
            return OutsideAgent()


def _may_practise(table: Table, player: Player) -> bool:
    is_house = isinstance(player, AgentPlayer) and player.house
    return is_house or owner_of(player) == table.options.created_by


def _check_own_seat(table: Table, player: Player) -> None:
    """A seat that was paid out in mid-hand still counts: this table is open to its player when the hand is over."""
    if any(chair.player_id == player_id(player) for chair in table.chairs.values()):
        raise Refusal(ErrorCode.ALREADY_SEATED, "this player has a seat here")
    if not table.options.practice and any(owner_of(c.player) == owner_of(player) for c in table.chairs.values()):
        raise Refusal(ErrorCode.OWNER_ALREADY_SEATED, "this player's owner has a seat here")


def _check_name(table: Table, name: str) -> None:
    """That it is a name at all was checked when the player was given it."""
    seated = [DisplayName(chair.name) for chair in table.chairs.values()]
    try:
        name_policy.check_name_at_table(name=DisplayName(name), seated=seated)
    except PolicyRefusal as refusal:
        raise _as_refusal(refusal) from None


def _as_refusal(refusal: PolicyRefusal) -> Refusal:
    return Refusal(ErrorCode(refusal.code.value), refusal.why)


def _check_seat(table: Table, seat: int) -> None:
    if not 0 <= seat < table.options.max_seats:
        raise Refusal(ErrorCode.NO_SUCH_SEAT, "this table has no such seat")
    if len(table.chairs) >= table.options.max_seats:
        raise Refusal(ErrorCode.TABLE_FULL, "every seat is taken")
    if seat in table.chairs:
        raise Refusal(ErrorCode.SEAT_TAKEN, "somebody has this seat")


def _check_buy_in(table: Table, command: Sit, now_ms: int) -> None:
    options = table.options
    if command.buy_in_chips < options.min_buy_in_chips:
        raise Refusal(ErrorCode.BUY_IN_BELOW_MIN, "less than the least buy-in")
    took = _took_lately(table, command.player, now_ms)
    if command.buy_in_chips < took:
        raise Refusal(ErrorCode.RATHOLE, "who comes back this soon brings back what they took")
    if command.buy_in_chips > max(took, options.max_buy_in_chips):
        raise Refusal(ErrorCode.BUY_IN_ABOVE_MAX, "more than the largest buy-in")


def _took_lately(table: Table, player: Player, now_ms: int) -> int:
    """What the player left with within the time of the return rule, else 0. At exactly its age the rule has ended."""
    who, limit = player_id(player), table.options.clocks.rathole_ms
    return sum(left.took_chips for left in table.departures if left.player == who and now_ms - left.left_at_ms < limit)
