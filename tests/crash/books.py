"""Whether what a kill left is right: hands whole or absent, numbers, buttons, and every chip."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlalchemy import func, select

from gameserver.store import schema
from gameserver.store.engine import Database
from gameserver.store.hands import Hands
from gameserver.store.ledger import Ledger
from gameserver.store.posting import Bookkeeping
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from gameserver.store.tables import SqlTableStore
from gameserver.table import memory
from gameserver.table.commands import player_id
from gameserver.table.facts import HandResult
from gameserver.table.memory import RoomMemory
from policy.ids import TableId
from tests.crash.marks import Mark, Step

_MORE_THAN_A_RUN_PLAYS = 1_000_000


@dataclass
class Books:
    """Looks after each start, before anything is played. It keeps what it saw, since what was written once stays."""

    database: Database
    seen: dict[tuple[TableId, int], tuple[HandStatus, str]] = field(default_factory=dict)
    chips: int = 0
    statuses: Counter[HandStatus] = field(default_factory=Counter)

    async def look(self, marks: Collection[Mark]) -> list[str]:
        """What is wrong, in words; nothing is right. `marks`: what the killed server had said."""
        books = Bookkeeping(lambda: 0, 0)
        store, hands = SqlTableStore(self.database, books), Hands(self.database)
        wrong = [
            f"{each.where}: {each.found_chips} chips" for each in await Ledger(self.database, books).verify_ledger()
        ]
        wrong += await self._sums()
        for table in await store.tables():
            of_table = await hands.hands_before(table.table_id, None, _MORE_THAN_A_RUN_PLAYS)
            room = memory.decode(table.memory)
            wrong += self._hands(table, of_table)
            wrong += _committed(table, of_table, marks)
            wrong += _numbers(table, of_table, room)
            wrong += _button(table, of_table, room)
            wrong += await self._seats(table, room)
            for hand in of_table:
                wrong += await self._once(hand)
        self._remember(await self._all_hands())
        return wrong

    async def _sums(self) -> list[str]:
        account = schema.accounts.c
        kinds = await self.database.rows(select(account.kind, func.sum(account.balance_chips)).group_by(account.kind))
        by_kind = {kind: int(chips) for kind, chips in kinds}
        self.chips = by_kind.get("seat", 0) + by_kind.get("bankroll", 0)
        if self.chips + by_kind.get("issued", 0) != 0:
            return [f"seats and bankrolls have {self.chips} chips, and {-by_kind.get('issued', 0)} were issued"]
        return []

    def _hands(self, table: StoredTable, hands: Collection[StoredHand]) -> Iterator[str]:
        """No hand is open once the tables are, and what a hand was it stays."""
        for hand in hands:
            before = self.seen.get((hand.table_id, hand.hand_number))
            if hand.status is HandStatus.BEGAN:
                yield f"{_name(hand)} is open still"
            elif before is not None and before != (hand.status, _digest(hand)):
                yield f"{_name(hand)} was {before[0]} before, and is another one now"
        gone = {n for t, n in self.seen if t == table.table_id} - {int(hand.hand_number) for hand in hands}
        yield from (f"hand {number} of {table.table_id} is gone" for number in gone)

    async def _once(self, hand: StoredHand) -> list[str]:
        """A finished hand's chips moved once, and a cancelled one's did not; looked at once."""
        if (hand.table_id, hand.hand_number) in self.seen:
            return []
        line = schema.entries.c
        of_hand = (line.table_id == hand.table_id, line.hand_number == hand.hand_number)
        moved = await self.database.rows(
            select(line.account, func.sum(line.amount_chips))
            .where(*of_hand, line.reason.in_(["bet", "win"]))
            .group_by(line.account)
        )
        found = {account: int(chips) for account, chips in moved if int(chips) and account.startswith("seat:")}
        expected = {} if hand.result is None else _net(hand.table_id, hand.result)
        return [] if found == expected else [f"{_name(hand)} moved {found}, and its record says {expected}"]

    async def _seats(self, table: StoredTable, room: RoomMemory) -> list[str]:
        """What the room remembers of stacks is what the ledger has."""
        account = schema.accounts.c
        mine = account.account.like(f"seat:{table.table_id}:%")
        rows = await self.database.rows(select(account.account, account.balance_chips).where(mine))
        found = {key: chips for key, chips in rows if chips}
        expected = {
            f"seat:{table.table_id}:{chair.player_id}": chair.stack_chips + chair.reserved_chips
            for chair in room.chairs
            if chair.stack_chips + chair.reserved_chips
        }
        return [] if found == expected else [f"{table.table_id}: the ledger has {found}, the room {expected}"]

    async def _all_hands(self) -> list[StoredHand]:
        hands, found = Hands(self.database), list[StoredHand]()
        for table in await SqlTableStore(self.database, Bookkeeping(lambda: 0, 0)).tables():
            found += await hands.hands_before(table.table_id, None, _MORE_THAN_A_RUN_PLAYS)
        return found

    def _remember(self, hands: Collection[StoredHand]) -> None:
        self.seen = {(hand.table_id, hand.hand_number): (hand.status, _digest(hand)) for hand in hands}
        self.statuses = Counter(hand.status for hand in hands)


def _committed(table: StoredTable, hands: Collection[StoredHand], marks: Collection[Mark]) -> Iterator[str]:
    """What the server knew to be stored is stored."""
    status = {hand.hand_number: hand.status for hand in hands}
    for mark in marks:
        if mark.table_id != table.table_id:
            continue
        now = status.get(mark.hand_number)
        if mark.step is Step.ENDED and now is not HandStatus.FINISHED:
            yield f"hand {mark.hand_number} of {table.table_id} was stored as finished, and is {now}"
        if mark.step is Step.BEGUN and now is None:
            yield f"hand {mark.hand_number} of {table.table_id} was stored as begun, and is not there"


def _numbers(table: StoredTable, hands: Collection[StoredHand], room: RoomMemory) -> Iterator[str]:
    """Each number once, none left out; the room goes on from the last."""
    numbers = sorted(hand.hand_number for hand in hands)
    if numbers != [*range(1, len(numbers) + 1)]:
        yield f"{table.table_id} has hands {numbers}"
    if room.hand_number != (numbers[-1] if numbers else 0):
        yield f"{table.table_id} goes on from hand {room.hand_number}, and has {numbers[-1:]}"


def _button(table: StoredTable, hands: Collection[StoredHand], room: RoomMemory) -> Iterator[str]:
    """The button is where the last hand that took place left it: a cancelled one did not move it."""
    played = [hand.result for hand in hands if hand.result is not None]
    last = max(played, key=lambda result: result.hand_number, default=None)
    button = None if room.marks is None else room.marks.button
    if button != (None if last is None else last.positions.button):
        yield f"{table.table_id} has its button at {button}, after {last and last.positions}"


def _net(table_id: TableId, result: HandResult) -> dict[str, int]:
    """By seat's account: what the hand gave and took."""
    net: Counter[str] = Counter()
    keys = {seat: f"seat:{table_id}:{player_id(player)}" for seat, player in result.players}
    for seat, chips in result.contributed:
        net[keys[seat]] -= chips
    for pot in result.over.pots:
        for seat, chips in pot.winners:
            net[keys[seat]] += chips
    return {key: chips for key, chips in net.items() if chips}


def _digest(hand: StoredHand) -> str:
    if hand.result is None:
        return ""
    said = (hand.result.moves, hand.result.over, hand.result.board, hand.result.players, hand.result.contributed)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _name(hand: StoredHand) -> str:
    return f"hand {hand.hand_number} of {hand.table_id}"
