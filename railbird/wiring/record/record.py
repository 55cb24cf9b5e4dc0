"""The record of agents' decisions over this server's database and a buffer: what reads it, and its routes. It holds no rule.

What agents of this process do is recorded here too; a host of agents in a process of its own writes into the same buffer and the
same ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute

from capture.buffer.absent import AbsentBuffer
from capture.buffer.reader import Buffer
from capture.durable.retention import Retention
from capture.durable.turns import Durable
from capture.hooks import TurnHooks
from capture.http.of_operators import OperatorPorts, operator_routes
from capture.http.of_owners import OwnerPorts, owner_routes
from capture.ledger.ledger import Ledger
from capture.reads.operator_read import OperatorReads
from capture.reads.owner_read import OwnerReads
from capture.reads.stores import Stores
from capture.recorder import Recorder
from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.floor import Floor
from gameserver.http.askers import HttpAskers
from gameserver.http.body import read_body
from gameserver.http.operators import SERVICE, OperatorDoor, named
from gameserver.http.own_agents import OwnAgents
from gameserver.store.engine import Database
from gameserver.store.hands import Hands
from gameserver.store.people import People
from policy.ids import AgentId, HandNumber, TableId, UserId
from policy.viewer import Operator
from railbird.wiring.record.buffer_place import BufferPlace, RecordSetup
from railbird.wiring.record.dealt import Dealt, in_play
from railbird.wiring.record.recording import recorded

B = TypeVar("B", bound=msgspec.Struct)

_US_A_MS: Final = 1_000


class Record:
    """What of the record a server offers. `client`, `buffer`: None where `place` is. `now_ms`: Unix time."""

    def __init__(
        self, setup: RecordSetup, database: Database, place: BufferPlace | None, now_ms: Callable[[], int]
    ) -> None:
        self._place, self._setup, self._now_ms = place, setup, now_ms
        self.recorder: Recorder | None = None
        self._opened = AsyncExitStack()
        self.client = None if place is None else place.client()
        self.buffer = None if self.client is None else Buffer(self.client, now_ms)
        self.ledger = Ledger(database)
        self.retention = Retention(setup.pinned_days)
        self.stores = Stores(
            buffer=self.buffer or AbsentBuffer(),
            durable=Durable(database),
            ledger=self.ledger,
            ttl_us=setup.buffer.ttl_s * 1_000_000,
            now_us=lambda: now_ms() * _US_A_MS,
        )

    @property
    def listeners(self) -> Sequence[TurnHooks]:
        """What agents of this process are to tell their turns to, beside `ledger.charge`."""
        return () if self.recorder is None else (self.recorder,)

    async def open(self) -> None:
        """Take down turns and what they cost from now on; and let go of what a limit ends. A buffer that is away is no error."""
        self.recorder = await self._opened.enter_async_context(
            recorded(self._place, setup=self._setup, now_ms=self._now_ms)
        )
        await self._opened.enter_async_context(self.ledger)
        await self.forget()

    async def close(self) -> None:
        """Write what still waits, and leave the buffer."""
        await self._opened.aclose()
        if self.client is not None:
            await self.client.close()

    async def forget(self) -> int:
        """Delete kept turns that an operator's limit ends; how many that were."""
        return await self.retention.enforce(self.stores.durable, self._now_ms() * _US_A_MS)


@dataclass(frozen=True, slots=True)
class RecordBehind:
    """What the routes of the record stand on, beside it."""

    hands: Hands
    people: People
    floor: Floor
    askers: HttpAskers
    own: OwnAgents
    door: OperatorDoor
    operators: Callable[[UserId], bool]


def owner_reads(record: Record, hands: Hands, people: People, floor: Floor) -> OwnerReads:
    """What owners' routes and pages read with."""
    dealt = Dealt(hands, people, floor, partial(_was_charged, record))
    return OwnerReads(record.stores, dealt.owner_at_deal, record.retention)


def record_routes(record: Record, behind: RecordBehind) -> list[BaseRoute]:
    """Operators' routes and owners'."""
    of_operators = OperatorReads(record.stores, partial(in_play, behind.hands), behind.door.audited)
    of_owners = owner_reads(record, behind.hands, behind.people, behind.floor)

    async def by_service_key(request: Request) -> Operator:
        behind.door.require_service_key(request)
        return Operator(SERVICE)

    async def by_session(request: Request) -> Operator:
        asker = await behind.askers.user(request)
        if not behind.operators(asker.user_id):
            raise Refusal(ErrorCode.NOT_ALLOWED, "for operators")
        return Operator(named(asker.user_id))

    async def owns_now(user_id: UserId, agent_id: AgentId) -> bool:
        agent = await behind.people.agent(agent_id)
        return agent is not None and agent.owner == user_id

    return [
        *operator_routes(OperatorPorts(of_operators, by_service_key, by_session, _read_body)),
        *owner_routes(OwnerPorts(of_owners, behind.own.asker, owns_now)),
    ]


async def _read_body(request: Request, model: type[B]) -> B:
    """A body that names a hand; one that names none is a bad request, as a query that names none is."""
    try:
        return await read_body(request, model)
    except Refusal:
        raise HTTPException(400) from None


async def _was_charged(record: Record, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> bool:
    return await record.ledger.has_turns(agent_id, table_id, hand_number)
