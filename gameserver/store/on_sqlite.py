"""Transactions on SQLite: one thread writes, since SQLite has one writer; a few read.

Write-ahead log with `synchronous=FULL`, so that a commit is on the disk before anybody hears of it. With NORMAL a power cut could
take back a hand that people saw end, and its number would be given out again.

Waiting for the disk is what a write costs. So all that waits when the writer's turn comes is committed together, and waits for the
disk once; each work is whole by itself within (a savepoint), and none is told before the commit.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import URL, Connection, create_engine, event

T = TypeVar("T")

_READERS: Final = 2
_TOGETHER: Final = 32
"""Works in one commit at most, so that the first does not wait long for the last."""
_BUSY_MS: Final = 10_000
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_BUSY_MS}",  # first: the others may have to wait
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class OnSqlite:
    """See `gameserver.store.engine.Backend`."""

    def __init__(self, url: URL) -> None:
        self.engine = create_engine(url, hide_parameters=True, connect_args={"isolation_level": None})
        event.listen(self.engine, "connect", _set_pragmas)
        event.listen(self.engine, "begin", _begin)
        self._waiting: deque[_Job[Any]] = deque()
        self._writer = ThreadPoolExecutor(1, "railbird-writer")
        self._readers = ThreadPoolExecutor(_READERS, "railbird-reader")

    def run(self, work: Callable[[Connection], T], *, reading: bool) -> asyncio.Future[T]:
        if reading:
            return asyncio.wrap_future(self._readers.submit(self._look, work))
        job = _Job(work)
        self._waiting.append(job)
        self._writer.submit(self._write)
        return asyncio.wrap_future(job.done)

    async def dispose(self) -> None:
        for threads in (self._writer, self._readers):
            await asyncio.to_thread(threads.shutdown)
        self.engine.dispose()

    def _look(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            return work(connection.execution_options(railbird_reading=True))

    def _write(self) -> None:
        """Do what waits. Called once for each work, so the call may find that another one took it along."""
        jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), _TOGETHER))]
        if not jobs:
            return
        try:
            self._commit(jobs)
        except BaseException as error:  # noqa: BLE001  (it is told to those who wait)
            for job in jobs:
                job.done.set_exception(error)
        else:
            for job in jobs:
                job.tell()

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        with self.engine.begin() as connection:
            if len(jobs) == 1:
                jobs[0].run(connection)
            else:
                for job in jobs:
                    _run_apart(job, connection)


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """A work that waits, and what became of it."""

    work: Callable[[Connection], T]
    done: Future[T] = field(default_factory=Future)
    result: T | None = None
    error: Exception | None = None

    def run(self, connection: Connection) -> None:
        self.result = self.work(connection)

    def tell(self) -> None:
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)  # type: ignore[arg-type]  # a T may be None, a T | None is not a T


def _run_apart(job: _Job[Any], connection: Connection) -> None:
    """Run one of several: where it raises, it alone is undone."""
    try:
        with connection.begin_nested():
            job.run(connection)
    except Exception as error:
        # On a full disk and the like SQLite undoes the whole transaction by itself. What ran before is lost, and what came
        # after would be committed one by one: so all of them have failed.
        if not _in_transaction(connection):
            raise
        job.error = error


def _in_transaction(connection: Connection) -> bool:
    driver: Any = connection.connection.dbapi_connection
    return bool(driver.in_transaction)


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        _execute_patiently(cursor, pragma)
    cursor.close()


def _execute_patiently(cursor: sqlite3.Cursor, pragma: str) -> None:
    """A new file becomes a write-ahead one by one connection alone, and SQLite refuses another at once, whatever its busy timeout
    (test_many_connections_open_a_new_file_at_once).
    """
    give_up_s = time.monotonic() + _BUSY_MS / 1_000
    while True:
        try:
            cursor.execute(pragma)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up_s:
                raise
            time.sleep(0.01)
        else:
            return


def _begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get("railbird_reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
