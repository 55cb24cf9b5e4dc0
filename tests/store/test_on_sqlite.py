"""Writers that wait together are committed together, each whole by itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import Connection, event, text

from gameserver.store.engine import Database, database_url


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite file with a table of notes."""
    database = Database(database_url(f"sqlite:///{tmp_path}/notes.db"))
    await database.write(lambda connection: connection.execute(text("CREATE TABLE notes (note TEXT)")))
    yield database
    await database.dispose()


def note(words: str) -> Callable[[Connection], str]:
    """A work that writes a note and gives it back."""

    def work(connection: Connection) -> str:
        connection.execute(text("INSERT INTO notes VALUES (:note)"), {"note": words})
        return words

    return work


def failing(connection: Connection) -> None:
    note("failed")(connection)
    raise ValueError("this one")


async def notes(database: Database) -> list[str]:
    return await database.read(lambda connection: list(connection.execute(text("SELECT note FROM notes")).scalars()))


async def together(database: Database, *works: Callable[[Connection], object]) -> list[object]:
    """Let all works wait at once, behind one that ends when they do; gives what became of each."""
    hold, held = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def first(connection: Connection) -> None:
        loop.call_soon_threadsafe(held.set)
        assert hold.wait(10)

    holding = asyncio.ensure_future(database.write(first))
    await held.wait()
    waiting = [asyncio.ensure_future(database.write(work)) for work in works]
    await asyncio.sleep(0)
    hold.set()
    await holding
    return await asyncio.gather(*waiting, return_exceptions=True)


async def test_works_that_wait_share_a_commit(database: Database) -> None:
    """Fifty wait for the disk twice (thirty-two at once), in the order in which they came, each with its own result."""
    commits: list[Connection] = []
    event.listen(database.engine, "commit", commits.append)
    words = [str(number) for number in range(50)]
    assert await together(database, *map(note, words)) == words
    assert len(commits) == 1 + 2
    assert await notes(database) == words


async def test_one_that_fails_is_undone_alone(database: Database) -> None:
    """The others are stored, and it is told what it raised itself."""
    one, failed, two = await together(database, note("one"), failing, note("two"))
    assert (one, two) == ("one", "two") and isinstance(failed, ValueError)
    assert await notes(database) == ["one", "two"]


async def test_where_sqlite_undoes_all_of_them_all_have_failed(database: Database) -> None:
    """As on a full disk: neither those before nor those after are stored, and nobody is told otherwise."""

    def disk_full(connection: Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")
        raise ValueError("full")

    outcomes = await together(database, note("before"), disk_full, note("after"))
    assert all(isinstance(outcome, Exception) for outcome in outcomes)
    assert await notes(database) == []
    assert await database.write(note("later")) == "later"


async def test_a_commit_that_fails_has_failed_for_all(database: Database) -> None:
    """None is told that it is stored."""

    def break_the_second(_connection: Connection, seen: list[int] = []) -> None:  # noqa: B006  (it counts)
        seen.append(1)
        if len(seen) == 2:
            raise OSError("the disk is gone")

    event.listen(database.engine, "commit", break_the_second)
    outcomes = await together(database, note("one"), note("two"))
    assert [type(outcome) for outcome in outcomes] == [OSError, OSError]
    assert await notes(database) == []


async def test_two_programs_on_one_file_wait_for_each_other(database: Database) -> None:
    """Neither is told that the file is locked."""
    other = Database(database_url(str(database.engine.url)))
    await asyncio.gather(*(each.write(note("x")) for _ in range(25) for each in (database, other)))
    assert len(await notes(database)) == 50
    await other.dispose()


async def test_closing_waits_for_what_is_under_way(database: Database) -> None:
    """A hand that is being stored when the server stops is stored."""
    other = Database(database_url(str(database.engine.url)))
    writing = asyncio.ensure_future(other.write(note("last")))
    await asyncio.sleep(0)
    await other.dispose()
    assert await writing == "last"
    assert await notes(database) == ["last"]
    with pytest.raises(RuntimeError):
        await other.write(note("too late"))
