"""One agent's part of one hand, and where what is known of it is found: the buffer, the kept turns, the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from capture.captured import CapturedHand
from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.ids import AgentId, HandNumber, TableId

if TYPE_CHECKING:
    from capture.durable import Durable
    from capture.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Hand:
    """One agent's part of one hand."""

    agent_id: AgentId
    table_id: TableId
    hand_number: HandNumber


def hand_within(scope: OwnerScope | OperatorScope, agent_id: AgentId) -> Hand:
    """The agent's part of the scope's hand. Raises AssertionError for an agent that is not in the scope."""
    in_scope = scope.agent_id if isinstance(scope, OwnerScope) else scope.whose
    assert isinstance(in_scope, EveryAgent) or in_scope == agent_id, "an agent outside of the scope"
    return Hand(agent_id, scope.table_id, scope.hand_number)


class HotTurns(Protocol):
    """The buffer, as a reader has it (`capture.buffer.Buffer`). Each method raises BufferUnavailable where it does not answer."""

    async def hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> CapturedHand: ...

    async def agents_of(self, *, table_id: TableId, hand_number: HandNumber) -> frozenset[AgentId]: ...

    async def forget_hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> int: ...


@dataclass(frozen=True, slots=True)
class Stores:
    """`ttl_us`: how long the buffer keeps a turn. `now_us`: microseconds since 1970 UTC."""

    buffer: HotTurns
    durable: Durable
    ledger: Ledger
    ttl_us: int
    now_us: Callable[[], int]
