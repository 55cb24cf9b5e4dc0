"""Tables, and what happens at them, as the floor keeps it: `SqlTableStore` is the floor's `TableStore`.

Every method is one transaction: the room's memory, the hand and the chips together, or nothing of them. What is out of order
(a hand that ends twice, a change of a closed table) is a Bug and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, cast

from sqlalchemy import Connection, LargeBinary, Row, Select, and_, bindparam, insert, select, update

from gameserver.errors import Bug
from gameserver.store import hands, posting, schema
from gameserver.store.accounts import ChipMove
from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.store.engine import Database, call_on, insert_once
from gameserver.store.ledger import Ledger
from gameserver.store.options_record import read_options, write_options
from gameserver.store.posting import Bookkeeping
from gameserver.store.stored import HandStatus, StoredTable
from gameserver.table.facts import HandResult
from gameserver.table.options import TableOptions
from policy.ids import HandNumber, Seat, TableId, UserId

_table: Final = schema.tables.c
_hand: Final = schema.hands.c

_REMEMBER: Final = (
    update(schema.tables)
    .where(_table.table_id == bindparam("of_table"), _table.status == "open")
    .values(memory=bindparam("new_memory", type_=LargeBinary), memory_ms=bindparam("new_memory_ms"))
    .returning(_table.ordinal)
)


class SqlTableStore:
    """See `gameserver.floor.ports.TableStore`."""

    def __init__(self, database: Database, books: Bookkeeping) -> None:
        self._database = database
        self._books = books
        self._ledger = Ledger(database, books)
        self._hands = hands.Hands(database)

    async def create_table(self, table_id: TableId, options: TableOptions, memory: bytes) -> None:
        """Store a new, open table. Raises Bug where its id is taken."""
        row = {"table_id": table_id, "status": "open", "options": write_options(options), "memory": memory}
        now_ms = self._books.wall_ms()

        def work(connection: Connection) -> None:
            created = insert(schema.tables).values(**row, created_ms=now_ms, memory_ms=now_ms)
            insert_once(connection, created, "a table's id is taken")

        await self._database.write(work)

    async def tables(self) -> Sequence[StoredTable]:
        """Every table that is not closed, in the order of creation."""
        wanted = _tables().where(_table.status == "open").order_by(_table.ordinal)
        return tuple(_stored(row) for row in await self._database.rows(wanted))

    async def table(self, table_id: TableId) -> StoredTable | None:
        """One table, closed ones too, or None."""
        found = await self._database.rows(_tables().where(_table.table_id == table_id))
        return _stored(found[0]) if found else None

    async def begin_hand(self, table_id: TableId, hand_number: HandNumber, memory: bytes) -> None:
        """Hand n has begun, with the stacks in `memory`. It takes no card."""

        def work(connection: Connection) -> None:
            self._remember(connection, table_id, memory)
            hands.begin(connection, table_id, hand_number, self._books.wall_ms())

        await self._database.write(work)

    async def finish_hand(
        self,
        table_id: TableId,
        result: HandResult,
        moves: Sequence[ChipMove],
        memory: bytes,
        disclosure: Disclosure = UNKNOWN,
    ) -> None:
        """The whole hand, what the public stream showed of it, its chips and the room."""

        def work(connection: Connection) -> None:
            self._remember(connection, table_id, memory)
            hands.finish(connection, table_id, result, self._books.wall_ms(), disclosure)
            posting.post(connection, moves, self._books)

        await self._database.write(work)

    async def cancel_hand(
        self, table_id: TableId, hand_number: HandNumber, moves: Sequence[ChipMove], memory: bytes
    ) -> None:
        """The hand did not take place; its number stays used."""

        def work(connection: Connection) -> None:
            self._remember(connection, table_id, memory)
            hands.cancel(connection, table_id, hand_number, self._books.wall_ms())
            posting.post(connection, moves, self._books)

        await self._database.write(work)

    async def note_shown(self, table_id: TableId, hand_number: HandNumber, seats: Sequence[Seat]) -> None:
        """Who showed their cards once a hand was over."""
        await self._database.write(
            lambda connection: hands.note_shown(connection, table_id, hand_number, seats, self._books.wall_ms())
        )

    async def change_table(
        self, table_id: TableId, moves: Sequence[ChipMove], memory: bytes, options: TableOptions | None = None
    ) -> None:
        """Chips in or out, or a changed room. Raises Refusal `no_chips` where a bankroll has too few."""

        def work(connection: Connection) -> None:
            self._remember(connection, table_id, memory)
            if options is not None:
                _set(connection, table_id, options=write_options(options))
                _note_reveal(connection, table_id, options, self._books.wall_ms())
            posting.post(connection, moves, self._books)

        await self._database.write(work)

    async def take_chips(
        self, table_id: TableId, moves: Sequence[ChipMove], then: Callable[[], tuple[bytes, Sequence[ChipMove]]]
    ) -> None:
        """Take chips, call `then` for the room's new memory and further moves, and store all of it.

        Raises Refusal `no_chips`, `then` not called; and whatever `then` raises, nothing taken. `then` must not wait: the
        accounts are locked. Its moves may lead to no bankroll that `moves` does not name: that would lock out of order.
        """

        loop = asyncio.get_running_loop()

        def work(connection: Connection) -> None:
            _hold(connection, table_id)
            posting.post(connection, moves, self._books)
            memory, further = call_on(loop, then)
            posting.post(connection, further, self._books)
            self._remember(connection, table_id, memory)

        await self._database.write(work)

    async def close_table(self, table_id: TableId, moves: Sequence[ChipMove], memory: bytes) -> None:
        """The table's last change. Raises Bug while a hand is open."""

        def work(connection: Connection) -> None:
            self._remember(connection, table_id, memory)
            _set(connection, table_id, status="closed")
            hands.refuse_open_hand(connection, table_id)
            posting.post(connection, moves, self._books)

        await self._database.write(work)

    async def bankroll_chips(self, user_id: UserId) -> int:
        """A person's balance; a new person is granted the starting chips first."""
        return await self._ledger.bankroll_chips(user_id)

    async def recent_hands(self, table_id: TableId, limit: int) -> Sequence[HandResult]:
        """The last finished hands of a table, oldest first."""
        return await self._hands.recent_hands(table_id, limit)

    def _remember(self, connection: Connection, table_id: TableId, memory: bytes) -> None:
        """Change an open table's memory, and hold its row until the end of the transaction."""
        values = {"of_table": table_id, "new_memory": memory, "new_memory_ms": self._books.wall_ms()}
        if connection.execute(_REMEMBER, values).scalar_one_or_none() is None:
            raise Bug("there is no such open table")


def _hold(connection: Connection, table_id: TableId) -> None:
    """Hold an open table's row until the end of the transaction; before any account, as everybody does."""
    wanted = select(_table.ordinal).where(_table.table_id == table_id, _table.status == "open").with_for_update()
    if connection.execute(wanted).scalar_one_or_none() is None:
        raise Bug("there is no such open table")


def _set(connection: Connection, table_id: TableId, **values: object) -> None:
    connection.execute(update(schema.tables).where(_table.table_id == table_id).values(**values))


def _note_reveal(connection: Connection, table_id: TableId, options: TableOptions, now_ms: int) -> None:
    """From when on no live cards are shown: the first time counts, since they are switched off and not on again."""
    if not options.reveal.show_hands:
        first = update(schema.tables).where(_table.table_id == table_id, _table.show_hands_off_ms.is_(None))
        connection.execute(first.values(show_hands_off_ms=now_ms))


def _tables() -> Select[str, str, bytes, bytes, int, int | None, int]:
    is_open = and_(_hand.table_id == _table.table_id, _hand.status == HandStatus.BEGAN)
    columns = select(
        _table.table_id,
        _table.status,
        _table.options,
        _table.memory,
        _table.memory_ms,
        _table.show_hands_off_ms,
        _hand.hand_number,
    )
    return columns.select_from(schema.tables.outerjoin(schema.hands, is_open))


def _stored(row: Row[str, str, bytes, bytes, int, int | None, int]) -> StoredTable:
    table_id, status, written_options, memory, memory_ms, show_hands_off_ms, open_hand = row
    return StoredTable(
        table_id=TableId(table_id),
        options=read_options(written_options),
        memory=memory,
        # The outer join has none where no hand is open; the column's own type does not say so.
        open_hand=None if cast("int | None", open_hand) is None else HandNumber(open_hand),
        closed=status == "closed",
        memory_ms=memory_ms,
        show_hands_off_ms=show_hands_off_ms,
    )
