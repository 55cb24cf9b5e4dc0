"""Hands: whole or absent. A row says that a hand began, and at its end what it was, once.

Those that write do so in the caller's transaction (`gameserver.store.tables`). No card comes into a row before the hand is
over: `begin` takes none, and `hand_record` writes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, LargeBinary, bindparam, insert, select, update

from gameserver.errors import Bug
from gameserver.store import schema
from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.store.engine import Database, insert_new
from gameserver.store.hand_record import read_hand, write_hand
from gameserver.store.stored import HandStatus, StoredHand
from gameserver.table.facts import HandResult
from policy.ids import HandNumber, Seat, TableId

_hand: Final = schema.hands.c

# Built once: building a statement costs more than running it. An open hand is a table's newest, since no other begins after it.
_NEWEST: Final = (
    select(_hand.hand_number, _hand.status)
    .where(_hand.table_id == bindparam("of_table"))
    .order_by(_hand.hand_number.desc())
    .limit(1)
)
_BEGIN: Final = insert(schema.hands)
_END: Final = (
    update(schema.hands)
    .where(
        _hand.table_id == bindparam("of_table"),
        _hand.hand_number == bindparam("number"),
        _hand.status == HandStatus.BEGAN,
    )
    .values(
        status=bindparam("new_status"),
        record=bindparam("new_record", type_=LargeBinary),
        ended_ms=bindparam("new_ended_ms"),
    )
    .returning(_hand.hand_number)
)


def begin(connection: Connection, table_id: TableId, hand_number: HandNumber, now_ms: int) -> None:
    """Note that a hand began. Raises Bug where another one is open, or the number is not above all that were given out."""
    newest = connection.execute(_NEWEST, {"of_table": table_id}).one_or_none()
    if newest is not None and newest.status == HandStatus.BEGAN:
        raise Bug("a hand begins while another one is open")
    if newest is not None and hand_number <= newest.hand_number:
        raise Bug("a hand's number was given out before")
    row = {"table_id": table_id, "hand_number": hand_number, "status": HandStatus.BEGAN, "began_ms": now_ms}
    connection.execute(_BEGIN, row)


def finish(
    connection: Connection, table_id: TableId, result: HandResult, now_ms: int, disclosure: Disclosure = UNKNOWN
) -> None:
    """Store the whole hand. Raises Bug where it did not begin, or has ended."""
    record = write_hand(result, disclosure)
    _end(connection, table_id, result.hand_number, HandStatus.FINISHED, record, now_ms)


def cancel(connection: Connection, table_id: TableId, hand_number: HandNumber, now_ms: int) -> None:
    """Note that the hand did not take place. Raises Bug where it did not begin, or has ended."""
    _end(connection, table_id, hand_number, HandStatus.CANCELLED, None, now_ms)


def note_shown(
    connection: Connection, table_id: TableId, hand_number: HandNumber, seats: Sequence[Seat], now_ms: int
) -> None:
    """Note who showed their cards once the hand was over; the hand itself stays as it was written."""
    finished = select(_hand.hand_number).where(
        _hand.table_id == table_id, _hand.hand_number == hand_number, _hand.status == HandStatus.FINISHED
    )
    if connection.execute(finished).scalar_one_or_none() is None:
        raise Bug("cards are shown of a hand that is not finished")
    for seat in seats:
        row = {"table_id": table_id, "hand_number": hand_number, "seat": seat, "shown_ms": now_ms}
        connection.execute(insert_new(connection, schema.shown_hands).values(row))


def _end(
    connection: Connection,
    table_id: TableId,
    hand_number: HandNumber,
    status: HandStatus,
    record: bytes | None,
    now_ms: int,
) -> None:
    change = {"record": record, "status": status, "ended_ms": now_ms}
    this_one = {"of_table": table_id, "number": hand_number}
    ended = connection.execute(_END, {**this_one, **{f"new_{name}": value for name, value in change.items()}})
    if ended.scalar_one_or_none() is None:
        raise Bug("a hand ends that did not begin or has ended before")


def refuse_open_hand(connection: Connection, table_id: TableId) -> None:
    """Raises Bug where a hand is open."""
    newest = connection.execute(_NEWEST, {"of_table": table_id}).one_or_none()
    if newest is not None and newest.status == HandStatus.BEGAN:
        raise Bug("a table closes while a hand is open")


class Hands:
    """Finished and other hands, to read. What of a hand may be disclosed is no question of this room."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def hand(self, table_id: TableId, hand_number: HandNumber) -> StoredHand | None:
        """One hand, or None where no such hand began."""
        found = await self._newest(1, _hand.table_id == table_id, _hand.hand_number == hand_number)
        return found[0] if found else None

    async def status(self, table_id: TableId, hand_number: HandNumber) -> HandStatus | None:
        """Whether a hand is open, finished or cancelled; None where no such hand began."""
        wanted = select(_hand.status).where(_hand.table_id == table_id, _hand.hand_number == hand_number)
        found = await self._database.value(wanted)
        return None if found is None else HandStatus(found)

    async def recent_hands(self, table_id: TableId, limit: int) -> Sequence[HandResult]:
        """The last finished hands of a table, oldest first."""
        found = await self._newest(limit, _hand.table_id == table_id, _hand.status == HandStatus.FINISHED)
        return tuple(hand.result for hand in reversed(found) if hand.result is not None)

    async def hands_before(self, table_id: TableId, hand_number: HandNumber | None, limit: int) -> Sequence[StoredHand]:
        """A page of a table's hands, cancelled and open ones too, newest first. `hand_number`: the page ends before it; None: the newest."""
        return await self._newest(limit, _hand.table_id == table_id, *_earlier(hand_number))

    async def ended_hands(
        self, table_id: TableId, hand_number: HandNumber | None, limit: int, *, by_ms: int | None
    ) -> Sequence[StoredHand]:
        """As `hands_before`, of the hands that have ended; `by_ms`: at that Unix time or before, None: whenever."""
        in_time = [] if by_ms is None else [_hand.ended_ms <= by_ms]
        ended = _hand.status != HandStatus.BEGAN
        return await self._newest(limit, _hand.table_id == table_id, ended, *_earlier(hand_number), *in_time)

    async def _newest(self, limit: int, *conditions: ColumnElement[bool]) -> Sequence[StoredHand]:
        wanted = select(schema.hands).where(*conditions).order_by(_hand.hand_number.desc()).limit(limit)

        def work(connection: Connection) -> Sequence[StoredHand]:
            rows = [row._mapping for row in connection.execute(wanted)]
            shown = _shown_after(connection, rows)
            return tuple(_stored(row, shown.get(row["hand_number"], ())) for row in rows)

        return await self._database.read(work)


def _earlier(hand_number: HandNumber | None) -> list[ColumnElement[bool]]:
    return [] if hand_number is None else [_hand.hand_number < hand_number]


def _shown_after(connection: Connection, rows: Sequence[Any]) -> dict[int, tuple[tuple[Seat, int], ...]]:
    """Who showed their cards after these hands of one table, by hand."""
    if not rows:
        return {}
    shown = schema.shown_hands.c
    numbers = [row["hand_number"] for row in rows]
    wanted = select(shown.hand_number, shown.seat, shown.shown_ms).where(
        shown.table_id == rows[0]["table_id"], shown.hand_number.between(min(numbers), max(numbers))
    )
    found: dict[int, tuple[tuple[Seat, int], ...]] = {}
    for number, seat, shown_ms in connection.execute(wanted.order_by(shown.shown_ms, shown.seat)):
        found[number] = (*found.get(number, ()), (Seat(seat), shown_ms))
    return found


def _stored(row: Any, shown_after: tuple[tuple[Seat, int], ...]) -> StoredHand:
    record = row["record"]
    result, disclosure = (None, UNKNOWN) if record is None else read_hand(record)
    return StoredHand(
        table_id=row["table_id"],
        hand_number=row["hand_number"],
        status=HandStatus(row["status"]),
        result=result,
        began_ms=row["began_ms"],
        ended_ms=row["ended_ms"],
        disclosure=disclosure,
        shown_after=shown_after,
    )
