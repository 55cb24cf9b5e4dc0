"""The tables as the pages list them: the public view, and nothing that a spectator may not know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from starlette.requests import HTTPConnection

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Watching
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.table.commands import AgentPlayer
from gameserver.table.state import SeatState, TableState
from policy.ids import TableId
from railbird.pages.lobby import NoOwner, PlayerSummary, TableSummary

Identify: TypeAlias = Callable[[HTTPConnection], Awaitable[UserIdentity | Nobody]]


class OpenTables:
    """`railbird.pages.lobby.LobbyPort` over the floor. `identify`: who asks. A private table is listed to those who may know of it,
    and is on no other list (test_a_private_table_is_on_no_list).
    """

    def __init__(self, floor: Floor, identify: Identify) -> None:
        self._floor = floor
        self._identify = identify

    async def tables(self, asker: HTTPConnection) -> Sequence[TableSummary]:
        who = await self._who(asker)
        listed = self._floor.visible_states(who)
        return [_summary(table_id, state, yours=self._is_owned(table_id, who)) for table_id, state in listed.items()]

    async def table(self, asker: HTTPConnection, table_id: str) -> TableSummary | None:
        who = await self._who(asker)
        try:
            state = self._floor.visible_state(TableId(table_id), who)
        except Refusal:
            return None
        return _summary(TableId(table_id), state, yours=self._is_owned(TableId(table_id), who))

    async def owned_table(self, asker: HTTPConnection, table_id: str) -> TableSummary | NoOwner:
        if isinstance(await self._who(asker), Nobody):
            return NoOwner.NOBODY
        table = await self.table(asker, table_id)
        return NoOwner.NOT_YOURS if table is None or not table.yours else table

    def _is_owned(self, table_id: TableId, who: UserIdentity | Nobody) -> bool:
        """Whether the owner's stream lets them in: the same gate says so."""
        if isinstance(who, Nobody):
            return False
        try:
            self._floor.admit_watcher(table_id, who, Watching.OWNER)
        except Refusal:
            return False
        return True

    async def _who(self, asker: HTTPConnection) -> UserIdentity | Nobody:
        """Whoever shows a credential that is no good is nobody: the pages are for anybody."""
        try:
            return await self._identify(asker)
        except Refusal:
            return Nobody()


def _summary(table_id: TableId, state: TableState, *, yours: bool) -> TableSummary:
    options = state.options
    return TableSummary(
        table_id=table_id,
        name=options.name,
        table_kind=options.kind.value,
        status=state.status,
        small_blind_chips=options.small_blind_chips,
        big_blind_chips=options.big_blind_chips,
        ante_chips=options.ante_chips,
        max_seats=options.max_seats,
        hands_played=state.hand_number if state.hand is None else state.hand_number - 1,
        players=tuple(_player(seat) for seat in state.seats if not seat.paid_out),
        show_hands=options.reveal.show_hands,
        show_thoughts=options.reveal.show_thoughts,
        spectator_delay_ms=options.spectator_delay_ms,
        yours=yours,
    )


def _player(seat: SeatState) -> PlayerSummary:
    kind = "agent" if isinstance(seat.player, AgentPlayer) else "human"
    return PlayerSummary(name=seat.name, kind=kind, stack_chips=seat.stack_chips + seat.bet_chips)
