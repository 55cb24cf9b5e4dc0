"""A whole server with a real buffer, and a hand that two owners' agents played."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest_asyncio

from capture.buffer.client import BufferClient
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.record import Decided, FinishedTurn, Prompt
from capture.redaction import Redactor
from gameserver.store import hands
from gameserver.table.commands import AgentPlayer
from policy.ids import AgentId, AgentVersionId, HandNumber, Seat, TableId, UserId
from railbird.wiring.record.buffer_place import RecordSetup
from tests.capture.turns import call, decided, key, turn
from tests.http.world import World, opened_world
from tests.store.stories import result

HAND = HandNumber(7)


@dataclass
class Recorded:
    """`a1`: Ann's agent; `b1`: Bob's; `idle`: another of Ann's, that did not play."""

    world: World
    client: BufferClient
    table_id: TableId
    a1: AgentId
    b1: AgentId
    idle: AgentId

    @property
    def own(self) -> str:
        """The path of Ann's agent's turns of the hand."""
        return f"/agents/{self.a1}/hands/{self.table_id}/{HAND}"

    def asked(self, agent: str, **changed: object) -> str:
        """A query for an agent's turns of the hand."""
        named = {"tableId": self.table_id, "handNumber": HAND, "agentId": agent, **changed}
        return "&".join(f"{name}={value}" for name, value in named.items() if value is not None)

    async def begin(self, number: HandNumber = HAND) -> None:
        """The hand is in play."""
        await self._write(lambda connection: hands.begin(connection, self.table_id, number, _now_ms()))

    async def finish(self, number: HandNumber = HAND) -> None:
        """The hand is over: the two agents and a person were dealt in."""
        over = result(number)
        players = {Seat(0): _player(self.a1, "ann"), Seat(2): _player(self.b1, "bob")}
        dealt = tuple((seat, players.get(seat, player)) for seat, player in over.players)
        played = replace(over, players=dealt)
        await self._write(lambda connection: hands.finish(connection, self.table_id, played, _now_ms()))

    async def cancel(self, number: HandNumber = HAND) -> None:
        await self._write(lambda connection: hands.cancel(connection, self.table_id, number, _now_ms()))

    async def capture(self, *turns: FinishedTurn) -> None:
        """As an agent program's recorder and ledger do."""
        writer = BufferWriter(self.client, BufferSettings(), _now_ms)
        maker = EntryMaker(Redactor(b"k" * 32), EnvelopeHasher())
        made = [(each, each.outcome) for each in turns if isinstance(each.outcome, Decided)]
        await writer.write([maker.entry(each, outcome) for each, outcome in made])
        for each in turns:
            self.world.server.record.ledger.charge(each)
        await self.world.server.record.ledger.flush()

    def turn(self, agent: str, words: str, index: int = 3, hand: int = HAND) -> FinishedTurn:
        """A turn in which the agent was told, and said, these words."""
        said = decided(call(prompt=Prompt(b"You play poker.", words.encode()), completion=words))
        return turn(key(agent, hand, index, self.table_id), said, at_us=_now_ms() * 1_000)

    async def expire(self) -> None:
        for name in await self.client.scan(f"*{self.table_id}*"):
            await self.client.command("UNLINK", name)

    async def _write(self, work: Any) -> None:
        await self.world.server.store._database.write(work)


@asynccontextmanager
async def played(world: World, valkey_url: str) -> AsyncIterator[Recorded]:
    """The hand, at a table of this world, which has its buffer there."""
    client = BufferClient(valkey_url, timeout_s=30)
    table_id = TableId(await world.table("ann"))
    agents = [AgentId(await world.agent(owner, name)) for owner, name in (("ann", "A1"), ("bob", "B1"), ("ann", "A2"))]
    recorded = Recorded(world, client, table_id, *agents)
    await recorded.begin()
    await recorded.capture(recorded.turn(recorded.a1, "told to A1"), recorded.turn(recorded.b1, "told to B1"))
    await recorded.finish()
    yield recorded
    await client.close()


@pytest_asyncio.fixture
async def recorded(tmp_path: Path, valkey_url: str) -> AsyncIterator[Recorded]:
    """The hand is over; one turn of each of the two agents was captured."""
    setup = RecordSetup(redis_url=valkey_url)
    async with opened_world(tmp_path, record=setup) as world, played(world, valkey_url) as recorded:
        yield recorded


def _player(agent_id: AgentId, owner: str) -> AgentPlayer:
    return AgentPlayer(agent_id, UserId(owner), AgentVersionId("v"), True, "house")


def _now_ms() -> int:
    return int(time.time() * 1_000)
