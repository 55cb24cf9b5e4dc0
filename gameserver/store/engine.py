"""A database: opened from a URL, and worked with in whole transactions.

Knows SQLite and Postgres and what makes them alike. Knows no table, makes no table (that is `railbird.migrations`, which the
application hands in), and reads no configuration.

The work of a transaction is a plain function of a connection. On Postgres it runs in the event loop and waits as asyncio does;
on SQLite it runs in one thread, from its first statement to its commit (decision 0008 has the reasons and the figures).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, Protocol, TypeAlias, TypeVar, TypeVarTuple

from sqlalchemy import URL, Connection, Engine, Insert, Row, Select, Table, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, IntegrityError

from gameserver.errors import Bug
from gameserver.store.on_postgres import OnPostgres
from gameserver.store.on_sqlite import OnSqlite

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Work: TypeAlias = Callable[[Connection], T]

_DRIVERS: Final = {
    "sqlite": "sqlite+pysqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}
_ON_LOOP_TIMEOUT_S: Final = 10.0


class DatabaseUrlError(ValueError):
    """The URL names no database that can be used; the message repeats nothing of it, since it may hold a password."""


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


async def open_database(url: URL | str, *, migrate: Callable[[URL], Awaitable[None]]) -> Database:
    """Bring the schema up to date with `migrate`, and open.

    Raises DatabaseUrlError, and whatever `migrate` and the driver raise.
    """
    found = database_url(url)
    await migrate(found)
    return Database(found)


class Backend(Protocol):
    """How one kind of database runs a transaction."""

    engine: Engine

    def run(self, work: Work[T], *, reading: bool) -> asyncio.Future[T]:
        """Begin at once, and go on whoever stops waiting."""

    async def dispose(self) -> None: ...


class Database:
    """One database, by a URL of `database_url`. `write` and `read` are whole transactions.

    A caller that is cancelled does not cut one short: it waits for the end (test_a_task_that_is_cancelled_leaves_all_or_nothing).
    A statement that is cut short can hold its locks long after, and nobody could say whether the hand was stored.
    """

    def __init__(self, url: URL) -> None:
        _keep_rows_out_of_logs()
        self._backend: Backend = OnSqlite(url) if url.get_backend_name() == "sqlite" else OnPostgres(url)

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's own, to listen to."""
        return self._backend.engine

    async def write(self, work: Work[T]) -> T:
        """All that `work` does is committed, or nothing of it where it raises."""
        return await _to_its_end(self._backend.run(work, reading=False))

    async def read(self, work: Work[T]) -> T:
        """`work` sees one state of the database, whatever is committed in the meantime. Waits for no writer."""
        return await _to_its_end(self._backend.run(work, reading=True))

    async def rows(self, query: Select[*Ts]) -> Sequence[Row[*Ts]]:
        """All rows of one query."""
        return await self.read(lambda connection: connection.execute(query).all())

    async def value(self, query: Select[T]) -> T | None:
        """The one column of a query's first row; None where there is no row."""
        found = await self.rows(query)
        return found[0][0] if found else None

    async def dispose(self) -> None:
        """Close all connections, once what is under way has ended."""
        await self._backend.dispose()


async def _to_its_end(transaction: asyncio.Future[T]) -> T:
    """What the transaction gives. Who is cancelled meanwhile waits for its end, and is cancelled then."""
    try:
        return await asyncio.shield(transaction)
    except asyncio.CancelledError:
        while not transaction.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([transaction])
        if not transaction.cancelled():
            transaction.exception()  # nobody else will ask for it, and asyncio would complain
        raise


def call_on(loop: asyncio.AbstractEventLoop, function: Callable[[], T]) -> T:
    """From within a transaction's work: call `function` in the thread of `loop`, where everything else lives, and wait for it."""
    if _running_loop() is loop:
        return function()

    async def call() -> T:
        return function()

    return asyncio.run_coroutine_threadsafe(call(), loop).result(_ON_LOOP_TIMEOUT_S)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class _NoRows(logging.Filter):
    """Withholds SQLAlchemy's debug lines: these print whole rows, and a row of a finished hand has its cards."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


_no_rows: Final = _NoRows()


def _keep_rows_out_of_logs() -> None:
    logging.getLogger("sqlalchemy.engine.Engine").addFilter(_no_rows)  # the same one again changes nothing


def insert_new(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that leaves a row with the same key as it is. Learn by RETURNING, and by no row count, what was new."""
    return _insert_new(connection.dialect.name, table)


@cache
def _insert_new(dialect: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing()


def insert_once(connection: Connection, insert: Insert, taken: str) -> None:
    """Insert a row whose key must be new. Raises Bug, with the words `taken`, where the database refuses it."""
    try:
        connection.execute(insert)
    except IntegrityError:
        raise Bug(taken) from None  # on Postgres the cause repeats the row
