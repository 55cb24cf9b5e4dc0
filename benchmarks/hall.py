"""Tables full of agents for the benchmarks: stored with six seats taken, and a floor over them. Nobody is connected here yet.

Players move at random, with the weights of the engine's own benchmark.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from gameserver.floor import dispatch
from gameserver.floor.chips import TableChips
from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Chances, Floor
from gameserver.floor.ports import Door
from gameserver.floor.settings import FloorSettings
from gameserver.hand.deck import secure_deck
from gameserver.identity.who import AgentIdentity
from gameserver.store.accounts import ChipMove, Reason
from gameserver.store.engine import Database, open_database
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from gameserver.table import commands, memory
from gameserver.table.commands import Player, player_id
from gameserver.table.facts import Fact
from gameserver.table.memory import new_memory
from gameserver.table.options import Clocks, TableOptions
from gameserver.table.room import Room
from policy.ids import AgentId, AgentVersionId, Seat, TableId, TurnId, UserId
from policy.table_kind import TableKind
from railbird import migrations
from railbird.interpreter import tuned

SEATS: Final = 6
BUY_IN_CHIPS: Final = 10_000
_RICH: Final = 10**12
_FAR_MS: Final = 4 * 10**12
_STORED_AT_ONCE: Final = 32

T = TypeVar("T")


class _Names:
    async def name_of(self, player: Player) -> str:
        return player_id(player).partition(":")[2]


def counted_names() -> Callable[[], str]:
    """The numbers from 1 on, for whatever wants a name that nobody else has."""
    names = map(str, itertools.count(1))
    return lambda: next(names)


def table_name(number: int) -> TableId:
    """The id of a table; tables count from 0."""
    return TableId(f"t-{number}")


def agent_in(number: int, seat: int) -> AgentIdentity:
    """The agent that sits in a seat of a table."""
    name = f"a{number}-{seat}"
    return AgentIdentity(AgentId(name), UserId(f"owner-of-{name}"), AgentVersionId("v1"), False, None, _FAR_MS, None)


def new_floor(
    store: SqlTableStore,
    door: Door,
    new_name: Callable[[], str],
    settings: FloorSettings,
    observe: Callable[[TableId, Sequence[Fact]], None],
) -> Floor:
    """A floor as the server's, with real decks."""
    dice = random.Random(7)
    return Floor(
        store=store,
        door=door,
        names=_Names(),
        clock=SystemClock(),
        chances=Chances(
            new_deck=secure_deck,
            new_turn_id=lambda: TurnId(new_name()),
            new_table_id=lambda: TableId(f"t-{new_name()}"),
            first_button=lambda options: Seat(dice.randrange(options.max_seats)),
        ),
        settings=settings,
        observe=observe,
    )


async def store_tables(store: SqlTableStore, count: int, *, paused: bool = False) -> None:
    """Tables where six agents have sat down in an earlier life of the server."""
    for begin in range(0, count, _STORED_AT_ONCE):
        numbers = range(begin, min(count, begin + _STORED_AT_ONCE))
        await asyncio.gather(*(_store_table(store, number, paused=paused) for number in numbers))


async def _store_table(store: SqlTableStore, number: int, *, paused: bool) -> None:
    table = table_name(number)
    sat, moves = _six_sat_down(number, paused=paused)
    await store.create_table(table, _options(), memory.encode(new_memory(Seat(0))))
    await SqlTableStore.change_table(store, table, moves, sat)


def _six_sat_down(number: int, *, paused: bool) -> tuple[bytes, list[ChipMove]]:
    room = Room(options=_options(), memory=new_memory(Seat(0)), new_turn_id=lambda: TurnId(""), now_ms=0)
    chips = TableChips(table_name(number), practice=False)
    moves = []
    for seat in range(SEATS):
        player = dispatch.player_of(agent_in(number, seat), house_agents=frozenset())
        room.receive(commands.Sit(player, f"Agent {seat}", Seat(seat), BUY_IN_CHIPS), 0)
        moves.append(chips.taken(player, BUY_IN_CHIPS, Reason.BUY_IN))
    if paused:
        room.receive(commands.Pause(), 0)
    return memory.encode(room.memory()), moves


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


def in_a_folder(work: Callable[[Database], Coroutine[Any, Any, T]]) -> T:
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


def store_of(database: Database, kind: type[SqlTableStore] = SqlTableStore) -> SqlTableStore:
    """The store of a rich house."""
    return kind(database, Bookkeeping(lambda: time.time_ns() // 1_000_000, _RICH))


async def until(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    """Wait for something that has no event. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.02)
