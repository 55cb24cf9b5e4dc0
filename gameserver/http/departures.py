"""Agents that are to have no seat any more, by their owner's word: each leaves when the hands are over into which it was dealt.

An owner acts in no hand: where the agent is in one, it sits out from the next and leaves when this one is over
(test_a_stopped_agent_plays_its_hand_out). What waits is in memory only: after a restart the owner may ask again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Final

from gameserver.errors import RailbirdError, Refusal
from gameserver.floor.floor import Floor
from gameserver.table.commands import Leave, SitOut, SitOutWhen, agent_player_id, player_id
from gameserver.table.facts import Fact, HandCancelled, HandEnded, SeatFreed
from policy.ids import AgentId, TableId

_log: Final = logging.getLogger(__name__)


def may_go_on(facts: Sequence[Fact]) -> bool:
    """Whether what waits for the end of a hand may go on: a hand is over, or a seat is free."""
    return any(isinstance(fact, HandEnded | HandCancelled | SeatFreed) for fact in facts)


def seats_of(floor: Floor, agent_id: AgentId) -> Mapping[TableId, bool]:
    """The tables where it has a seat, and whether it was dealt into a hand there that is not over."""
    player = agent_player_id(agent_id)
    return {
        table_id: state.hand is not None and seat.seat in state.hand.dealt
        for table_id, state in floor.states().items()
        for seat in state.seats
        if player_id(seat.player) == player
    }


async def leave_seats(floor: Floor, agent_id: AgentId) -> None:
    """Leave what can be left now; where a hand is in play, be out from the next."""
    player = agent_player_id(agent_id)
    for table_id, is_in_hand in seats_of(floor, agent_id).items():
        command = SitOut(player, SitOutWhen.NEXT_HAND) if is_in_hand else Leave(player)
        try:
            await floor.operate(table_id, command)
        except Refusal:  # it is gone already, or the table is
            continue


class Waiting:
    """What waits for the end of hands, one task each. What goes wrong is logged, and ends nothing else."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Awaitable[None]) -> None:
        """Do it beside."""
        task = asyncio.ensure_future(self._logged(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def stop(self) -> None:
        """Let what runs come to its end."""
        await asyncio.gather(*self._running)

    async def _logged(self, work: Awaitable[None]) -> None:
        try:
            await work
        except RailbirdError as error:
            _log.error("%s was not finished: %s", self._what, type(error).__name__)


class Departures:
    """All of this process. Tell it every table's facts (`observe`)."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._leaving: set[AgentId] = set()
        self._waiting = Waiting("a departure")

    async def leave(self, agent_id: AgentId) -> bool:
        """Whether it sits nowhere any more; else it will, when the hands are over."""
        self._leaving.add(agent_id)
        await self._go_on(agent_id)
        return agent_id not in self._leaving

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """A hand is over or a seat is free: who waited for it may go."""
        if self._leaving and may_go_on(facts):
            for agent_id in self._leaving:
                self._waiting.start(self._go_on(agent_id))

    async def stop(self) -> None:
        """Let what runs come to its end."""
        await self._waiting.stop()

    async def _go_on(self, agent_id: AgentId) -> None:
        await leave_seats(self._floor, agent_id)
        if not seats_of(self._floor, agent_id):
            self._leaving.discard(agent_id)
