"""The composition root: the rooms of the server, wired together. It holds no rule.

async with opened(setup) as server:
    server.app        the ASGI application: sockets, routes, pages
    server.floor      the tables
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from gameserver.store.engine import open_database
from railbird import migrations
from railbird.wiring.house import House
from railbird.wiring.record.buffer_place import buffer_of
from railbird.wiring.setup import Server, Setup

__all__ = ["Server", "Setup", "opened"]


@asynccontextmanager
async def opened(setup: Setup) -> AsyncIterator[Server]:
    """Open the stores, start every stored table again, and serve until the end of the block; then stop with grace."""
    with buffer_of(setup.record) as buffer:
        database = await open_database(setup.database_url, migrate=migrations.upgrade)
        try:
            async with _running(House(setup, database, buffer)) as server:
                yield server
        finally:
            await database.dispose()


@asynccontextmanager
async def _running(house: House) -> AsyncIterator[Server]:
    await house.load()
    server = house.server()
    await server.floor.start()
    keeping = asyncio.create_task(house.keep(), name="keeping")
    try:
        yield server
    finally:
        await server.stop()
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await house.settle()
