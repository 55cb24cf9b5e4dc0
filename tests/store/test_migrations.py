"""One history: from nothing to the schema, under a lock, all or nothing, and alike on both databases."""

from __future__ import annotations

import ast
import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import URL, Connection, Engine, event, inspect, make_url, text

from capture.durable.schema import metadata as of_the_record
from gameserver.store.engine import Database
from gameserver.store.schema import metadata as of_the_server
from railbird import migrations
from railbird.agenthost.registry.schema import metadata as of_the_registry
from railbird.migrations.upgrade import VERSION_TABLE
from tests.conftest import ROOT
from tests.store.conftest import KINDS
from tests.store.test_engine import SLEEP

VERSIONS = ROOT / "railbird" / "migrations" / "versions"


@pytest.fixture(params=KINDS)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    """A database of the test's own that nothing was done to; its folder's name is awkward where it has one."""
    if request.param == "sqlite":
        folder = tmp_path / "100% a's"
        folder.mkdir()
        return make_url("sqlite+pysqlite://").set(database=str(folder / "empty.db"))
    url: URL = request.getfixturevalue("empty_postgres_url")
    return url


@pytest_asyncio.fixture
async def database(empty: URL) -> AsyncIterator[Database]:
    """The empty database, opened."""
    database = Database(empty)
    yield database
    await database.dispose()


WAITS_THEN_MIGRATES = """
import asyncio, sys
from railbird import migrations
print("ready", flush=True)
sys.stdin.readline()
asyncio.run(migrations.upgrade(sys.argv[1]))
"""


async def test_two_processes_migrate_the_same_database_at_once(empty: URL) -> None:
    """Both succeed, whoever is first; they set off together."""
    url = empty.render_as_string(hide_password=False)
    pipe = asyncio.subprocess.PIPE
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-W",
            "error",
            "-c",
            WAITS_THEN_MIGRATES,
            url,
            cwd=ROOT,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    said = await asyncio.gather(*(process.communicate(b"go\n") for process in started))
    assert [process.returncode for process in started] == [0, 0], said
    assert await migrations.revision_of(empty) == migrations.newest_revision()


async def test_the_migrated_schema_is_this_schema(empty: URL, database: Database) -> None:
    """What Alembic compares (tables, columns, types, keys, indexes), and what it does not: checks."""
    await migrations.upgrade(empty)
    assert await database.read(differences) == []
    migrated = await database.read(described)
    await database.write(start_again)
    assert migrated == await database.read(described)
    assert {"railbird_hands", "railbird_entries", "agent_call_records", "railbird_agent_seats"} <= migrated.keys()


def differences(connection: Connection) -> list[object]:
    options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
    all_of_them: Any = [of_the_server, of_the_record, of_the_registry]  # it takes several, and its types know of one
    found: list[object] = compare_metadata(MigrationContext.configure(connection, opts=options), all_of_them)
    return found


def described(connection: Connection) -> dict[str, dict[str, list[str]]]:
    """Everything that the inspector knows of each table of ours."""
    seen = inspect(connection)
    return {
        name: {
            "columns": [str({**column, "type": repr(column["type"])}) for column in seen.get_columns(name)],
            "primary key": [str(seen.get_pk_constraint(name))],
            "foreign keys": sorted(map(str, seen.get_foreign_keys(name))),
            "unique": sorted(map(str, seen.get_unique_constraints(name))),
            "checks": sorted(map(str, seen.get_check_constraints(name))),
            "indexes": sorted(plainly(index) for index in seen.get_indexes(name)),
        }
        for name in sorted([*of_the_server.tables, *of_the_record.tables, *of_the_registry.tables])
    }


def plainly(index: Any) -> str:
    """An index in words; its condition is a clause, whose own words differ from object to object."""
    options = {name: str(value) for name, value in index.pop("dialect_options", {}).items()}
    return f"{index} {options}"


def start_again(connection: Connection) -> None:
    """Make the tables anew, as the schema says it and not the migrations."""
    for metadata in (of_the_server, of_the_record, of_the_registry):
        metadata.drop_all(connection)
        metadata.create_all(connection)


async def test_migrating_again_changes_nothing(empty: URL) -> None:
    """It is done at each start."""
    assert await migrations.revision_of(empty) is None
    await migrations.upgrade(empty)
    await migrations.upgrade(empty)
    assert await migrations.revision_of(empty) == migrations.newest_revision()


async def test_a_migration_that_fails_leaves_nothing(empty: URL, database: Database) -> None:
    """At the last statement too; and nothing holds the lock afterwards."""
    statements: list[str] = []

    def break_at_the_last(*args: Any) -> None:
        statements.append(str(args[2]))
        if "railbird_hands_final" in statements[-1]:
            raise RuntimeError("broken")

    event.listen(Engine, "before_cursor_execute", break_at_the_last)
    try:
        with pytest.raises(RuntimeError, match="broken"):
            await migrations.upgrade(empty)
    finally:
        event.remove(Engine, "before_cursor_execute", break_at_the_last)
    assert any("CREATE TABLE railbird_hands" in statement for statement in statements)
    assert await database.read(lambda connection: inspect(connection).get_table_names()) == []
    await asyncio.wait_for(migrations.upgrade(empty), 20)


async def test_who_comes_second_waits(empty: URL, database: Database) -> None:
    """As long as another transaction holds the lock, nothing happens; then it goes on."""
    loop, held = asyncio.get_running_loop(), asyncio.Event()
    second: list[asyncio.Future[None]] = []

    def hold(connection: Connection) -> bool:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(x'7261696C62697264'::bigint)"))
        loop.call_soon_threadsafe(held.set)
        connection.execute(text(SLEEP[connection.dialect.name]))
        return second[0].done()

    holding = asyncio.ensure_future(database.write(hold))
    await held.wait()
    second.append(asyncio.ensure_future(migrations.upgrade(empty)))
    assert not await holding
    await second[0]
    assert await migrations.revision_of(empty) == migrations.newest_revision()


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("[0-9]*.py")), ids=lambda path: str(path.stem))
def test_a_step_does_not_depend_on_the_running_code(path: Path) -> None:
    """A step is written once and for good; a model that it imported would change it."""
    tree = ast.parse(path.read_text())
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"__future__", "typing", "alembic", "sqlalchemy"}


def test_there_is_one_history() -> None:
    """One line of steps without branches, named by number."""
    steps = sorted(path.stem.partition("_")[0] for path in VERSIONS.glob("[0-9]*.py"))
    assert steps == [f"{number:04}" for number in range(1, len(steps) + 1)]
    assert migrations.newest_revision() == steps[-1]


async def test_one_process_migrates_several_databases_at_once(tmp_path: Path) -> None:
    """Servers that open at the same time in one process do not take each other's migration for theirs."""
    urls = [f"sqlite:///{tmp_path / f'{n}.db'}" for n in range(6)]
    await asyncio.gather(*(migrations.upgrade(url) for url in urls))
    newest = migrations.newest_revision()
    assert [await migrations.revision_of(url) for url in urls] == [newest] * len(urls)
