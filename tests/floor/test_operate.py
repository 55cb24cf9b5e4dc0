"""What creators and operators order: carried out in turn, stored, and told to everybody."""

from __future__ import annotations

import asyncio

import pytest

from gameserver.errors import Refusal
from gameserver.hand.facts import ActionKind
from gameserver.table import commands
from gameserver.wire.messages import Sit
from policy.ids import HandNumber, Seat, TableId
from policy.spectator_policy import CLOSED
from tests.floor.world import BUY_IN, OPEN, World, agent, until


async def test_a_pause_lets_the_hand_end_and_begins_no_other(world: World) -> None:
    """Watchers are told at once, the players when their hand is over; `Resume` goes on."""
    table = await world.table()
    players, watcher = await world.seated(table, "ann", "bob"), await world.enter(table)
    await world.until_hand(table)
    heard = [client.kinds().count("table_status") for client in players]
    await world.floor.operate(table, commands.Pause())
    assert (await watcher.sees("table_status", watcher.kinds().count("table_status")))["status"] == "paused"
    await world.play_hand(table)
    assert world.state(table).hand is None and world.state(table).status == "paused"
    for client, before in zip(players, heard, strict=True):
        while client.outlet.last("game_state")["status"] != "paused":
            await client.sees("game_state", client.kinds().count("game_state") + 1)
        assert client.kinds().count("table_status") == before
    await world.floor.operate(table, commands.Resume())
    await world.until_hand(table)
    assert world.state(table).hand_number == 2


async def test_a_closed_table_pays_everybody_and_closes_its_connections(world: World) -> None:
    """In mid-hand it waits for the end; then 4410 for all, and it is closed in the store too."""
    table = await world.table()
    clients = [*await world.seated(table, "ann", "bob"), await world.enter(table)]
    await world.until_hand(table)
    await world.floor.operate(table, commands.Close())
    assert world.state(table).hand is not None
    await world.play_hand(table)
    assert [await client.is_closed() for client in clients] == [4410] * 3
    for client in clients:
        assert "hand_result" in client.kinds()
        assert client.outlet.last("table_status")["status"] == "closed"
    stored = await world.store.table(table)
    assert stored is not None and stored.closed
    assert await world.chips("owner-of-ann") + await world.chips("owner-of-bob") == 20_000
    assert not world.floor.has(table)
    with pytest.raises(Refusal, match="not_found"):
        world.floor.attach(table, world.client(table).connection, None)


async def test_an_empty_table_closes_at_once(world: World) -> None:
    """And an order to it afterwards is refused. Of the tables that are open it is none from that moment on."""
    table = await world.table()
    watcher = await world.enter(table)
    await world.floor.operate(table, commands.Close())
    assert table not in world.floor.states()
    assert await watcher.is_closed() == 4410
    await until(lambda: not world.floor.has(table))
    with pytest.raises(Refusal, match="not_found"):
        await world.floor.operate(table, commands.Pause())


async def test_a_cancelled_hand_did_not_take_place(world: World) -> None:
    """Bets go back, all are told why, the number stays used and the button stays where it was."""
    table = await world.table()
    clients = [*await world.seated(table, "ann", "bob"), await world.enter(table)]
    await world.until_hand(table)
    button = world.state(table).hand.positions.button  # type: ignore[union-attr]
    await world.act(table, ActionKind.ALL_IN)
    await world.floor.operate(table, commands.CancelHand("a wrong deal"))
    for client in clients:
        cancelled = await client.sees("hand_cancelled")
        assert (cancelled["handNumber"], cancelled["why"]) == (1, "a wrong deal")
    await world.until_hand(table)
    state = world.state(table)
    assert state.hand is not None
    assert (state.hand_number, state.hand.positions.button) == (2, button)
    assert sum(seat.stack_chips for seat in state.seats) + state.hand.pot_chips == 2 * BUY_IN
    stored = await world.hands.hand(table, HandNumber(1))
    assert stored is not None and stored.status == "cancelled"


async def test_a_removed_player_is_paid(world: World) -> None:
    """Between hands at once; in a hand when it is over."""
    table = await world.table()
    await world.seated(table, "ann", "bob", "cid")
    await world.until_hand(table)
    await world.floor.operate(table, commands.Remove(Seat(0)))
    await world.play_hand(table)
    await until(lambda: "ann" not in [seat.name for seat in world.state(table).seats])
    assert await world.seat_chips(table, "agent:ann") == 0
    assert (await world.chips("owner-of-ann")) >= 10_000 - BUY_IN


async def test_a_reveal_is_switched_off_at_once_and_told_first(world: World) -> None:
    """What is revealed from now on, before anything that is sent under it; and it is stored."""
    table = await world.table(reveal=OPEN)
    clients = [*await world.seated(table, "ann", "bob", model="house"), await world.enter(table)]
    await world.until_hand(table)
    assert clients[2].outlet.last("snapshot")["state"]["revealedHoleCards"]
    await world.floor.operate(table, commands.NarrowReveal(CLOSED))
    for client in clients:
        told = await client.sees("table_options")
        assert (told["showHands"], told["showThoughts"]) == (False, False)
        after = client.messages[client.messages.index(told) :]
        assert all("revealedHoleCards" not in message for message in after)
    with pytest.raises(Refusal, match="not_allowed"):
        await world.floor.operate(table, commands.NarrowReveal(OPEN))
    stored = await world.store.table(table)
    assert stored is not None and stored.options.reveal == CLOSED


async def test_an_order_that_is_refused_changes_nothing(world: World) -> None:
    """Its sender gets the refusal."""
    table = await world.table()
    for order in (commands.CancelHand("why"), commands.Remove(Seat(3)), commands.Remove(Seat(99))):
        with pytest.raises(Refusal):
            await world.floor.operate(table, order)
    with pytest.raises(Refusal, match="not_found"):
        await world.floor.operate(TableId("t-none"), commands.Pause())


async def test_who_gives_an_order_and_goes_harms_nothing(world: World) -> None:
    """The order is carried out; the table does not trip over a caller who no longer waits."""
    table = await world.table()
    order = asyncio.ensure_future(world.floor.operate(table, commands.Pause()))
    await asyncio.sleep(0)
    order.cancel()
    await until(lambda: world.state(table).status == "paused")
    ann = await world.enter(table, agent("ann"))
    assert (await ann.ask(Sit(seat=0, buy_in=BUY_IN)))["type"] == "ack"
