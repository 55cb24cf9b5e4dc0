"""The server goes: hands in play end within the grace time or are cancelled, and everybody is told when to come back."""

from __future__ import annotations

import asyncio
import time

import pytest

from gameserver.errors import Refusal
from gameserver.store.engine import Database
from gameserver.store.stored import HandStatus
from policy.ids import HandNumber
from tests.floor.world import HAPPENS_WITHIN_S, NOT_SOON_MS, STARTING_CHIPS, World, options, until


async def test_a_hand_in_play_ends_within_the_grace_time(database: Database) -> None:
    """The players go on acting; the hand is stored whole; no other begins; then 1012 for everybody."""
    world = World(database)
    table = await world.table()
    clients = [*await world.seated(table, "ann", "bob"), await world.enter(table)]
    await world.until_hand(table)
    stopping = asyncio.ensure_future(world.floor.stop(grace_ms=120_000))
    await world.play_hand(table)
    await asyncio.wait_for(stopping, HAPPENS_WITHIN_S)
    for client in clients:
        assert await client.is_closed() == 1012
        assert client.kinds()[-1] == "reconnect"
        assert "hand_result" in client.kinds() and "hand_cancelled" not in client.kinds()
    hand = await world.hands.hand(table, HandNumber(1))
    assert hand is not None and hand.status is HandStatus.FINISHED
    assert await world.hands.hand(table, HandNumber(2)) is None
    stored = await world.store.table(table)
    assert stored is not None and not stored.closed, "a table that is stopped is opened again"


async def test_after_the_grace_time_the_hand_is_cancelled(database: Database) -> None:
    """By the crash rule: bets back, and told; it takes no longer than the grace time."""
    world = World(database)
    table = await world.table()
    clients = [*await world.seated(table, "ann", "bob"), await world.enter(table)]
    await world.act(table)
    began = time.monotonic()
    await world.floor.stop(grace_ms=300)
    assert 0.25 < time.monotonic() - began < HAPPENS_WITHIN_S
    for client in clients:
        assert client.outlet.last("hand_cancelled")["handNumber"] == 1
        assert await client.is_closed() == 1012
    hand = await world.hands.hand(table, HandNumber(1))
    assert hand is not None and hand.status is HandStatus.CANCELLED
    held = [await world.seat_chips(table, f"agent:{name}") for name in ("ann", "bob")]
    assert held == [1_000, 1_000]
    assert await world.chips("owner-of-ann") == STARTING_CHIPS - 1_000


async def test_between_hands_a_table_stops_at_once(database: Database) -> None:
    """Nothing to wait for, whatever the grace time is."""
    world = World(database)
    table = await world.table()
    watcher = await world.enter(table)
    await asyncio.wait_for(world.floor.stop(grace_ms=NOT_SOON_MS), HAPPENS_WITHIN_S)
    assert await watcher.is_closed() == 1012
    await until(lambda: not world.floor.has(table))


async def test_all_tables_stop_together(database: Database) -> None:
    """The grace time is one for all, and not one after the other."""
    world = World(database)
    tables = [await world.table() for _ in range(5)]
    for number, table in enumerate(tables):
        await world.seated(table, f"a{number}", f"b{number}")
    for table in tables:
        await world.until_hand(table)
    tasks = [world.task(table) for table in tables]
    await world.floor.stop(grace_ms=100)
    ends = {None if task._stop is None else task._stop.grace_ends_ms for task in tasks}
    assert len(ends) == 1
    assert None not in ends


async def test_stopping_twice_does_no_harm(database: Database) -> None:
    """And a table is made no more."""
    world = World(database)
    await world.table()
    await world.floor.stop(grace_ms=0)
    await world.floor.stop(grace_ms=0)
    with pytest.raises(Refusal, match="table_closed"):
        await world.floor.create(options())
