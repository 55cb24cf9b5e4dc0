"""What is really in a database, row by row, seen past the code under test."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from gameserver.store.schema import metadata


async def rows_of(engine: AsyncEngine) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in the order of the keys."""
    async with engine.connect() as connection:
        return {
            table.name: [tuple(row) for row in await connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


async def bytes_of(engine: AsyncEngine) -> bytes:
    """Every value of every row, one after the other."""
    rows = await rows_of(engine)
    values = [value for table in rows.values() for row in table for value in row]
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)
