"""A database is opened from a URL, safely set up, and tells nobody what is in its rows."""

from __future__ import annotations

import asyncio
import io
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.util import await_

from gameserver.store.engine import Database, DatabaseUrlError, call_on, database_url, open_database
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from policy.ids import HandNumber
from railbird import migrations
from tests.store.conftest import Store
from tests.store.looking import rows_of
from tests.store.stories import ALICE, ALICES, BOBS, MUCKED, TABLE, buy_in, options, result, settled


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("sqlite:///a.db", "sqlite+pysqlite:///a.db"),
        ("sqlite+pysqlite:////tmp/a b.db", "sqlite+pysqlite:////tmp/a b.db"),
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
    database = Database(database_url(f"sqlite:///{tmp_path}/a.db"))
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    assert [await said(database, f"PRAGMA {name}") for name in names] == ["wal", 2, 1, 10_000]
    await database.dispose()


async def test_a_postgres_commit_survives_a_power_cut(postgres_url: URL) -> None:
    """No session of ours turns off what the server does for it (the tests' own server has it off for speed)."""
    database = Database(database_url(postgres_url))
    source = "SELECT source FROM pg_settings WHERE name = 'synchronous_commit'"
    assert await said(database, source) == "command line"
    await database.dispose()


async def said(database: Database, query: str) -> Any:
    return await database.write(lambda connection: connection.execute(text(query)).scalar_one())


async def test_many_connections_open_a_new_file_at_once(tmp_path: Path) -> None:
    """Whoever makes a write-ahead one of it has it alone for an instant; the others wait for that, too."""
    for number in range(20):
        url = database_url(f"sqlite:///{tmp_path}/{number}.db")
        opened = [Database(url) for _ in range(8)]
        await asyncio.gather(
            *(each.read(lambda connection: connection.execute(text("SELECT 1")).all()) for each in opened)
        )
        await asyncio.gather(*(each.dispose() for each in opened))


async def test_a_reader_sees_one_state_and_waits_for_no_writer(store: Store) -> None:
    """What is committed while it reads is not there for it yet."""
    loop = asyncio.get_running_loop()
    looked, created = asyncio.Event(), threading.Event()

    def count(connection: Connection) -> int:
        return int(connection.execute(text("SELECT count(*) FROM railbird_tables")).scalar_one())

    def twice(connection: Connection) -> tuple[int, int]:
        before = count(connection)
        loop.call_soon_threadsafe(looked.set)
        if threading.current_thread() is not threading.main_thread():
            assert created.wait(10)
        else:
            await_(asyncio.wait_for(asyncio.to_thread(created.wait), 10))  # as a driver waits in there
        return before, count(connection)

    reading = asyncio.ensure_future(store.database.read(twice))
    await looked.wait()
    await asyncio.wait_for(store.tables.create_table(TABLE, options(), b""), 5)
    created.set()
    assert await reading == (0, 0)
    assert await store.database.read(count) == 1


async def test_a_caller_that_is_cancelled_waits_for_the_end_of_its_transaction(store: Store) -> None:
    """However often it is cancelled; a fault in it is not told to anybody then, and nothing of it is kept."""
    statements = "UPDATE railbird_users SET name = 'changed'", SLEEP[store.url.get_backend_name()]
    await store.ledger.bankroll_chips(ALICE)
    ended = []

    def work(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))
        ended.append(True)
        raise ValueError

    caller = asyncio.ensure_future(store.database.write(work))
    await asyncio.sleep(0.05)
    for _ in range(3):
        caller.cancel()
        await asyncio.sleep(0)
        assert not caller.done()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended
    assert await store.people.user_name(ALICE) == ALICE


SLEEP = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n",
    "postgresql": "SELECT pg_sleep(0.3)",
}


async def test_what_is_called_from_a_transaction_runs_where_everything_else_lives(store: Store) -> None:
    """In the loop's own thread, on both databases; what it raises comes through, and ends the transaction."""
    loop, here = asyncio.get_running_loop(), threading.get_ident()
    assert await store.database.write(lambda _: call_on(loop, threading.get_ident)) == here

    def fail() -> None:
        raise ValueError("from the loop")

    with pytest.raises(ValueError, match="from the loop"):
        await store.database.write(lambda _: call_on(loop, fail))


async def test_no_value_of_a_row_reaches_a_log(store: Store) -> None:
    """At the most talkative level of all loggers: statements may be there, values and rows are not."""
    out, names = io.StringIO(), ("", "sqlalchemy", "sqlalchemy.engine", "asyncpg", "asyncio", "alembic")
    handler, before = logging.StreamHandler(out), {name: logging.getLogger(name).level for name in names}
    logging.getLogger().addHandler(handler)
    for name in names:
        logging.getLogger(name).setLevel(1)
    try:
        talkative = Database(store.url)
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
