"""Hands: whole or absent. A row says that a hand began, and at its end what it was, once.

The four that write do so in the caller's transaction (`gameserver.store.tables`). No card comes into a row before the hand is
over: `begin` takes none, and `hand_record` writes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from gameserver.errors import Bug
from gameserver.store import schema
from gameserver.store.engine import Database
from gameserver.store.hand_record import read_hand, write_hand
from gameserver.store.stored import HandStatus, StoredHand
from gameserver.table.facts import HandResult
from policy.ids import HandNumber, TableId

_hand: Final = schema.hands.c


async def begin(connection: AsyncConnection, table_id: TableId, hand_number: HandNumber, now_ms: int) -> None:
    """Note that a hand began. Raises Bug where another one is open, or the number is not above all that were given out."""
    latest = select(
        func.coalesce(func.max(_hand.hand_number), 0), func.count().filter(_hand.status == HandStatus.BEGAN)
    )
    last, open_hands = (await connection.execute(latest.where(_hand.table_id == table_id))).one()
    if open_hands:
        raise Bug("a hand begins while another one is open")
    if hand_number <= last:
        raise Bug("a hand's number was given out before")
    row = {"table_id": table_id, "hand_number": hand_number, "status": HandStatus.BEGAN, "began_ms": now_ms}
    await connection.execute(insert(schema.hands).values(row))


async def finish(connection: AsyncConnection, table_id: TableId, result: HandResult, now_ms: int) -> None:
    """Store the whole hand. Raises Bug where it did not begin, or has ended."""
    await _end(connection, table_id, result.hand_number, HandStatus.FINISHED, write_hand(result), now_ms)


async def cancel(connection: AsyncConnection, table_id: TableId, hand_number: HandNumber, now_ms: int) -> None:
    """Note that the hand did not take place. Raises Bug where it did not begin, or has ended."""
    await _end(connection, table_id, hand_number, HandStatus.CANCELLED, None, now_ms)


async def _end(
    connection: AsyncConnection,
    table_id: TableId,
    hand_number: HandNumber,
    status: HandStatus,
    record: bytes | None,
    now_ms: int,
) -> None:
    this_one = (_hand.table_id == table_id, _hand.hand_number == hand_number, _hand.status == HandStatus.BEGAN)
    change = update(schema.hands).where(*this_one).values(status=status, record=record, ended_ms=now_ms)
    if (await connection.execute(change.returning(_hand.hand_number))).scalar_one_or_none() is None:
        raise Bug("a hand ends that did not begin or has ended before")


async def refuse_open_hand(connection: AsyncConnection, table_id: TableId) -> None:
    """Raises Bug where a hand is open."""
    wanted = select(_hand.hand_number).where(_hand.table_id == table_id, _hand.status == HandStatus.BEGAN)
    if (await connection.execute(wanted)).scalar_one_or_none() is not None:
        raise Bug("a table closes while a hand is open")


class Hands:
    """Finished and other hands, to read. What of a hand may be disclosed is no question of this room."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def hand(self, table_id: TableId, hand_number: HandNumber) -> StoredHand | None:
        """One hand, or None where no such hand began."""
        found = await self._newest(1, _hand.table_id == table_id, _hand.hand_number == hand_number)
        return found[0] if found else None

    async def recent_hands(self, table_id: TableId, limit: int) -> Sequence[HandResult]:
        """The last finished hands of a table, oldest first."""
        found = await self._newest(limit, _hand.table_id == table_id, _hand.status == HandStatus.FINISHED)
        return tuple(hand.result for hand in reversed(found) if hand.result is not None)

    async def hands_before(self, table_id: TableId, hand_number: HandNumber | None, limit: int) -> Sequence[StoredHand]:
        """A page of a table's hands, cancelled and open ones too, newest first. `hand_number`: the page ends before it; None: the newest."""
        earlier = [] if hand_number is None else [_hand.hand_number < hand_number]
        return await self._newest(limit, _hand.table_id == table_id, *earlier)

    async def _newest(self, limit: int, *conditions: ColumnElement[bool]) -> Sequence[StoredHand]:
        wanted = select(schema.hands).where(*conditions).order_by(_hand.hand_number.desc()).limit(limit)
        return tuple(_stored(row._mapping) for row in await self._database.rows(wanted))


def _stored(row: Any) -> StoredHand:
    record = row["record"]
    return StoredHand(
        table_id=row["table_id"],
        hand_number=row["hand_number"],
        status=HandStatus(row["status"]),
        result=None if record is None else read_hand(record),
        began_ms=row["began_ms"],
        ended_ms=row["ended_ms"],
    )
