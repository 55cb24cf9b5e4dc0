"""A world of each test's own on a real SQLite file."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from gameserver.store.engine import Database
from railbird import migrations
from tests.floor.world import World, open_database, opened


@pytest_asyncio.fixture(scope="session")
async def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy."""
    path = tmp_path_factory.mktemp("floor") / "migrated.db"
    await migrations.upgrade(f"sqlite:///{path}")
    return path


@pytest_asyncio.fixture
async def database(migrated_file: Path, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database that nobody has used yet."""
    path = tmp_path / "railbird.db"
    shutil.copy(migrated_file, path)
    found = open_database(path)
    yield found
    await found.dispose()


@pytest_asyncio.fixture
async def world(database: Database) -> AsyncIterator[World]:
    """A floor that runs. The books are right when the test is over."""
    async with opened(database) as world:
        yield world
    assert await world.ledger.verify_ledger() == ()
