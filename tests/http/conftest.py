"""A world for the tests of the whole server's routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.http.world import World, opened_world


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A server that nobody has used yet. The books are right when the test is over."""
    async with opened_world(tmp_path) as world:
        yield world
        assert await world.server.ledger.verify_ledger() == ()
