"""A database: opened from a URL, and worked with in whole transactions.

Knows SQLite and Postgres and what makes them alike. Knows no table, makes no table (that is `railbird.migrations`, which the
application hands in), and reads no configuration.

SQLite: write-ahead log with `synchronous=FULL`, so that a commit is on the disk before anybody hears of it, after a power cut
too; with NORMAL a power cut could take back a hand that people saw end, and give its number to another. Decision 0008 has the
price. Writers take the file's lock at their beginning (`BEGIN IMMEDIATE`), in turn.
Postgres: its own defaults, which are as safe.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import nullcontext, suppress
from typing import Any, Final, TypeAlias, TypeVar, TypeVarTuple

from sqlalchemy import URL, Connection, Insert, Row, Select, Table, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from gameserver.errors import Bug

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Work: TypeAlias = Callable[[AsyncConnection], Awaitable[T]]

_DRIVERS: Final = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
_BUSY_TIMEOUT_MS: Final = 10_000
_POSTGRES_CONNECTIONS: Final = 10
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}",  # first: the others may have to wait
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class DatabaseUrlError(ValueError):
    """The URL names no database that can be used; the message repeats nothing of it, since it may hold a password."""


class Database:
    """One database. `write` and `read` are whole transactions, and a caller that is cancelled does not cut one short.

    A driver that is cancelled in the midst of a statement leaves a connection that holds its locks until it is collected
    (test_a_task_that_is_cancelled_leaves_all_or_nothing); and nobody could say whether the hand was stored.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite has one writer; those of this process wait here, in order, and not for the file's lock by luck.
        self._writers = asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()

    async def write(self, work: Work[T]) -> T:
        """All that `work` does is committed, or nothing of it where it raises."""
        async with self._writers:
            return await _to_its_end(self._transaction(work))

    async def read(self, work: Work[T]) -> T:
        """`work` sees one state of the database, whatever is committed in the meantime. Waits for no writer."""
        return await _to_its_end(self._look(work))

    async def rows(self, query: Select[*Ts]) -> Sequence[Row[*Ts]]:
        """All rows of one query."""

        async def work(connection: AsyncConnection) -> Sequence[Row[*Ts]]:
            return (await connection.execute(query)).all()

        return await self.read(work)

    async def value(self, query: Select[T]) -> T | None:
        """The one column of a query's first row; None where there is no row."""
        found = await self.rows(query)
        return found[0][0] if found else None

    async def dispose(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    async def _transaction(self, work: Work[T]) -> T:
        async with self._engine.begin() as connection:
            return await work(connection)

    async def _look(self, work: Work[T]) -> T:
        async with self._engine.connect() as connection:
            await connection.execution_options(**_READING[connection.dialect.name])
            return await work(connection)


async def _to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives. Who is cancelled meanwhile waits for its end, and is cancelled then."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody else will ask for it, and asyncio would complain
        raise


_READING: Final[dict[str, dict[str, Any]]] = {
    "sqlite": {"railbird_reading": True},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}


async def open_database(url: URL | str, *, migrate: Callable[[URL], Awaitable[None]]) -> Database:
    """Bring the schema up to date with `migrate`, and open.

    Raises DatabaseUrlError, and whatever `migrate` and the driver raise.
    """
    found = database_url(url)
    await migrate(found)
    return Database(make_engine(found))


def database_url(url: URL | str) -> URL:
    """The URL with the driver that is used here. `sqlite:///file`, `postgresql://...` and `postgres://...` are understood."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseUrlError("the database's URL cannot be read") from None  # the cause repeats it
    drivername = _DRIVERS.get(parsed.drivername, parsed.drivername)
    if drivername not in _DRIVERS.values():
        raise DatabaseUrlError("the database is neither SQLite nor Postgres with the driver asyncpg")
    if drivername.startswith("sqlite") and parsed.database in (None, "", ":memory:"):
        raise DatabaseUrlError("a SQLite database has to be a file: the chips outlive the process")
    return _with_ssl(parsed.set(drivername=drivername))


def _with_ssl(url: URL) -> URL:
    """libpq's `sslmode` under the name that asyncpg has for it."""
    if "sslmode" not in url.query:
        return url
    return url.difference_update_query(["sslmode"]).update_query_dict({"ssl": url.query["sslmode"]})


def make_engine(url: URL) -> AsyncEngine:
    """An engine for a URL of `database_url`. Its errors hold statements and no values."""
    _keep_rows_out_of_logs()
    if url.get_backend_name() == "sqlite":
        engine = create_async_engine(url, hide_parameters=True, connect_args={"isolation_level": None})
        event.listen(engine.sync_engine, "connect", _set_pragmas)
        event.listen(engine.sync_engine, "begin", _begin)
        return engine
    return create_async_engine(
        url, hide_parameters=True, pool_size=_POSTGRES_CONNECTIONS, max_overflow=0, pool_pre_ping=True
    )


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get("railbird_reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


class _NoRows(logging.Filter):
    """Withholds the drivers' debug lines: these print values and whole rows, and a row of a finished hand has its cards."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


_no_rows: Final = _NoRows()


def _keep_rows_out_of_logs() -> None:
    for name in ("aiosqlite", "sqlalchemy.engine.Engine"):
        logging.getLogger(name).addFilter(_no_rows)  # the same one again changes nothing


def insert_new(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that leaves a row with the same key as it is. Learn by RETURNING, and by no row count, what was new."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing()


async def insert_once(connection: AsyncConnection, insert: Insert, taken: str) -> None:
    """Insert a row whose key must be new. Raises Bug, with the words `taken`, where the database refuses it."""
    try:
        await connection.execute(insert)
    except IntegrityError:
        raise Bug(taken) from None  # on Postgres the cause repeats the row
