"""What an owner does with their own agents' captured turns: read, keep, take along, delete. Each act asks the gate for each hand.

An owner is who owned the agent when the hand was dealt; a hand in play is theirs to read too. Who owned what, and whether the
agent was dealt in, the host says.
Operators have their own way: `capture.reads.operator_read`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from capture.captured import CapturedTurn
from capture.durable.lasting import Lasting, lasting
from capture.durable.retention import Retention
from capture.errors import BufferUnavailable
from capture.hand import Hand
from capture.ledger.reading_charges import RecentHand
from capture.reads import assembly, promote
from capture.reads.assembly import AgentTurns, FallenBack, HandTurn
from capture.reads.promote import Promoted
from capture.reads.stores import Stores
from policy import capture_scope
from policy.capture_scope import OwnerScope
from policy.errors import PolicyRefusal
from policy.ids import AgentId, HandNumber, TableId, UserId

_MOST_LOOKS: Final = 10
"""So many pages of the ledger, for one page of hands that are theirs."""

OwnerAtDeal: TypeAlias = Callable[[AgentId, TableId, HandNumber], Awaitable[UserId | None]]
"""Who owned the agent when the hand was dealt; None where it was not dealt in, or there is no such hand."""


@dataclass(frozen=True, slots=True)
class OwnHand:
    """A hand of late, with the turns of one agent. `lasting`: how long they are there."""

    hand: RecentHand
    lasting: Lasting


class OwnerReads:
    """Each method raises PolicyRefusal `not_found` for a hand of which the agent's turns are not this user's."""

    def __init__(self, stores: Stores, owner_at_deal: OwnerAtDeal, retention: Retention) -> None:
        self._stores, self._owner_at_deal, self._retention = stores, owner_at_deal, retention

    async def turns(self, user_id: UserId, hand: Hand) -> AgentTurns:
        """All that is known of the agent's turns."""
        scope = await self._scope(user_id, hand)
        return await assembly.read(self._stores, scope, hand.agent_id)

    async def keep(self, user_id: UserId, hand: Hand) -> tuple[Promoted, int | None]:
        """Keep the turns; and until when they are kept, in microseconds since 1970 UTC: None is until they delete them.

        Raises BufferUnavailable.
        """
        scope = await self._scope(user_id, hand)
        promoted = await promote.pin(self._stores, await promote.find(self._stores, scope, hand.agent_id))
        return promoted, self._retention.kept_until_us(self._stores.now_us())

    async def delete(self, user_id: UserId, hand: Hand) -> int:
        """Delete the turns everywhere; how many there were, as far as is known. What they cost stays in the ledger.

        What a buffer that does not answer may still hold expires there, and is read by nobody any more
        (test_what_was_deleted_does_not_come_back).
        """
        await self._scope(user_id, hand)
        kept = await self._stores.durable.delete(hand, now_us=self._stores.now_us())
        return max(kept, await self._forget(hand))

    async def hands(self, user_id: UserId, agent_id: AgentId) -> Sequence[Hand]:
        """The hands of which turns of the agent may be found, and that are this user's; by table and number."""
        since_us = self._stores.now_us() - self._stores.ttl_us
        known = {
            *await self._stores.durable.hands_of(agent_id),
            *await self._stores.ledger.hands_of(agent_id, since_us),
        }
        in_order = sorted(known, key=lambda hand: (hand.table_id, hand.hand_number))
        return [hand for hand in in_order if await self._is_theirs(user_id, hand)]

    async def recent(
        self, user_id: UserId, agent_id: AgentId, *, limit: int, before_us: int | None = None
    ) -> Sequence[OwnHand]:
        """The hands in which the agent was charged for turns and that are this user's, latest first. It has no turn in it.

        It looks at so many hands of somebody else's time at most (test_a_list_looks_only_so_far).
        """
        found: list[RecentHand] = []
        for _ in range(_MOST_LOOKS):
            some = await self._stores.ledger.recent_hands_of(agent_id, limit=limit, before_us=before_us)
            found += [each for each in some if await self._is_theirs(user_id, _named(agent_id, each))]
            if len(found) >= limit or len(some) < limit:
                break
            before_us = some[-1].last_at_us
        return [OwnHand(each, await self._lasting(agent_id, each)) for each in found[:limit]]

    async def lasting(self, user_id: UserId, turns: AgentTurns) -> Lasting | None:
        """How long these turns are there; None where nothing is known of any."""
        await self._scope(user_id, turns.hand)
        ended = [at_us for turn in turns.turns if (at_us := _ended_us(turn)) is not None]
        decided = sum(not isinstance(turn, FallenBack) for turn in turns.turns)
        return await self._lasting_of(turns.hand, decided, max(ended)) if ended else None

    async def export(self, user_id: UserId, hands: Sequence[Hand]) -> AsyncIterator[CapturedTurn]:
        """Every turn of these hands that is there, and this user's."""
        for hand in hands:
            for turn in (await self.turns(user_id, hand)).captured:
                yield turn

    async def _lasting(self, agent_id: AgentId, hand: RecentHand) -> Lasting:
        return await self._lasting_of(_named(agent_id, hand), hand.decided, hand.last_at_us)

    async def _lasting_of(self, hand: Hand, decided: int, last_at_us: int) -> Lasting:
        return lasting(
            await self._stores.durable.rows_of(hand),
            decided=decided,
            last_at_us=last_at_us,
            ttl_us=self._stores.ttl_us,
            now_us=self._stores.now_us(),
            retention=self._retention,
        )

    async def _scope(self, user_id: UserId, hand: Hand) -> OwnerScope:
        owner = await self._owner_at_deal(hand.agent_id, hand.table_id, hand.hand_number)
        return capture_scope.scope_for_owner(
            user_id=user_id,
            agent_id=hand.agent_id,
            table_id=hand.table_id,
            hand_number=hand.hand_number,
            owner_at_deal=owner,
        )

    async def _forget(self, hand: Hand) -> int:
        try:
            return await self._stores.buffer.forget_hand(
                agent_id=hand.agent_id, table_id=hand.table_id, hand_number=hand.hand_number
            )
        except BufferUnavailable:
            return 0

    async def _is_theirs(self, user_id: UserId, hand: Hand) -> bool:
        try:
            await self._scope(user_id, hand)
        except PolicyRefusal:
            return False
        return True


def _named(agent_id: AgentId, hand: RecentHand) -> Hand:
    return Hand(agent_id, hand.table_id, hand.hand_number)


def _ended_us(turn: HandTurn) -> int | None:
    if isinstance(turn, CapturedTurn):
        return turn.at_us
    return None if turn.charge is None else turn.charge.at_us
