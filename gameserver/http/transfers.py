"""An agent changes hands: between hands, from its seats, with all its tokens revoked.

An owner acts in no hand: where the agent is in one, it sits out from the next and leaves when this one is over. Then its tokens
are revoked and it is somebody else's, its connections are closed, and it leaves what it sat down at meanwhile. Hands that were
dealt stay with who owned it then (test_past_hands_stay_with_the_owner_at_the_deal).
A transfer that waits is in memory only: after a restart the agent is its owner's, who may ask again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gameserver.errors import RailbirdError, Refusal
from gameserver.floor.floor import Floor
from gameserver.table.commands import Leave, SitOut, SitOutWhen, agent_player_id, player_id
from gameserver.table.facts import Fact, HandCancelled, HandEnded, SeatFreed
from policy import whisper_policy
from policy.ids import AgentId, TableId, UserId
from policy.whisper_policy import Way

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TransferPorts:
    """`hand_over`: change the owner in the register; it revokes first, and closes connections after."""

    floor: Floor
    hand_over: Callable[[AgentId, UserId], Awaitable[None]]


class Transfers:
    """All transfers of this process. Tell it every table's facts (`observe`)."""

    def __init__(self, ports: TransferPorts) -> None:
        self._ports = ports
        self._waiting: dict[AgentId, UserId] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def transfer(self, agent_id: AgentId, to: UserId) -> bool:
        """Whether it is done; else it will be, when the hands are over in which the agent plays. The last wish counts."""
        whisper_policy.admit_whisper(way=Way.TRANSFER, sits_at=self._ports.floor.sits_at(agent_player_id(agent_id)))
        self._waiting[agent_id] = to
        await self._go_on(agent_id)
        return agent_id not in self._waiting

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """A hand is over or a seat is free: what waited for it may go on."""
        if self._waiting and any(isinstance(fact, HandEnded | HandCancelled | SeatFreed) for fact in facts):
            for agent_id in self._waiting:
                self._start(self._go_on(agent_id))

    async def stop(self) -> None:
        """Let what runs come to its end."""
        await asyncio.gather(*self._running)

    async def _go_on(self, agent_id: AgentId) -> None:
        """Leave what can be left, and hand over what has no seat any more, unless somebody was here first."""
        await self._leave_seats(agent_id)
        if agent_id in self._waiting and not self._seats(agent_id):
            await self._ports.hand_over(agent_id, self._waiting.pop(agent_id))
            await self._leave_seats(agent_id)

    async def _leave_seats(self, agent_id: AgentId) -> None:
        player = agent_player_id(agent_id)
        for table_id, is_in_hand in self._seats(agent_id).items():
            command = SitOut(player, SitOutWhen.NEXT_HAND) if is_in_hand else Leave(player)
            try:
                await self._ports.floor.operate(table_id, command)
            except Refusal:  # it is gone already, or the table is
                continue

    def _seats(self, agent_id: AgentId) -> Mapping[TableId, bool]:
        """The tables where it has a seat, and whether it was dealt into a hand there that is not over."""
        player = agent_player_id(agent_id)
        return {
            table_id: state.hand is not None and seat.seat in state.hand.dealt
            for table_id, state in self._ports.floor.states().items()
            for seat in state.seats
            if player_id(seat.player) == player
        }

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._logged(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _logged(self, work: Awaitable[None]) -> None:
        try:
            await work
        except RailbirdError as error:
            _log.error("a transfer was not finished: %s", type(error).__name__)
