"""Transactions on Postgres: in the event loop, several at once. Its own defaults make a commit safe against a power cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy import URL, Connection
from sqlalchemy.ext.asyncio import create_async_engine

T = TypeVar("T")

_CONNECTIONS: Final = 10


class OnPostgres:
    """See `gameserver.store.engine.Backend`."""

    def __init__(self, url: URL) -> None:
        # The ping finds connections that a restart of the server broke before a hand is lost on one.
        self._async = create_async_engine(
            url, hide_parameters=True, pool_size=_CONNECTIONS, max_overflow=0, pool_pre_ping=True
        )
        self.engine = self._async.sync_engine

    def run(self, work: Callable[[Connection], T], *, reading: bool) -> asyncio.Future[T]:
        return asyncio.ensure_future(self._look(work) if reading else self._change(work))

    async def dispose(self) -> None:
        await self._async.dispose()

    async def _change(self, work: Callable[[Connection], T]) -> T:
        async with self._async.begin() as connection:
            return await connection.run_sync(work)

    async def _look(self, work: Callable[[Connection], T]) -> T:
        async with self._async.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            return await connection.run_sync(work)
