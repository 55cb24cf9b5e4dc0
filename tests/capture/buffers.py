"""Buffers on real servers for tests: one of its own for each test, on a single node or on a cluster."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

import pytest
import pytest_asyncio

from capture.buffer.client import BufferClient
from capture.buffer.reader import Buffer
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.entry import Entry, EntryMaker
from capture.envelope import EnvelopeHasher
from capture.record import Decided, FinishedTurn
from capture.redaction import Redactor

HASH_KEY: Final = b"the key of these tests"
_PATIENCE_S: Final = 30.0
_databases = itertools.cycle(range(1, 16))


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


def maker() -> EntryMaker:
    return EntryMaker(Redactor(HASH_KEY), EnvelopeHasher())


def entry_of(turn: FinishedTurn) -> Entry:
    assert isinstance(turn.outcome, Decided)
    return maker().entry(turn, turn.outcome)


@dataclass(frozen=True, slots=True)
class Buffered:
    """A buffer, and one who writes to it."""

    client: BufferClient
    buffer: Buffer
    writer: BufferWriter

    def another_writer(self, **settings: int) -> BufferWriter:
        return BufferWriter(self.client, BufferSettings(**settings), wall_ms)


def buffered(url: str, **settings: int) -> Buffered:
    client = BufferClient(url, timeout_s=10)
    return Buffered(client, Buffer(client, wall_ms), BufferWriter(client, BufferSettings(**settings), wall_ms))


@pytest.fixture
def node_url(valkey_url: str) -> str:
    """A database of its own on the session's server, so that a test can purge."""
    return f"{valkey_url}?db={next(_databases)}"


@pytest_asyncio.fixture
async def on_node(node_url: str) -> AsyncIterator[Buffered]:
    """An empty buffer on a single node."""
    async for each in _empty(node_url):
        yield each


@pytest_asyncio.fixture(params=["node", "cluster"])
async def on_either(request: pytest.FixtureRequest) -> AsyncIterator[Buffered]:
    """An empty buffer, once on a single node and once on a cluster."""
    url = request.getfixturevalue("node_url" if request.param == "node" else "valkey_cluster_url")
    async for each in _empty(url):
        yield each


async def _empty(url: str) -> AsyncIterator[Buffered]:
    made = buffered(url)
    await made.buffer.purge()
    yield made
    await made.buffer.purge()
    await made.client.close()


async def wait_until(condition: Callable[[], bool]) -> None:
    """Lets the loop go on until it is so; fails after a long while."""
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - what is waited for is another process's doing
            await asyncio.sleep(0.005)
