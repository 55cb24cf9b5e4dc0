"""Where what is known of a hand is found: the buffer, the kept turns, the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from capture.captured import CapturedHand
from capture.durable.turns import Durable
from capture.ledger.ledger import Ledger
from policy.ids import AgentId, HandNumber, TableId


class HotTurns(Protocol):
    """The buffer, as a reader has it (`capture.buffer.reader.Buffer`). Each method raises BufferUnavailable where it does not answer."""

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
