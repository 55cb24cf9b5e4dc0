"""A store of each test's own, on a real SQLite file and on a real Postgres; and its neighbours' hands and players."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import URL, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from gameserver.store.engine import Database
from gameserver.store.hands import Hands
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from railbird import migrations

STARTING_CHIPS = 1_000
KINDS = ("sqlite", "postgres")


@dataclass
class Clock:
    """A wall clock that goes one second further with each look."""

    now_ms: int = 1_700_000_000_000
    step_ms: int = 1_000

    def wall_ms(self) -> int:
        self.now_ms += self.step_ms
        return self.now_ms


@dataclass
class Store:
    """Everything of the room on one database."""

    url: URL
    database: Database
    clock: Clock = field(default_factory=Clock)
    starting_chips: int = STARTING_CHIPS

    def __post_init__(self) -> None:
        books = Bookkeeping(self.clock.wall_ms, self.starting_chips)
        self.tables = SqlTableStore(self.database, books)
        self.hands = Hands(self.database)
        self.ledger = Ledger(self.database, books)
        self.people = People(self.database, books)
        self.beside = Database(self.url)
        """A database of the tests' own, to look and to meddle past the code under test."""


@pytest_asyncio.fixture(scope="session")
async def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy."""
    path = tmp_path_factory.mktemp("store") / "migrated.db"
    await migrations.upgrade(f"sqlite:///{path}")
    return path


@pytest_asyncio.fixture(scope="session")
async def migrated_postgres(postgres_url: URL) -> URL:
    """A migrated database to copy."""
    name = f"migrated_{uuid.uuid4().hex[:8]}"  # other rooms take this fixture for theirs, and each of them has its own
    url = postgres_url.set(database=name)
    await administer(postgres_url, f"create database {name}")
    await migrations.upgrade(url)
    return url


@pytest.fixture(params=KINDS)
def migrated(request: pytest.FixtureRequest) -> URL:
    """The migrated database of one kind; the other kind's server is not started for it."""
    if request.param == "sqlite":
        return make_url(f"sqlite+pysqlite:///{request.getfixturevalue('migrated_sqlite')}")
    url: URL = request.getfixturevalue("migrated_postgres")
    return url


@pytest_asyncio.fixture
async def new_url(migrated: URL, tmp_path: Path) -> AsyncIterator[Callable[[], Awaitable[URL]]]:
    """Gives a migrated database that nobody has used yet, and another one with each call."""
    if migrated.get_backend_name() == "sqlite":

        async def copy() -> URL:
            path = tmp_path / f"{uuid.uuid4().hex}.db"
            shutil.copy(str(migrated.database), path)
            return migrated.set(database=str(path))

        yield copy
        return
    made: list[str] = []

    async def create() -> URL:
        made.append(f"store_{uuid.uuid4().hex}")
        await administer(migrated.set(database="postgres"), f"create database {made[-1]} template {migrated.database}")
        return migrated.set(database=made[-1])

    yield create
    for name in made:
        await administer(migrated.set(database="postgres"), f"drop database {name} with (force)")


@pytest_asyncio.fixture
async def new_store(new_url: Callable[[], Awaitable[URL]]) -> AsyncIterator[Callable[[], Awaitable[Store]]]:
    """Gives an empty store, and another one with each call; their books are right when the test is over."""
    made: list[Store] = []

    async def make() -> Store:
        url = await new_url()
        made.append(Store(url, Database(url)))
        return made[-1]

    yield make
    for store in made:
        assert await store.ledger.verify_ledger() == ()
        await store.beside.dispose()
        await store.database.dispose()


@pytest_asyncio.fixture
async def store(new_store: Callable[[], Awaitable[Store]]) -> Store:
    """An empty store."""
    return await new_store()


async def administer(url: URL, statement: str) -> None:
    """Run one statement outside a transaction."""
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()
