"""Runs the steps of `versions/`, all of them in one transaction, under a lock.

SQLite: the transaction begins with the file's own writer lock. Postgres: an advisory lock that ends with the transaction. So who
comes second waits, and finds nothing left to do; and a process that dies in between leaves the schema as it was.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, text

from gameserver.store.engine import Database, database_url

VERSION_TABLE: Final = "railbird_migrations"
_ADVISORY_LOCK: Final = 0x7261_696C_6269_7264  # "railbird"
_ALEMBIC: Final = threading.Lock()
"""Alembic keeps the present migration in its modules, so the threads of one process migrate one after another."""


async def upgrade(url: URL | str, revision: str = "head") -> None:
    """Bring the database up to `revision`. Raises what the driver raises; then nothing was changed."""
    database = Database(database_url(url))
    try:
        await database.write(lambda connection: _upgrade(connection, revision))
    finally:
        await database.dispose()


async def revision_of(url: URL | str) -> str | None:
    """The last step that the database has seen; None for an empty one."""
    database = Database(database_url(url))
    try:
        return await database.read(_revision)
    finally:
        await database.dispose()


def newest_revision() -> str | None:
    """The last step that there is."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _upgrade(connection: Connection, revision: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    config = _config()
    config.attributes["connection"] = connection
    with _ALEMBIC:
        command.upgrade(config, revision)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


def _config() -> Config:
    config = Config()
    # Alembic reads its options with interpolation: a percent sign in the folder's name would be taken for one.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config
