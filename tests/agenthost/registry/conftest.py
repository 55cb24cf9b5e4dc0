"""A registry on a database of each test's own, of both kinds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest_asyncio

from railbird.agenthost.registry.store import Registry
from tests.store.conftest import (  # noqa: F401 - fixtures that `registry` is made from
    Store,
    migrated,
    migrated_postgres,
    migrated_sqlite,
    new_store,
    new_url,
)


@pytest_asyncio.fixture
async def store(new_store: Callable[[], Awaitable[Store]]) -> Store:  # noqa: F811 - the fixture
    """An empty store."""
    return await new_store()


@pytest_asyncio.fixture
async def registry(store: Store) -> Registry:
    """In which nothing is deployed."""
    return Registry(store.database)
