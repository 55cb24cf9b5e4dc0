"""Hands through the whole table server but for sockets: inbox, room, gates, views, door, and the store.

Six agents and one watcher are connected at each table, by connections that take ready bytes and drop them. A move is handed to the
floor as the endpoint does, decoded; so reading and writing sockets and decoding JSON are no part of it, and everything in between is.

    tables    hands a second: the engine alone, the floor with a store that keeps nothing, and with SQLite
    thousand  a thousand tables with a move each two seconds: from when a move is due to when its frames are handed over
"""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import UNSET

from benchmarks.hands import choose, play_hand
from benchmarks.measure import Figure, percentile, rate
from gameserver.floor import dispatch
from gameserver.floor.chips import TableChips
from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Chances, Floor
from gameserver.floor.ports import ConnectionId
from gameserver.floor.settings import FloorSettings
from gameserver.hand.deck import secure_deck
from gameserver.identity.who import AgentIdentity, Identity, Nobody
from gameserver.net.batch import Batch
from gameserver.net.connection import OpenConnection
from gameserver.net.delivery import Delivery
from gameserver.net.outlet import Outcome
from gameserver.store.accounts import Reason
from gameserver.store.engine import Database, open_database
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from gameserver.table import commands, memory
from gameserver.table.commands import Player, player_id
from gameserver.table.facts import Fact, HandEnded, Moved, SeatStatus, StatusChanged, TurnOpened
from gameserver.table.memory import new_memory
from gameserver.table.options import Clocks, TableOptions
from gameserver.table.room import Room
from gameserver.wire.messages import Action, Rebuy
from policy.ids import AgentId, AgentVersionId, Seat, TableId, TurnId, UserId
from policy.table_kind import TableKind
from railbird import migrations
from railbird.interpreter import tuned

SEATS = 6
BUY_IN_CHIPS = 10_000
TABLES = 1_000
MOVE_EVERY_S = 2.0
WARM_UP_S = 6.0
_RICH = 10**12
_FAR_MS = 4 * 10**12

T = TypeVar("T")


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; `seconds` of CPU time for each, threads included."""
    dice = random.Random(7)
    engine = rate(lambda: play_hand(dice, lambda step: step()), seconds)
    kept = [_in_a_folder(_hands_a_second(seconds, store)) for store in (_Nothing, SqlTableStore)]
    names = ("floor, gates, views, door; nothing stored", "the same, with SQLite")
    figures = [Figure("hand engine alone", engine, "hands/s")]
    figures += [Figure(name, hands, "hands/s", note) for name, (hands, note) in zip(names, kept, strict=True)]
    return "Tables: random six-handed hands, six seats and one watcher connected", figures


def run_thousand(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; at least twenty seconds of real time, whatever is asked for."""
    lates, cpu, hands = _in_a_folder(_a_thousand(max(20.0, seconds * 5)))
    lates.sort()
    note = f"of {len(lates):,} moves; {hands:,} hands stored; {cpu:.0%} of one core"
    figures = [
        Figure("a move until its frames are handed over, p50", percentile(lates, 0.5) * 1_000, "ms p50", higher=False),
        Figure("p99 (the goal is 50)", percentile(lates, 0.99) * 1_000, "ms p99", note, higher=False),
        Figure("longest", lates[-1] * 1_000, "ms", higher=False),
    ]
    return f"{TABLES:,} tables in one process, a move each {MOVE_EVERY_S:.0f} s at each, with SQLite", figures


# --- the room that is measured ------------------------------------------------------------------------------------------


class _Dropped:
    """An outlet for ready bytes. Making the bytes is part of what is measured."""

    def write(self, batch: Batch) -> Outcome:
        assert batch.websocket_bytes
        return Outcome.WRITTEN

    def insist(self, batch: Batch) -> None:
        assert batch.websocket_bytes

    def when_caught_up(self, call: Callable[[], None]) -> None:
        pass

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


class _Names:
    async def name_of(self, player: Player) -> str:
        return player_id(player).partition(":")[2]


class _Hall:
    """A floor with players that move as soon as `when` says."""

    def __init__(
        self, store: SqlTableStore, when: Callable[[_Hall, TableId, TurnOpened], None], settings: FloorSettings
    ):
        names = map(str, itertools.count(1))
        self._store = store
        self.dice = random.Random(7)
        self.hands = 0
        self.waiting: dict[TableId, float] = {}
        self.lates: list[float] = []
        self._when = when
        self._new_name: Callable[[], str] = lambda: next(names)
        self._seats: dict[tuple[TableId, Seat], OpenConnection] = {}
        clock = SystemClock()
        self.floor = Floor(
            store=store,
            door=Delivery(new_name=self._new_name, clock=clock),
            names=_Names(),
            clock=clock,
            chances=Chances(
                new_deck=secure_deck,
                new_turn_id=lambda: TurnId(self._new_name()),
                new_table_id=lambda: TableId(f"t-{self._new_name()}"),
                first_button=lambda options: Seat(self.dice.randrange(options.max_seats)),
            ),
            settings=settings,
            observe=self._observe,
        )

    async def open_tables(self, count: int, *, a_second: int) -> None:
        """Tables with six agents and a watcher each, of whom all are connected; so many tables a second begin to play."""
        for number in range(count):
            await self._store_table(TableId(f"t-{number}"), number)
        await self.floor.start()
        for number in range(count):
            table = TableId(f"t-{number}")
            self._enter(table, Nobody())
            for seat in map(Seat, range(SEATS)):
                self._seats[table, seat] = self._enter(table, _agent(f"a{number}-{seat}"))
            await asyncio.sleep(1 / a_second)

    async def _store_table(self, table: TableId, number: int) -> None:
        """As if the six had sat down in an earlier life of the server."""
        room = Room(options=_options(), memory=new_memory(Seat(0)), new_turn_id=lambda: TurnId(""), now_ms=0)
        chips = TableChips(table, practice=False)
        moves = []
        for seat in map(Seat, range(SEATS)):
            player = dispatch.player_of(_agent(f"a{number}-{seat}"), house_agents=frozenset())
            room.receive(commands.Sit(player, f"Agent {seat}", seat, BUY_IN_CHIPS), 0)
            moves.append(chips.taken(player, BUY_IN_CHIPS, Reason.BUY_IN))
        sat = memory.encode(room.memory())
        await self._store.create_table(table, _options(), memory.encode(new_memory(Seat(0))))
        await SqlTableStore.change_table(self._store, table, moves, sat)

    def move(self, table: TableId, opened: TurnOpened, due_s: float) -> None:
        """The player who is asked moves at random. `due_s`: when the move is due, by the loop's clock."""
        action, amount = choose(self.dice, opened.turn)
        self.waiting[table] = due_s
        message = Action(turn_id=opened.turn_id, action=action, amount=UNSET if amount is None else amount)
        self.floor.say(table, self._seats[table, opened.turn.seat], message, self._now_ms())

    def _enter(self, table: TableId, identity: Identity) -> OpenConnection:
        connection = OpenConnection(ConnectionId(self._new_name()), identity, _Dropped())
        self.floor.attach(table, connection, None)
        return connection

    def _observe(self, table: TableId, facts: Sequence[Fact]) -> None:
        """Called when the frames of these facts were handed over."""
        if table in self.waiting and any(isinstance(fact, Moved) for fact in facts):
            self.lates.append(time.monotonic() - self.waiting.pop(table))
        for fact in facts:
            match fact:
                case TurnOpened():
                    self._when(self, table, fact)
                case HandEnded():
                    self.hands += 1
                case StatusChanged(seat=seat, status=SeatStatus.NO_CHIPS):
                    self.floor.say(table, self._seats[table, seat], Rebuy(amount=BUY_IN_CHIPS), self._now_ms())
                case _:
                    pass

    @staticmethod
    def _now_ms() -> int:
        return time.monotonic_ns() // 1_000_000


def _agent(name: str) -> AgentIdentity:
    return AgentIdentity(AgentId(name), UserId(f"owner-of-{name}"), AgentVersionId("v1"), False, None, _FAR_MS, None)


def _options() -> TableOptions:
    return TableOptions(
        name="Benchmark",
        kind=TableKind.AGENT,
        max_seats=SEATS,
        small_blind_chips=50,
        big_blind_chips=100,
        min_buy_in_chips=BUY_IN_CHIPS,
        max_buy_in_chips=BUY_IN_CHIPS,
        created_by=UserId("benchmark"),
        clocks=Clocks(turn_ms=600_000),
    )


# --- measuring ----------------------------------------------------------------------------------------------------------


def _in_a_folder(work: Callable[[Database], Coroutine[Any, Any, T]]) -> T:
    """Run `work` with an empty database on the disk that temporary files are on, in an interpreter that is set as a server's."""

    async def main(folder: str) -> T:
        database = await open_database(f"sqlite:///{Path(folder) / 'benchmark.sqlite'}", migrate=migrations.upgrade)
        try:
            async with tuned():
                return await work(database)
        finally:
            await database.dispose()

    with tempfile.TemporaryDirectory(prefix="railbird-bench-") as folder:
        return asyncio.run(main(folder))


def _store(database: Database, kind: type[SqlTableStore]) -> SqlTableStore:
    return kind(database, Bookkeeping(lambda: time.time_ns() // 1_000_000, _RICH))


def _hands_a_second(
    seconds: float, kind: type[SqlTableStore]
) -> Callable[[Database], Coroutine[Any, Any, tuple[float, str]]]:
    """One table after the other would leave the store idle while a hand is played, so eight are played side by side."""

    async def measure(database: Database) -> tuple[float, str]:
        hall = _Hall(_store(database, kind), _at_once, FloorSettings(hand_gap_ms=0))
        await hall.open_tables(8, a_second=1_000)
        await _until(lambda: hall.hands > 8)
        rounds = [await _hands_in(hall, seconds / 3) for _ in range(3)]
        await _stop(hall)
        by_clock = statistics.median(clock for _, clock in rounds)
        return statistics.median(cpu for cpu, _ in rounds), f"{by_clock:,.0f} by the clock"

    return measure


async def _hands_in(hall: _Hall, seconds: float) -> tuple[float, float]:
    """Hands a second of CPU time, and by the clock."""
    hands, cpu, clock = hall.hands, time.process_time(), time.monotonic()
    while time.process_time() - cpu < seconds:  # noqa: ASYNC110 - CPU time has no event
        await asyncio.sleep(0.02)
    done = hall.hands - hands
    return done / (time.process_time() - cpu), done / (time.monotonic() - clock)


def _a_thousand(seconds: float) -> Callable[[Database], Coroutine[Any, Any, tuple[list[float], float, int]]]:
    async def measure(database: Database) -> tuple[list[float], float, int]:
        hall = _Hall(_store(database, SqlTableStore), _every_two_seconds, FloorSettings(hand_gap_ms=1_000))
        await hall.open_tables(TABLES, a_second=50)
        await _until(lambda: hall.hands > TABLES // 10, timeout_s=120)
        await asyncio.sleep(WARM_UP_S)
        hall.lates.clear()
        hands, cpu, clock = hall.hands, time.process_time(), time.monotonic()
        await asyncio.sleep(seconds)
        lates, spent = list(hall.lates), (time.process_time() - cpu) / (time.monotonic() - clock)
        hands = hall.hands - hands
        await _stop(hall)
        return lates, spent, hands

    return measure


def _at_once(hall: _Hall, table: TableId, opened: TurnOpened) -> None:
    hall.move(table, opened, time.monotonic())


def _every_two_seconds(hall: _Hall, table: TableId, opened: TurnOpened) -> None:
    """Due times do not move when the server is late: a late move is late from then on, as a player would see it."""
    wait_s = MOVE_EVERY_S * hall.dice.uniform(0.5, 1.5)
    loop = asyncio.get_running_loop()
    loop.call_later(wait_s, hall.move, table, opened, time.monotonic() + wait_s)


async def _until(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.02)


async def _stop(hall: _Hall) -> None:
    await hall.floor.stop(grace_ms=0)
