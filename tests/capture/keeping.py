"""Turns in a real buffer and on a real database, and the reads of owners and operators over both."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from capture.buffer.client import BufferClient
from capture.buffer.reader import Buffer
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.durable.retention import Retention
from capture.durable.turns import Durable
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.hand import Hand
from capture.ledger.ledger import Ledger
from capture.reads.operator_read import OperatorReads
from capture.reads.owner_read import OwnerReads
from capture.reads.stores import HotTurns, Stores
from capture.record import Decided, FinishedTurn, TurnKey
from capture.redaction import Redactor
from gameserver.store.engine import Database
from policy.capture_scope import InPlay
from policy.errors import PolicyRefusal
from policy.ids import ActionIndex, AgentId, HandNumber, TableId, UserId
from policy.viewer import Operator
from tests.capture.turns import NOON_US

TTL_S = 86_400
OSCAR = Operator("user:oscar")
ANN, BOB = UserId("ann"), UserId("bob")
A1, B1 = AgentId("a1"), AgentId("b1")


@dataclass
class Keeping:
    """One test's own table, in a buffer that all tests share, and a database of its own.

    `owners`: at the deal, by agent. `live`: hands in play. `audit`: what operators did, as (operator, action, outcome).
    """

    database: Database
    client: BufferClient
    ledger: Ledger
    table_id: TableId = field(default_factory=lambda: TableId(f"t{uuid.uuid4().hex[:12]}"))
    now_us: int = NOON_US + 1_000_000
    owners: dict[AgentId, UserId] = field(default_factory=lambda: {A1: ANN, B1: BOB})
    live: set[HandNumber] = field(default_factory=set)
    audit: list[tuple[str, str, str]] = field(default_factory=list)
    retention: Retention = field(default_factory=Retention)

    def __post_init__(self) -> None:
        def wall_ms() -> int:
            return self.now_us // 1_000

        self.buffer = Buffer(self.client, wall_ms)
        self.writer = BufferWriter(self.client, BufferSettings(TTL_S), wall_ms)
        self.maker = EntryMaker(Redactor(b"0123456789abcdef" * 2), EnvelopeHasher())
        self.durable = Durable(self.database)

    def stores(self, buffer: HotTurns | None = None) -> Stores:
        return Stores(buffer or self.buffer, self.durable, self.ledger, TTL_S * 1_000_000, lambda: self.now_us)

    def of_owner(self, buffer: HotTurns | None = None) -> OwnerReads:
        return OwnerReads(self.stores(buffer), self._owner_at_deal, self.retention)

    def of_operator(self, buffer: HotTurns | None = None) -> OperatorReads:
        return OperatorReads(self.stores(buffer), self.in_play, self._audited)

    def key(self, agent: str = "a1", hand: int = 7, index: int = 3) -> TurnKey:
        return TurnKey(AgentId(agent), self.table_id, HandNumber(hand), ActionIndex(index))

    def hand(self, agent: str = "a1", hand: int = 7) -> Hand:
        return Hand(AgentId(agent), self.table_id, HandNumber(hand))

    async def capture(self, *turns: FinishedTurn, charged: bool = True) -> None:
        """Put turns into the buffer, and into the ledger, as a recorder and a ledger do."""
        decided = [(turn, turn.outcome) for turn in turns if isinstance(turn.outcome, Decided)]
        await self.writer.write([self.maker.entry(turn, outcome) for turn, outcome in decided])
        if charged:
            for turn in turns:
                self.ledger.charge(turn)
            await self.ledger.flush()

    async def expire(self, *patterns: str) -> int:
        """Delete the keys of this table (or those of them that fit) as if their time had come; how many."""
        found = [key for pattern in patterns or (f"*{self.table_id}*",) for key in await self.client.scan(pattern)]
        for key in found:
            await self.client.command("UNLINK", key)
        return len(found)

    async def in_play(self, table_id: TableId, hand_number: HandNumber) -> InPlay:
        return InPlay.YES if table_id == self.table_id and hand_number in self.live else InPlay.NO

    async def _owner_at_deal(self, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> UserId | None:
        return self.owners.get(agent_id) if table_id == self.table_id else None

    @asynccontextmanager
    async def _audited(self, action: str, about: Mapping[str, str | int], *, operator: str) -> AsyncIterator[None]:
        self.audit.append((operator, action, "asked"))
        try:
            yield
        except PolicyRefusal as refused:
            self.audit.append((operator, action, refused.code))
            raise
