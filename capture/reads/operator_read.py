"""What an operator reads and keeps: any agent's turns of a hand that is not in play. Each act leaves a row in the host's audit.

The gate is asked twice, before and after the reading: a hand may begin in between (test_a_hand_that_begins_meanwhile_is_live).
Owners have their own way: `capture.reads.owner_read`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from capture.errors import BufferUnavailable
from capture.hand import Hand
from capture.ledger.reading_charges import RecentHand
from capture.reads import assembly, promote
from capture.reads.assembly import AgentTurns
from capture.reads.promote import Promoted
from capture.reads.stores import Stores
from capture.record import MissingReason
from policy import capture_scope
from policy.capture_scope import EveryAgent, InPlay, OperatorScope, Whose
from policy.ids import AgentId, HandNumber, TableId
from policy.viewer import Operator

InPlayOf: TypeAlias = Callable[[TableId, HandNumber], Awaitable[InPlay]]
"""Whether a running table has the hand open."""


class Audited(Protocol):
    """Writes down what an operator does, before it is done; and once more where it is refused."""

    def __call__(
        self, action: str, about: Mapping[str, str | int], *, operator: str
    ) -> AbstractAsyncContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class EveryAgentsTurns:
    """`agents`: by id. `nothing`: why there are none; None where there are."""

    table_id: TableId
    hand_number: HandNumber
    agents: tuple[AgentTurns, ...]
    nothing: MissingReason | None


@dataclass(frozen=True, slots=True)
class Recent:
    """A hand of late. `captured`: whether any of its turns is there; None where the buffer does not say."""

    hand: RecentHand
    in_play: bool
    captured: bool | None


class OperatorReads:
    """Each method raises PolicyRefusal: `hand_live` while the hand is in play."""

    def __init__(self, stores: Stores, in_play: InPlayOf, audited: Audited) -> None:
        self._stores, self._in_play, self._audited = stores, in_play, audited

    async def hand(self, operator: Operator, hand: Hand) -> AgentTurns:
        """One agent's turns."""
        async with self._audited("read_turns", _about(hand), operator=operator.name):
            scope = await self._scope(operator, hand.table_id, hand.hand_number, hand.agent_id)
            found = await assembly.read(self._stores, scope, hand.agent_id)
            await self._scope(operator, hand.table_id, hand.hand_number, hand.agent_id)
        return found

    async def hand_all(self, operator: Operator, table_id: TableId, hand_number: HandNumber) -> EveryAgentsTurns:
        """Every agent's turns: of those in the buffer's set, those with kept turns and those in the ledger."""
        about: dict[str, str | int] = {"tableId": table_id, "handNumber": hand_number}
        async with self._audited("read_all_turns", about, operator=operator.name):
            scope = await self._scope(operator, table_id, hand_number, EveryAgent())
            found = await self._every_agents(scope)
            await self._scope(operator, table_id, hand_number, EveryAgent())
        return found

    async def promote(self, operator: Operator, hand: Hand) -> Promoted:
        """Keep one agent's turns. Raises BufferUnavailable."""
        async with self._audited("keep_turns", _about(hand), operator=operator.name):
            scope = await self._scope(operator, hand.table_id, hand.hand_number, hand.agent_id)
            found = await promote.find(self._stores, scope, hand.agent_id)
            await self._scope(operator, hand.table_id, hand.hand_number, hand.agent_id)
            return await promote.pin(self._stores, found)

    async def recent(self, operator: Operator, *, limit: int, before_us: int | None) -> Sequence[Recent]:
        """Hands in which agents asked their models, latest first. It has no turn in it."""
        async with self._audited("read_recent_hands", {"limit": limit}, operator=operator.name):
            hands = await self._stores.ledger.recent_hands(limit=limit, before_us=before_us)
            return await asyncio.gather(*map(self._recent, hands))

    async def _every_agents(self, scope: OperatorScope) -> EveryAgentsTurns:
        hot, kept, charges = await asyncio.gather(
            self._agents_in_buffer(scope.table_id, scope.hand_number),
            self._stores.durable.agents_of(scope.table_id, scope.hand_number),
            self._stores.ledger.charges_of_hand(scope),
        )
        agents = sorted((hot or frozenset()) | kept | {charge.key.agent_id for charge in charges})
        found = await asyncio.gather(*(assembly.read(self._stores, scope, agent_id) for agent_id in agents))
        why = MissingReason.STORE_DOWN if hot is None else MissingReason.BEFORE_CAPTURE
        nothing = None if any(each.turns for each in found) else why
        return EveryAgentsTurns(scope.table_id, scope.hand_number, tuple(found), nothing)

    async def _agents_in_buffer(self, table_id: TableId, hand_number: HandNumber) -> frozenset[AgentId] | None:
        """None where the buffer does not answer: a key of it gates no read of what is kept."""
        try:
            return await self._stores.buffer.agents_of(table_id=table_id, hand_number=hand_number)
        except BufferUnavailable:
            return None

    async def _recent(self, hand: RecentHand) -> Recent:
        in_play = await self._in_play(hand.table_id, hand.hand_number)
        hot = await self._agents_in_buffer(hand.table_id, hand.hand_number)
        kept = await self._stores.durable.agents_of(hand.table_id, hand.hand_number)
        captured = True if kept or hot else None if hot is None else False
        return Recent(hand, in_play is not InPlay.NO, captured)

    async def _scope(
        self, operator: Operator, table_id: TableId, hand_number: HandNumber, whose: Whose
    ) -> OperatorScope:
        return capture_scope.scope_for_operator(
            reader=operator,
            whose=whose,
            table_id=table_id,
            hand_number=hand_number,
            in_play=await self._in_play(table_id, hand_number),
        )


def _about(hand: Hand) -> dict[str, str | int]:
    return {"tableId": hand.table_id, "handNumber": hand.hand_number, "agentId": hand.agent_id}
