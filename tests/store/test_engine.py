"""A database is opened from a URL, safely set up, and tells nobody what is in its rows."""

from __future__ import annotations

import asyncio
import io
import logging
from pathlib import Path

import pytest
from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from gameserver.store.engine import Database, DatabaseUrlError, database_url, make_engine, open_database
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from policy.ids import HandNumber
from railbird import migrations
from tests.store.conftest import Store
from tests.store.looking import rows_of
from tests.store.stories import ALICES, BOBS, MUCKED, TABLE, buy_in, options, result, settled


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("sqlite:///a.db", "sqlite+aiosqlite:///a.db"),
        ("sqlite+aiosqlite:////tmp/a b.db", "sqlite+aiosqlite:////tmp/a b.db"),
        ("postgres://u:p@h:5/d", "postgresql+asyncpg://u:p@h:5/d"),
        ("postgresql://h/d?sslmode=require", "postgresql+asyncpg://h/d?ssl=require"),
        ("postgresql+asyncpg://h/d", "postgresql+asyncpg://h/d"),
    ],
)
def test_the_usual_urls_are_understood(given: str, used: str) -> None:
    """Each gets the driver that is used here."""
    assert database_url(given).render_as_string(hide_password=False) == used


@pytest.mark.parametrize(
    "url",
    ["", "nonsense-sesame", "mysql://u:sesame@h/d", "postgresql://u:sesame@h:port/d", "sqlite://", "sqlite:///:memory:",
     "postgresql+psycopg://u:sesame@h/d"],
)  # fmt: skip
def test_other_urls_are_refused_and_not_repeated(url: str) -> None:
    """There may be a password in them; nor does the error have a cause that repeats them."""
    with pytest.raises(DatabaseUrlError) as refused:
        database_url(url)
    assert "sesame" not in str(refused.value)
    assert refused.value.__cause__ is None and (refused.value.__context__ is None or refused.value.__suppress_context__)


async def test_opening_brings_the_schema_up_to_date(tmp_path: Path) -> None:
    """From an empty file; opening again changes nothing, and what was stored is there."""
    url = f"sqlite:///{tmp_path}/new.db"
    for _ in range(2):
        database = await open_database(url, migrate=migrations.upgrade)
        await SqlTableStore(database, Bookkeeping(lambda: 1, 5)).bankroll_chips(ALICES.owner)
        await database.dispose()
    assert await migrations.revision_of(url) == migrations.newest_revision()


async def test_a_sqlite_commit_survives_a_power_cut(tmp_path: Path) -> None:
    """Write-ahead log, flushed at each commit (synchronous=FULL is 2), foreign keys held to."""
    engine = make_engine(database_url(f"sqlite:///{tmp_path}/a.db"))
    async with engine.connect() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = [(await connection.execute(text(f"PRAGMA {name}"))).scalar_one() for name in names]
    assert found == ["wal", 2, 1, 10_000]
    await engine.dispose()


async def test_a_postgres_commit_survives_a_power_cut(postgres_url: URL) -> None:
    """No session of ours turns off what the server does for it (the tests' own server has it off for speed)."""
    engine = make_engine(database_url(postgres_url))
    async with engine.connect() as connection:
        source = text("SELECT source FROM pg_settings WHERE name = 'synchronous_commit'")
        assert (await connection.execute(source)).scalar_one() == "command line"
    await engine.dispose()


async def test_a_reader_sees_one_state_and_waits_for_no_writer(store: Store) -> None:
    """What is committed while it reads is not there for it yet."""

    async def count(connection: AsyncConnection) -> int:
        return int((await connection.execute(text("SELECT count(*) FROM railbird_tables"))).scalar_one())

    async def twice(connection: AsyncConnection) -> tuple[int, int]:
        before = await count(connection)
        await store.tables.create_table(TABLE, options(), b"")
        return before, await count(connection)

    assert await asyncio.wait_for(store.database.read(twice), 5) == (0, 0)
    assert await store.database.read(count) == 1


async def test_a_caller_that_is_cancelled_waits_for_the_end_of_its_transaction(store: Store) -> None:
    """However often it is cancelled; a fault in it is not told to anybody then."""
    began, finish, ended = asyncio.Event(), asyncio.Event(), []

    async def work(connection: AsyncConnection) -> None:
        began.set()
        await finish.wait()
        ended.append(await connection.execute(text("SELECT 1")))
        raise ValueError

    caller = asyncio.ensure_future(store.database.write(work))
    await began.wait()
    for _ in range(3):
        caller.cancel()
        await asyncio.sleep(0)
        assert not caller.done()
    finish.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended


async def test_no_value_of_a_row_reaches_a_log(store: Store) -> None:
    """At the most talkative level of all loggers: statements may be there, values and rows are not."""
    out, names = io.StringIO(), ("", "sqlalchemy", "sqlalchemy.engine", "aiosqlite", "asyncpg", "asyncio", "alembic")
    handler, before = logging.StreamHandler(out), {name: logging.getLogger(name).level for name in names}
    logging.getLogger().addHandler(handler)
    for name in names:
        logging.getLogger(name).setLevel(1)
    try:
        talkative = Database(make_engine(store.url))
        await play_one(SqlTableStore(talkative, Bookkeeping(store.clock.wall_ms, 1_000)))
        assert len(await store.hands.recent_hands(TABLE, 1)) == 1
        await talkative.dispose()
    finally:
        logging.getLogger().removeHandler(handler)
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
    assert "UPDATE railbird_hands" in out.getvalue()
    assert not any(marker in out.getvalue() for marker in (*MUCKED, "u_alice", "seated-memory", "Cárol"))


async def test_no_value_of_a_row_reaches_an_error(store: Store) -> None:
    """A hand that the database cannot take: the error says so, and says nothing of it."""
    far_future = SqlTableStore(store.database, Bookkeeping(lambda: 2**70, 1_000))
    await store.tables.create_table(TABLE, options(), b"")
    await store.tables.begin_hand(TABLE, HandNumber(1), b"")
    before = await rows_of(store.beside)
    with pytest.raises((DBAPIError, OverflowError)) as failed:
        await far_future.finish_hand(TABLE, result(), [], b"seated-memory")
    error: BaseException | None = failed.value
    while error is not None:
        assert not any(marker in f"{error!r} {error}" for marker in (*MUCKED, "seated-memory", "Cárol", "a_alice"))
        error = error.__cause__ or error.__context__
    assert await rows_of(store.beside) == before


async def play_one(tables: SqlTableStore) -> None:
    await tables.create_table(TABLE, options(), b"seated-memory")
    await tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"seated-memory")
    await tables.begin_hand(TABLE, HandNumber(1), b"seated-memory")
    await tables.finish_hand(TABLE, result(), settled(1), b"seated-memory")
    assert (await tables.tables())[0].open_hand is None
