"""The durable half of the record on a real SQLite file and on a real Postgres, each test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest_asyncio
from sqlalchemy import URL

from capture.buffer.client import BufferClient
from capture.ledger.ledger import Ledger
from gameserver.store.engine import Database
from tests.capture.buffers import node_url, on_either, on_node  # noqa: F401 - fixtures
from tests.capture.keeping import Keeping
from tests.store.conftest import (  # noqa: F401 - fixtures that `database` is made from
    migrated,
    migrated_postgres,
    migrated_sqlite,
    new_url,
)


@pytest_asyncio.fixture
async def database(new_url: Callable[[], Awaitable[URL]]) -> AsyncIterator[Database]:  # noqa: F811
    """A migrated database that nobody has used yet."""
    database = Database(await new_url())
    yield database
    await database.dispose()


@pytest_asyncio.fixture
async def keeping(database: Database, valkey_url: str) -> AsyncIterator[Keeping]:
    """Buffer, kept turns and ledger of a test's own table."""
    client = BufferClient(valkey_url, timeout_s=30)
    async with Ledger(database) as ledger:
        yield Keeping(database, client, ledger)
    await client.close()
