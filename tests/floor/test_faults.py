"""A fault ends where it is: at one table, with its hand cancelled, its bets returned, its people told, and no card in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
import structlog

from gameserver.errors import Bug
from gameserver.floor import mail, showing
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import AgentIdentity
from gameserver.store.engine import Database
from gameserver.table import commands
from gameserver.table.facts import HandCancelled
from gameserver.views.change import Change
from gameserver.wire.messages import ChatIn, Leave
from policy.ids import TableId
from tests.floor.world import (
    BUY_IN,
    HAPPENS_WITHIN_S,
    Broken,
    Client,
    World,
    agent,
    each_time,
    once,
    opened,
    until,
)

PLANTED = "As Kd is what seat 0 holds"

Break = Callable[[World, TableId, pytest.MonkeyPatch], None]


def break_the_room(world: World, table: TableId, patch: pytest.MonkeyPatch) -> None:
    room = world.task(table).room
    whole, breaks = room.receive, once(Broken(PLANTED))

    def receive(command: commands.Command, now_ms: int) -> Any:
        if isinstance(command, commands.Act):
            breaks()
        return whole(command, now_ms)

    patch.setattr(room, "receive", receive)


def break_the_store(world: World, table: TableId, patch: pytest.MonkeyPatch) -> None:
    world.journal.breaks["finish_hand"] = once(Broken(PLANTED))
    world.journal.breaks["change_table"] = once(Broken(PLANTED))


def break_the_door(world: World, table: TableId, patch: pytest.MonkeyPatch) -> None:
    world.journal.breaks["send"] = once(Broken(PLANTED))


def break_the_views(world: World, table: TableId, patch: pytest.MonkeyPatch) -> None:
    whole, breaks = Change, once(Broken(PLANTED))

    def change(*given: Any) -> Any:
        breaks()
        return whole(*given)

    patch.setattr(mail, "Change", change)


def break_the_deck(world: World, table: TableId, patch: pytest.MonkeyPatch) -> None:
    world.journal.breaks["deck"] = once(Broken(PLANTED))


BREAKS: dict[str, Break] = {
    "room": break_the_room,
    "store": break_the_store,
    "door": break_the_door,
    "views": break_the_views,
    "deck": break_the_deck,
}


async def play_until(world: World, table: TableId, happened: Callable[[], bool]) -> None:
    """Somebody moves whenever there is a turn; what is answered does not matter."""
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while not happened():
            state = world.floor.states().get(table)
            if state is not None and state.hand is not None and state.hand.turn is not None:
                await world.move(table)
            else:
                await asyncio.sleep(0.001)


def epoch_of(client: Client) -> str:
    epoch: str = client.outlet.last("snapshot")["epoch"]
    return epoch


@pytest.mark.parametrize("part", BREAKS)
async def test_a_fault_cancels_the_hand_and_the_table_goes_on(
    world: World, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bets go back, all are told in a new epoch, every chip is where it was, and the next hand is dealt."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    watcher = await world.enter(table)
    await world.until_hand(table)
    everybody = (ann, bob, watcher)
    old = [epoch_of(client) for client in everybody]
    BREAKS[part](world, table, monkeypatch)
    await play_until(world, table, lambda: not {epoch_of(client) for client in everybody} & {*old})
    number = world.state(table).hand_number
    await play_until(world, table, lambda: world.state(table).hand_number > number)
    state = world.state(table)
    in_the_middle = state.hand.pot_chips if state.hand is not None else 0
    assert sum(seat.stack_chips for seat in state.seats) + in_the_middle == 2 * BUY_IN
    assert [client.outlet.closes for client in everybody] == [[], [], []]


async def test_all_bets_go_back(world: World) -> None:
    """Everybody is told that the hand was cancelled and what was returned, and has the stack from before the deal."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    watcher = await world.enter(table)
    await world.act(table, ActionKind.ALL_IN)
    world.journal.breaks["finish_hand"] = once(Broken(PLANTED))
    assert (await world.move(table, ActionKind.CALL))["code"] == "internal"
    for client in (ann, bob, watcher):
        cancelled = await client.sees("hand_cancelled")
        assert cancelled["handNumber"] == 1
        after = [message for message in client.messages if message["type"] == "snapshot"][-1]
        assert client.messages.index(after) > client.messages.index(cancelled)
    cancelled_fact = next(fact for _, fact in world.facts if isinstance(fact, HandCancelled))
    assert cancelled_fact.hand_number == 1
    assert [await world.seat_chips(table, f"agent:{name}") for name in ("ann", "bob")] == [BUY_IN, BUY_IN]
    await world.until_hand(table)
    assert world.state(table).hand_number == 2, "the number of the cancelled hand is not used again"


@pytest.mark.parametrize("who", [None, agent("stray")], ids=["public", "agents"])
async def test_a_fault_tells_nobody_who_watched(world: World, who: AgentIdentity | None) -> None:
    """Who comes afterwards sees the same number, whether or not somebody listened to the same stream before."""
    seen = []
    for watched in (False, True):
        table = await world.table()
        name = f"table-{watched}-"
        await world.seated(table, f"{name}ann", f"{name}bob")
        if watched:
            await world.enter(table, who)
        await world.until_hand(table)
        await world.floor.operate(table, commands.Pause())
        await world.play_hand(table, 1)
        world.journal.breaks["change_table"] = once(Broken(PLANTED))
        with pytest.raises(Bug, match="the table had a fault"):
            await world.floor.operate(table, commands.Resume())
        late = await world.enter(table, agent("late") if who is not None else None)
        seen.append(late.outlet.last("snapshot")["seq"])
    assert seen[0] == seen[1]


async def test_a_fault_in_one_table_touches_no_other(world: World) -> None:
    """While one table faults until it closes, another deals on: no frame of its own is missing or late."""
    bad, good = await world.table(), await world.table()
    await world.seated(bad, "ann", "bob")
    cid, dee = await world.seated(good, "cid", "dee")
    before = epoch_of(cid)
    world.task(bad).room.receive = each_time(Broken(PLANTED))  # type: ignore[method-assign]
    world.journal.breaks["table"] = each_time(Broken(PLANTED))
    world.floor.attach(bad, world.client(bad, agent("ann")).connection, None)
    for _ in range(3):
        await world.play_hand(good)
    await until(lambda: not world.floor.has(bad))
    await world.play_hand(good)
    for client in (cid, dee):
        assert client.outlet.closes == []
        since = client.messages[len(client.kinds()) - client.kinds()[::-1].index("snapshot") - 1 :]
        numbers = [message["seq"] for message in since if "seq" in message]
        assert len(numbers) > 30 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    assert epoch_of(cid) == before


async def test_after_several_faults_in_a_row_the_table_closes(world: World) -> None:
    """1011 for everybody; what was stored stays, and the hand that was open is cancelled at the next start."""
    table = await world.table()
    ann, bob = await world.seated(table, "ann", "bob")
    watcher = await world.enter(table)
    await world.until_hand(table)
    world.journal.breaks["send"] = each_time(Broken(PLANTED))
    await world.move(table)
    assert [await client.is_closed() for client in (ann, bob, watcher)] == [1011] * 3
    await until(lambda: not world.floor.has(table))
    world.journal.breaks.clear()
    stored = await world.store.table(table)
    assert stored is not None and not stored.closed


async def test_a_finished_hand_makes_up_for_a_fault(database: Database) -> None:
    """The count is of faults in a row: a table that faults now and then is not closed."""
    async with opened(database) as world:
        table = await world.table()
        ann, _ = await world.seated(table, "ann", "bob")
        for _ in range(world.settings.faults_to_close + 1):
            await world.play_hand(table)
            await world.until_hand(table)
            known = ann.kinds().count("hand_cancelled")
            world.journal.breaks["send"] = once(Broken(PLANTED))
            await world.move(table)
            await ann.sees("hand_cancelled", known + 1)
        assert ann.outlet.closes == []


async def test_a_hand_that_is_cancelled_makes_up_for_no_fault(world: World) -> None:
    """A table whose every deal fails does not go on for ever."""
    table = await world.table()
    world.journal.breaks["deck"] = each_time(Broken(PLANTED))
    ann, _ = await world.seated(table, "ann", "bob")
    assert await ann.is_closed() == 1011
    assert ann.kinds().count("hand_cancelled") == world.settings.faults_to_close - 1


async def test_a_store_that_is_away_for_a_while_closes_no_table(world: World) -> None:
    """It is asked again after a pause, longer each time."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.act(table, ActionKind.ALL_IN)
    away = each_time(OSError("no route to the database"))
    world.journal.breaks |= {"finish_hand": away, "table": away}
    await world.move(table, ActionKind.CALL)
    await until(lambda: world.task(table)._faults >= 2)
    world.journal.breaks.clear()
    await ann.sees("hand_cancelled")
    await world.play_hand(table)
    assert ann.outlet.closes == []


@pytest.mark.parametrize("part", [*BREAKS, "snapshot"])
async def test_a_fault_is_logged_without_a_card(
    world: World, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The kind of the error and where it was; its text may hold a card, and is not in any log."""
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as logged:
        table = await world.table()
        ann, _ = await world.seated(table, "ann", "bob")
        await world.until_hand(table)
        if part == "snapshot":
            monkeypatch.setattr(showing, "snapshot", each_time(Broken(PLANTED)))
            late = world.client(table)
            world.floor.attach(table, late.connection, None)
            assert await late.is_closed() == 1011
        else:
            BREAKS[part](world, table, monkeypatch)
            await play_until(world, table, lambda: any(entry["event"] == "table_fault" for entry in logged))
            await until(lambda: ann.kinds().count("snapshot") > 2)
    assert any(entry.get("error") == "Broken" for entry in logged)
    said = f"{logged} {caplog.text} {[record.exc_text for record in caplog.records]}"
    assert PLANTED not in said and "As Kd" not in said
    assert PLANTED not in ann.text


async def test_who_waits_for_an_answer_gets_one(world: World) -> None:
    """In a fault a request fails with `internal`, and a command of an operator with an error; nobody waits for ever."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    world.journal.breaks["send"] = once(Broken(PLANTED))
    assert (await ann.ask(ChatIn(text="hello")))["code"] in ("not_allowed", "internal")
    world.journal.breaks["change_table"] = once(Broken(PLANTED))
    with pytest.raises(Bug, match="the table had a fault"):
        await asyncio.wait_for(world.floor.operate(table, commands.Pause()), HAPPENS_WITHIN_S)
    await world.floor.operate(table, commands.Pause())
    assert world.state(table).status == "paused"


async def test_who_left_during_a_fault_is_gone(world: World) -> None:
    """A line that breaks in the very request that faults is not taken for one that is up."""
    table = await world.table()
    _, bob = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    world.journal.breaks["send"] = once(Broken(PLANTED))
    bob.leave()
    await until(lambda: [seat.connected for seat in world.state(table).seats] == [True, False])


async def test_a_leave_that_could_not_be_stored_did_not_happen(world: World) -> None:
    """The seat and its chips are as they were; the player may ask again."""
    table = await world.table(max_seats=3)
    (ann,) = await world.seated(table, "ann")
    world.journal.breaks["change_table"] = once(Broken(PLANTED))
    assert await ann.refused(Leave()) == "internal"
    await until(lambda: len(world.state(table).seats) == 1 and world.state(table).seats[0].connected)
    assert await world.seat_chips(table, "agent:ann") == BUY_IN
    assert (await ann.ask(Leave()))["type"] == "ack"
    assert await world.seat_chips(table, "agent:ann") == 0


async def test_nobody_is_left_waiting_at_a_table_that_ended(world: World) -> None:
    """Who attached, and who gave an order, just before the end is told so."""
    table = await world.table()
    late = world.client(table, agent("late"))
    first = asyncio.ensure_future(world.floor.operate(table, commands.Close()))
    second = asyncio.ensure_future(world.floor.operate(table, commands.Pause()))
    await asyncio.sleep(0)
    world.floor.attach(table, late.connection, None)
    await first
    with pytest.raises(Exception, match="table_closed"):
        await second
    assert await late.is_closed() == 4410
