"""What the record asks of the tables: who owned an agent at a deal, and whether a hand is in play. It holds no rule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.store.hands import Hands
from gameserver.store.people import People
from gameserver.store.stored import HandStatus, StoredHand
from gameserver.table.commands import AgentPlayer, Player
from policy.capture_scope import InPlay
from policy.ids import AgentId, HandNumber, TableId, UserId

_MOST_REMEMBERED: Final = 50_000
"""Owners at deals of hands that are over: a listing asks for one a hand, and each is a row with the whole hand in it."""

WasCharged: TypeAlias = Callable[[AgentId, TableId, HandNumber], Awaitable[bool]]
"""Whether the ledger has a turn of the agent in the hand."""


class Dealt:
    """Of the tables of one database. `floor`: those that are open in this process."""

    def __init__(self, hands: Hands, people: People, floor: Floor, was_charged: WasCharged) -> None:
        self._hands, self._people, self._floor, self._was_charged = hands, people, floor, was_charged
        self._over: dict[tuple[AgentId, TableId, HandNumber], UserId] = {}

    async def owner_at_deal(self, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> UserId | None:
        """None where the agent was not dealt in, or there is no such agent, table or hand."""
        asked = (agent_id, table_id, hand_number)
        if asked in self._over:  # what a finished hand says of its players stays as it is
            return self._over[asked]
        hand = await self._hands.hand(table_id, hand_number)
        if hand is None:
            return None
        if hand.result is not None:
            owner = _owner_of(agent_id, [player for _, player in hand.result.players])
            if owner is not None:
                self._remember(asked, owner)
            return owner
        if self._plays(agent_id, hand) or await self._was_charged(agent_id, table_id, hand_number):
            return await self._people.owner_at(agent_id, hand.began_ms)
        return None

    def _remember(self, asked: tuple[AgentId, TableId, HandNumber], owner: UserId) -> None:
        if len(self._over) >= _MOST_REMEMBERED:
            del self._over[next(iter(self._over))]
        self._over[asked] = owner

    def _plays(self, agent_id: AgentId, hand: StoredHand) -> bool:
        """Whether the agent was dealt into this hand, and it is in play here."""
        try:
            state = self._floor.state(hand.table_id)
        except Refusal:
            return False
        if state.hand is None or state.hand.hand_number != hand.hand_number:
            return False
        dealt = [seat.player for seat in state.seats if seat.seat in state.hand.dealt]
        return any(isinstance(player, AgentPlayer) and player.agent_id == agent_id for player in dealt)


async def in_play(hands: Hands, table_id: TableId, hand_number: HandNumber) -> InPlay:
    """By the hand's row, which is written before a card is dealt and changed once the hand is over or cancelled.

    A server that starts cancels what the last one left open; before that, a row of a stopped server says `YES`.
    """
    return InPlay.YES if await hands.status(table_id, hand_number) is HandStatus.BEGAN else InPlay.NO


def _owner_of(agent_id: AgentId, players: list[Player]) -> UserId | None:
    owners = [each.owner for each in players if isinstance(each, AgentPlayer) and each.agent_id == agent_id]
    return owners[0] if owners else None
