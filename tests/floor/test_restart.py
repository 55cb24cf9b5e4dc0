"""What a crash and a restart leave: hands whole or cancelled, chips where they were, times that went on."""

from __future__ import annotations

from typing import Any

from gameserver.hand.facts import ActionKind
from gameserver.store.engine import Database
from gameserver.store.stored import HandStatus
from gameserver.table.facts import HandCancelled, LeftBecause, SeatFreed, SeatStatus
from gameserver.table.options import Clocks
from gameserver.wire.messages import Leave, Sit, SitOut
from policy.ids import HandNumber, TableId
from tests.floor.world import (
    BUY_IN,
    NOT_SOON_MS,
    STARTING_CHIPS,
    Broken,
    ShiftedClock,
    World,
    agent,
    once,
    opened,
    until,
)


def recent(snapshot: dict[str, Any]) -> list[int]:
    return [hand["handNumber"] for hand in snapshot["recentHands"]]


async def crashed(database: Database, hands: int, **options: Any) -> tuple[TableId, World]:
    """A table with Ann and Bob that played so many hands, and died in the next after a bet."""
    world = World(database)
    await world.floor.start()
    table = await world.table(**options)
    await world.seated(table, "ann", "bob")
    for _ in range(hands):
        await world.play_hand(table)
    await world.until_hand(table)
    await world.act(table, ActionKind.CALL)
    task = world.task(table)
    await world.crash()
    world.floor._tables[table] = task  # to look at what it knew
    return table, world


async def test_a_hand_that_never_ended_is_cancelled_at_start_up(database: Database) -> None:
    """All bets back, its number used up, the button where it was; it is in no history."""
    table, before = await crashed(database, hands=2)
    state = before.task(table).room.state(before.clock.monotonic_ms())
    stacks = {seat.name: seat.stack_chips + seat.bet_chips for seat in state.seats}
    open_hand = await before.hands.hand(table, HandNumber(3))
    assert open_hand is not None and open_hand.status is HandStatus.BEGAN
    assert state.hand is not None
    button = state.hand.positions.button
    async with opened(database) as world:
        await until(lambda: any(isinstance(fact, HandCancelled) for _, fact in world.facts))
        assert {seat.name: seat.stack_chips for seat in world.state(table).seats} == stacks
        cancelled = await world.hands.hand(table, HandNumber(3))
        assert cancelled is not None and cancelled.status is HandStatus.CANCELLED
        clients = [await world.enter(table, agent(name)) for name in ("ann", "bob")]
        await world.until_hand(table)
        now = world.state(table)
        assert now.hand is not None and (now.hand_number, now.hand.positions.button) == (4, button)
        await world.play_hand(table)
        assert [hand.hand_number for hand in await world.hands.recent_hands(table, 9)] == [1, 2, 4]
        assert "hand_result" in clients[0].kinds()
        assert await world.ledger.verify_ledger() == ()


async def test_recent_hands_are_told_after_a_restart(database: Database) -> None:
    """To watchers what the table showed, to a player their own cards too; twenty of them."""
    table, before = await crashed(database, hands=22)
    told = before.task(table).room.state(0).recent
    async with opened(database) as world:
        ann, watcher = await world.enter(table, agent("ann")), await world.enter(table)
        for client in (ann, watcher):
            assert recent(client.outlet.last("snapshot")) == list(range(3, 23))
        hands = ann.outlet.last("snapshot")["recentHands"]
        assert all(len(hand["yourHoleCards"]) == 2 and hand["actions"] for hand in hands)
        assert "yourHoleCards" not in str(watcher.outlet.last("snapshot"))
        facts = [(hand.moves, hand.board, hand.over, hand.shown, hand.players) for hand in world.state(table).recent]
        assert facts == [(hand.moves, hand.board, hand.over, hand.shown, hand.players) for hand in told]


async def test_recent_hands_are_told_after_a_fault(world: World) -> None:
    """The room is another one, with the same memory."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.play_hand(table)
    await world.until_hand(table)
    world.journal.breaks["send"] = once(Broken())
    await world.move(table)
    await ann.sees("hand_cancelled")
    await until(lambda: recent(ann.outlet.last("snapshot")) == [1])


async def test_time_that_passed_in_between_counts_for_removal(database: Database) -> None:
    """Who was away for nearly as long as it takes before the restart is removed soon after it, and paid."""
    clocks = Clocks(turn_ms=NOT_SOON_MS, sit_out_remove_ms=60_000)
    async with opened(database) as world:
        table = await world.table(clocks=clocks)
        await world.seated(table, "ann")
        ann = await world.enter(table, agent("ann"))
        ann.leave()
        await until(lambda: not world.state(table).seats[0].connected)
        await world.floor.stop(grace_ms=0)
    soon = ShiftedClock(wall_shift_ms=30_000, monotonic_shift_ms=-5_000_000)
    async with opened(database, clock=soon) as world:
        assert len(world.state(table).seats) == 1
        await world.floor.stop(grace_ms=0)
    later = ShiftedClock(wall_shift_ms=61_000, monotonic_shift_ms=5_000_000)
    async with opened(database, clock=later) as world:
        await until(lambda: any(isinstance(fact, SeatFreed) for _, fact in world.facts))
        assert world.state(table).seats == ()
        freed = next(fact for _, fact in world.facts if isinstance(fact, SeatFreed))
        assert freed.because is LeftBecause.SAT_OUT_TOO_LONG
        assert await world.chips("owner-of-ann") == STARTING_CHIPS


async def test_the_return_rule_goes_on_over_a_restart(database: Database) -> None:
    """Who left with more chips brings them back within its time, and is free of it afterwards, whatever ran in between."""
    clocks = Clocks(turn_ms=NOT_SOON_MS, rathole_ms=600_000)
    async with opened(database) as world:
        table = await world.table(clocks=clocks)
        (ann,) = await world.seated(table, "ann")
        await ann.ask(Leave())
        await world.floor.stop(grace_ms=0)
    for shift_ms, answer in ((500_000, "rathole"), (601_000, None)):
        async with opened(database, clock=ShiftedClock(wall_shift_ms=shift_ms, monotonic_shift_ms=-shift_ms)) as world:
            ann = await world.enter(table, agent("ann"))
            assert (await ann.ask(Sit(seat=0, buy_in=BUY_IN - 1))).get("code") == answer
            await world.floor.stop(grace_ms=0)


async def test_a_wall_clock_that_went_back_makes_nobody_younger(database: Database) -> None:
    """Between two processes there is no other clock; one that was set back counts as no time."""
    async with opened(database) as world:
        table = await world.table()
        await world.seated(table, "ann")
        await world.floor.stop(grace_ms=0)
    async with opened(database, clock=ShiftedClock(wall_shift_ms=-86_400_000)) as world:
        assert [seat.name for seat in world.state(table).seats] == ["ann"]


async def test_every_line_is_down_after_a_restart(database: Database) -> None:
    """Seats and stacks are there, and nobody is dealt in who has not come back."""
    async with opened(database) as world:
        table = await world.table()
        await world.seated(table, "ann", "bob")
        await world.play_hand(table)
        await world.floor.stop(grace_ms=0)
    async with opened(database) as world:
        assert [seat.connected for seat in world.state(table).seats] == [False, False]
        await world.enter(table, agent("ann"))
        assert world.state(table).hand is None
        await world.enter(table, agent("bob"))
        await world.until_hand(table)


async def test_a_wish_of_a_lost_hand_takes_effect(database: Database) -> None:
    """Who asked in mid-hand to sit out sits out after the crash: the hand is over, though it was not played to its end."""
    world = World(database)
    await world.floor.start()
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    assert (await ann.ask(SitOut()))["type"] == "ack"
    await world.crash()
    async with opened(database) as after:
        await until(lambda: any(isinstance(fact, HandCancelled) for _, fact in after.facts))
        await after.enter(table, agent("ann"))
        assert {seat.name: seat.status for seat in after.state(table).seats}["ann"] is SeatStatus.SITTING_OUT
