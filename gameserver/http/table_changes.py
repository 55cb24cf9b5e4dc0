"""What a table's creator or an operator changes of it: verified whole before anything of it is done.

Whether a change reaches a seated agent, and when, is `whisper_policy`'s to say; what a reveal may become, `spectator_policy`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import UNSET

from gameserver.floor.floor import Floor
from gameserver.http.requests import ChangeTable
from gameserver.table.commands import (
    AgentPlayer,
    Close,
    Command,
    NarrowReveal,
    Pause,
    Rename,
    Resume,
    player_id,
)
from gameserver.table.options import TableOptions
from gameserver.table.state import TableState
from policy import name_policy, spectator_policy, whisper_policy
from policy.ids import TableId
from policy.spectator_policy import RevealOptions
from policy.whisper_policy import Way


async def change_table(floor: Floor, table_id: TableId, asked: ChangeTable) -> None:
    """Do all that is asked for, or nothing. Raises Refusal and PolicyRefusal."""
    state = floor.state(table_id)
    ways = _ways(asked)
    reached = _agents_here(floor, state)
    for way in ways:
        whisper_policy.admit_whisper(way=way, sits_at=reached)
    for command in _commands(asked, state.options):
        await floor.operate(table_id, command)


def _ways(asked: ChangeTable) -> Sequence[Way]:
    """How each part of it could reach an agent."""
    ways = []
    if asked.name is not UNSET:
        ways.append(Way.TABLE_NAME)
    if asked.pause is not UNSET:
        ways.append(Way.PAUSE)
    if asked.close is not UNSET:
        ways.append(Way.CLOSE)
    if asked.show_hands is not UNSET or asked.show_thoughts is not UNSET:
        ways.append(Way.REVEAL_OFF)
    return ways


def _agents_here(floor: Floor, state: TableState) -> Collection[RevealOptions]:
    """What the tables reveal at which the agents of this table sit, this one and others."""
    here = [player_id(seat.player) for seat in state.seats if isinstance(seat.player, AgentPlayer)]
    return [reveal for player in here for reveal in floor.sits_at(player)]


def _commands(asked: ChangeTable, options: TableOptions) -> Sequence[Command]:
    """In the order in which they are carried out: less is shown first, and closed last."""
    commands: list[Command] = []
    if asked.show_hands is not UNSET or asked.show_thoughts is not UNSET:
        commands.append(NarrowReveal(_narrowed(asked, options.reveal)))
    if asked.name is not UNSET:
        commands.append(Rename(name_policy.check_table_name(name=asked.name)))
    if asked.pause is not UNSET:
        commands.append(Pause() if asked.pause else Resume())
    if asked.close is not UNSET:
        commands.append(Close())
    return commands


def _narrowed(asked: ChangeTable, now: RevealOptions) -> RevealOptions:
    wanted = RevealOptions(
        show_hands=now.show_hands if asked.show_hands is UNSET else asked.show_hands,
        show_thoughts=now.show_thoughts if asked.show_thoughts is UNSET else asked.show_thoughts,
    )
    return spectator_policy.narrow_reveal_options(now=now, asked=wanted)
