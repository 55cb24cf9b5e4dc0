"""In which audience a connection is, from its first frame to its last."""

from __future__ import annotations

import dataclasses
import random

import pytest

from gameserver.floor.callers import audience_of
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import AgentIdentity
from gameserver.table import commands
from gameserver.views.audience import AgentsAudience, Audience, PublicAudience, SeatAudience
from gameserver.wire.messages import Leave, Rebuy, Sit, Stand
from policy.ids import TableId
from policy.table_kind import TableKind
from tests.floor.world import BUY_IN, OPEN, Client, World, agent, until, user


def audiences(world: World, table: TableId) -> dict[str, Audience]:
    """By connection: what the callers say, which is what the door has it in."""
    found: dict[str, Audience] = {}
    streams = world.door._tables[table].stream_of
    for caller in world.task(table)._parts.lines.callers:
        assert streams[caller.connection.connection_id].audience == caller.audience
        found[caller.connection.connection_id] = caller.audience
    return found


def audience(client: Client) -> Audience:
    return audiences(client.world, client.table_id)[client.connection.connection_id]


@pytest.mark.parametrize("seed", range(4))
async def test_an_agents_connection_is_never_in_the_public_audience(world: World, seed: int) -> None:
    """Whatever agents do, sit, stand, leave, lose their line or go broke, and whatever faults and orders come between."""
    dice = random.Random(seed)
    table = await world.table(reveal=OPEN)
    names = ["ann", "bob", "cid"]
    clients = {name: await world.enter(table, agent(name, model="house")) for name in names}
    for _ in range(60):
        name = dice.choice(names)
        client = clients[name]
        match dice.randrange(8):
            case 0 | 1 | 2:
                await client.ask(Sit(seat=dice.randrange(3), buy_in=BUY_IN))
            case 3:
                await client.ask(dice.choice([Stand(), Leave()]))
            case 4:
                client.leave()
                clients[name] = await world.enter(table, agent(name, model="house"))
            case 5:
                await client.ask(Rebuy(amount=BUY_IN))
            case _:
                if world.state(table).hand is not None and world.state(table).hand.turn is not None:  # type: ignore[union-attr]
                    await world.move(table)
        for caller in world.task(table)._parts.lines.callers:
            assert isinstance(caller.connection.identity, AgentIdentity)
            assert not isinstance(caller.audience, PublicAudience)
    assert not any(isinstance(each, PublicAudience) for each in audiences(world, table).values())


async def test_an_audience_moves_with_the_seat(world: World) -> None:
    """Sitting down, standing up between hands, and being paid in mid-hand: each is a snapshot in another stream."""
    table = await world.table()
    ann = await world.enter(table, agent("ann"))
    assert audience(ann) == AgentsAudience()
    await ann.sit(3)
    assert audience(ann) == SeatAudience(world.state(table).seats[0].seat, commands.PlayerId("agent:ann"))
    assert ann.kinds().count("snapshot") == 2
    assert (await ann.ask(Leave()))["type"] == "ack"
    assert audience(ann) == AgentsAudience()
    assert ann.kinds().count("snapshot") == 3
    assert len({m["epoch"] for m in ann.messages if m["type"] == "snapshot"}) >= 2


async def test_who_is_paid_in_mid_hand_has_no_seats_stream_any_more(world: World) -> None:
    """A player who folded and leaves is paid at once; the rest of the hand comes as to anybody without a seat."""
    table = await world.table()
    clients = await world.seated(table, "ann", "bob", "cid")
    by_name = {seat.name: client for seat, client in zip(world.state(table).seats, clients, strict=True)}
    while world.state(table).hand is None or len(world.state(table).hand.dealt) < 3:  # type: ignore[union-attr]
        await world.move(table)
    folder, _, _ = world.turn(table)
    await world.act(table, ActionKind.FOLD)
    name = folder.connection.identity.agent_id  # type: ignore[union-attr]
    client = by_name[name]
    assert (await client.ask(Leave()))["type"] == "ack"
    assert audience(client) == AgentsAudience()
    assert world.state(table).hand is not None
    await world.play_hand(table)
    await client.sees("hand_result")
    assert [m for m in client.messages if m.get("yourHoleCards")][-1]["type"] == "game_state"
    last_own = max(i for i, m in enumerate(client.messages) if m.get("yourHoleCards"))
    moved = max(i for i, m in enumerate(client.messages) if m["type"] == "snapshot")
    assert last_own < moved


async def test_all_connections_of_a_person_move_together(world: World) -> None:
    """Two tabs of one person are in the seat's stream while they sit, and in the public one before and after."""
    table = await world.table(kind=TableKind.HUMAN)
    tabs = [await world.enter(table, user("ann")), await world.enter(table, user("ann"))]
    assert [audience(tab) for tab in tabs] == [PublicAudience()] * 2
    await tabs[0].sit(0)
    assert len({audience(tab) for tab in tabs}) == 1 and isinstance(audience(tabs[1]), SeatAudience)
    assert (await tabs[1].ask(Leave()))["type"] == "ack"
    assert [audience(tab) for tab in tabs] == [PublicAudience()] * 2
    assert [tab.kinds().count("snapshot") for tab in tabs] == [3, 3]


async def test_who_is_removed_moves_too(world: World) -> None:
    """An operator frees a seat: its connection is one without a seat, in a stream of its own epoch."""
    table = await world.table()
    ann = await world.enter(table, agent("ann"))
    await ann.sit(0)
    await world.floor.operate(table, commands.Remove(world.state(table).seats[0].seat))
    await until(lambda: ann.kinds().count("snapshot") == 3)
    assert audience(ann) == AgentsAudience()
    assert await world.chips("owner-of-ann") == 10_000


async def test_the_next_occupant_starts_a_new_stream(world: World) -> None:
    """A seat's stream belongs to its occupant: nothing of it can be resumed by the next one, or by the last."""
    table = await world.table()
    ann, bob = await world.enter(table, agent("ann")), await world.enter(table, agent("bob"))
    await ann.sit(0)
    first, point = ann.outlet.last("snapshot"), ann.resume_point()
    await ann.ask(Leave())
    await bob.sit(0)
    second = bob.outlet.last("snapshot")
    assert first["epoch"] != second["epoch"]
    again = world.client(table, agent("ann"))
    world.floor.attach(table, again.connection, point)
    await again.sees("snapshot")
    assert again.kinds()[0] == "resync"
    stolen = world.client(table, agent("bob"))
    world.floor.attach(table, stolen.connection, dataclasses.replace(point, last_seq=0))
    assert await stolen.is_closed() == 4440


async def test_an_audience_is_the_seat_as_it_stands(world: World) -> None:
    """The same function for a newcomer as for who is here already."""
    table = await world.table()
    (ann,) = await world.seated(table, "ann")
    assert audience_of(world.task(table).room, ann.connection) == audience(ann)
