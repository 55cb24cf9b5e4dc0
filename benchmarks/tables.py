"""Hands through the whole table server but for sockets: inbox, room, gates, views, door, and the store.

Six agents and one watcher are connected at each table, by connections that take ready bytes and drop them. A move is handed to the
floor as the endpoint does, decoded; so reading and writing sockets and decoding JSON are no part of it, and everything in between is.
`thousand` has the sockets.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from msgspec import UNSET

from benchmarks.hall import (
    BUY_IN_CHIPS,
    SEATS,
    agent_in,
    counted_names,
    in_a_folder,
    new_floor,
    store_of,
    store_tables,
    table_name,
    until,
)
from benchmarks.hands import choose, play_hand
from benchmarks.measure import Figure, rate
from gameserver.floor.clock import SystemClock
from gameserver.floor.ports import ConnectionId
from gameserver.floor.settings import FloorSettings
from gameserver.identity.who import Identity, Nobody
from gameserver.net.batch import Batch
from gameserver.net.connection import OpenConnection
from gameserver.net.delivery import Delivery
from gameserver.net.outlet import Listener, Outcome
from gameserver.store.engine import Database
from gameserver.store.tables import SqlTableStore
from gameserver.table.facts import Fact, HandEnded, Moved, SeatStatus, StatusChanged, TurnOpened
from gameserver.wire.messages import Action, Rebuy
from policy.ids import Seat, TableId

_TABLES = 8
"""One table after the other would leave the store idle while a hand is played, so some are played side by side."""


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; `seconds` of CPU time for each, threads included."""
    dice = random.Random(7)
    engine = rate(lambda: play_hand(dice, lambda step: step()), seconds)
    kept = [in_a_folder(_hands_a_second(seconds, store)) for store in (_Nothing, SqlTableStore)]
    names = ("floor, gates, views, door; nothing stored", "the same, with SQLite")
    figures = [Figure("hand engine alone", engine, "hands/s")]
    figures += [Figure(name, hands, "hands/s", note) for name, (hands, note) in zip(names, kept, strict=True)]
    return "Tables: random six-handed hands, six seats and one watcher connected", figures


class _Dropped:
    """An outlet for ready bytes. Making the bytes is part of what is measured."""

    def write(self, batch: Batch) -> Outcome:
        assert batch.websocket_bytes
        return Outcome.WRITTEN

    def insist(self, batch: Batch) -> None:
        assert batch.websocket_bytes

    def carry_for(self, listener: Listener) -> None:
        pass

    def direct_line(self) -> None:
        return None

    def write_rest(self, data: bytes) -> None:
        raise AssertionError("there is no direct line here")

    def close(self, code: int, reason: str) -> None:
        pass


class _Nothing(SqlTableStore):
    """The real store for tables and seats; hands are not kept."""

    async def begin_hand(self, *given: Any) -> None:
        pass

    async def finish_hand(self, *given: Any) -> None:
        pass

    async def cancel_hand(self, *given: Any) -> None:
        pass

    async def change_table(self, *given: Any) -> None:
        pass


class Hall:
    """A floor with players that move as soon as they are asked."""

    def __init__(self, store: SqlTableStore) -> None:
        self._store = store
        self._dice = random.Random(7)
        self._new_name = counted_names()
        self._seats: dict[tuple[TableId, Seat], OpenConnection] = {}
        door = Delivery(new_name=self._new_name, clock=SystemClock())
        self.floor = new_floor(store, door, self._new_name, FloorSettings(hand_gap_ms=0), self._observe)
        self.hands = self.moves = 0

    async def open_tables(self, count: int) -> None:
        """Tables with six agents and a watcher each, of whom all are connected."""
        await store_tables(self._store, count)
        await self.floor.start()
        for number in range(count):
            table = table_name(number)
            self._enter(table, Nobody())
            for seat in range(SEATS):
                self._seats[table, Seat(seat)] = self._enter(table, agent_in(number, seat))

    def _enter(self, table: TableId, identity: Identity) -> OpenConnection:
        connection = OpenConnection(ConnectionId(self._new_name()), identity, _Dropped())
        self.floor.attach(table, connection, None)
        return connection

    def _observe(self, table: TableId, facts: Sequence[Fact]) -> None:
        for fact in facts:
            match fact:
                case TurnOpened():
                    asyncio.get_running_loop().call_soon(self._move, table, fact)  # or a table would never wait
                case Moved():
                    self.moves += 1
                case HandEnded():
                    self.hands += 1
                case StatusChanged(seat=seat, status=SeatStatus.NO_CHIPS):
                    self.floor.say(table, self._seats[table, seat], Rebuy(amount=BUY_IN_CHIPS), _now_ms())
                case _:
                    pass

    def _move(self, table: TableId, opened: TurnOpened) -> None:
        action, amount = choose(self._dice, opened.turn)
        message = Action(turn_id=opened.turn_id, action=action, amount=UNSET if amount is None else amount)
        self.floor.say(table, self._seats[table, opened.turn.seat], message, _now_ms())


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _hands_a_second(
    seconds: float, kind: type[SqlTableStore]
) -> Callable[[Database], Coroutine[Any, Any, tuple[float, str]]]:
    async def measure(database: Database) -> tuple[float, str]:
        hall = Hall(store_of(database, kind))
        await hall.open_tables(_TABLES)
        await until(lambda: hall.hands > _TABLES)
        rounds = [await _hands_in(hall, seconds / 3) for _ in range(3)]
        await hall.floor.stop(grace_ms=0)
        _, cpu, _ = (statistics.median(each) for each in zip(*rounds, strict=True))
        return cpu, _note(rounds)

    return measure


async def _hands_in(hall: Hall, seconds: float) -> tuple[float, float, float]:
    """Hands a second by the clock and of CPU time, and microseconds of CPU a move."""
    hands, moves, cpu, clock = hall.hands, hall.moves, time.process_time(), time.monotonic()
    while time.process_time() - cpu < seconds:  # noqa: ASYNC110 - CPU time has no event
        await asyncio.sleep(0.02)
    done, spent = hall.hands - hands, time.process_time() - cpu
    return done / (time.monotonic() - clock), done / spent, spent / (hall.moves - moves) * 1e6


def _note(rounds: Sequence[tuple[float, float, float]]) -> str:
    by_clock, _, a_move_us = (statistics.median(each) for each in zip(*rounds, strict=True))
    return f"{by_clock:,.0f} by the clock; {a_move_us:,.0f} µs of CPU a move"
