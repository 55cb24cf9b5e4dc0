"""The database that the durable half of the record is kept in, as it is handed in: whole transactions, on SQLite or Postgres.

The host opens it, migrates it and closes it. Nothing here knows its address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")


class Database(Protocol):
    """Runs plain functions of a connection as transactions. On SQLite they run in another thread."""

    async def write(self, work: Callable[[Connection], T], /) -> T:
        """All that `work` does is committed, or nothing of it where it raises."""

    async def read(self, work: Callable[[Connection], T], /) -> T:
        """`work` sees one state of the database."""


def insert_new(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that leaves a row with the same key as it is. What was new is learnt by RETURNING: row counts differ."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing()
