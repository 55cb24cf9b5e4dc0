"""An agent changes hands: between hands, from its seats, with all its tokens revoked.

An owner acts in no hand: where the agent is in one, it sits out from the next and leaves when this one is over. Then its tokens
are revoked and it is somebody else's, its connections are closed, and it leaves what it sat down at meanwhile. Hands that were
dealt stay with who owned it then (test_past_hands_stay_with_the_owner_at_the_deal).
A transfer that waits is in memory only: after a restart the agent is its owner's, who may ask again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from gameserver.floor.floor import Floor
from gameserver.http.departures import Waiting, leave_seats, may_go_on, seats_of
from gameserver.table.commands import agent_player_id
from gameserver.table.facts import Fact
from policy import whisper_policy
from policy.ids import AgentId, TableId, UserId
from policy.whisper_policy import Way


@dataclass(frozen=True, slots=True)
class TransferPorts:
    """`withdraw`: a hosted agent is to play nowhere any more; its seats are left here.

    `hand_over`: change the owner in the register; it revokes first, and closes connections after.
    """

    floor: Floor
    withdraw: Callable[[AgentId], Awaitable[None]]
    hand_over: Callable[[AgentId, UserId], Awaitable[None]]


class Transfers:
    """All transfers of this process. Tell it every table's facts (`observe`)."""

    def __init__(self, ports: TransferPorts) -> None:
        self._ports = ports
        self._wanted: dict[AgentId, UserId] = {}
        self._waiting = Waiting("a transfer")

    async def transfer(self, agent_id: AgentId, to: UserId) -> bool:
        """Whether it is done; else it will be, when the hands are over in which the agent plays. The last wish counts."""
        whisper_policy.admit_whisper(way=Way.TRANSFER, sits_at=self._ports.floor.sits_at(agent_player_id(agent_id)))
        self._wanted[agent_id] = to
        await self._ports.withdraw(agent_id)
        await self._go_on(agent_id)
        return agent_id not in self._wanted

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """A hand is over or a seat is free: what waited for it may go on."""
        if self._wanted and may_go_on(facts):
            for agent_id in self._wanted:
                self._waiting.start(self._go_on(agent_id))

    async def stop(self) -> None:
        """Let what runs come to its end."""
        await self._waiting.stop()

    async def _go_on(self, agent_id: AgentId) -> None:
        """Leave what can be left, and hand over what has no seat any more, unless somebody was here first."""
        await leave_seats(self._ports.floor, agent_id)
        if agent_id in self._wanted and not seats_of(self._ports.floor, agent_id):
            to = self._wanted.pop(agent_id)
            await self._ports.withdraw(agent_id)  # what was wished meanwhile is its last owner's too
            await self._ports.hand_over(agent_id, to)
            await leave_seats(self._ports.floor, agent_id)
