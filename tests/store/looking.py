"""What is really in a database, row by row, seen past the code under test."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select, text

from gameserver.store.engine import Database
from gameserver.store.schema import metadata


async def rows_of(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in the order of the keys."""

    def look(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }

    return await database.read(look)


async def bytes_of(database: Database) -> bytes:
    """Every value of every row, one after the other."""
    rows = await rows_of(database)
    values = [value for table in rows.values() for row in table for value in row]
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)


async def meddle(database: Database, statement: str) -> None:
    """Run one statement that the code under test would not."""
    await database.write(lambda connection: connection.execute(text(statement)))
