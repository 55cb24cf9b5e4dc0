"""A fresh token of the same agent: another version takes effect when the hand is over, and never where it could tell something."""

from __future__ import annotations

import pytest

from gameserver.table.facts import VersionChanged
from gameserver.wire.messages import Enter, Resume
from policy.ids import TableId
from policy.spectator_policy import RevealOptions
from tests.floor.world import OPEN, Client, World, agent, user


def version(world: World, table: TableId, name: str = "ann") -> str:
    seat = next(seat for seat in world.state(table).seats if seat.name == name)
    return seat.player.version_id  # type: ignore[union-attr]


def renew(client: Client, to: str, *, model: str | None = None) -> None:
    """What the endpoint does before it hands `enter` on: the connection's identity is renewed."""
    client.connection.identity = agent("ann", version=to, model=model)


async def test_another_version_waits_for_the_end_of_the_hand(world: World) -> None:
    """It is acked at once; the seat plays the hand out as it began it, and the stored hand says so."""
    table = await world.table()
    ann, _ = await world.seated(table, "ann", "bob")
    await world.until_hand(table)
    renew(ann, "v2")
    assert (await ann.ask(Enter()))["type"] == "ack"
    assert version(world, table) == "v1"
    await world.play_hand(table)
    await world.until_hand(table)
    assert version(world, table) == "v2"
    assert any(isinstance(fact, VersionChanged) for _, fact in world.facts)
    first = (await world.hands.recent_hands(table, 1))[0]
    assert {player.version_id for _, player in first.players} == {"v1"}  # type: ignore[union-attr]


async def test_between_hands_another_version_is_there_at_once_and_is_stored(world: World) -> None:
    """It is in the row of the table, so that a restart knows it."""
    table = await world.table()
    (ann,) = await world.seated(table, "ann")
    renew(ann, "v2")
    assert (await ann.ask(Enter()))["type"] == "ack"
    assert version(world, table) == "v2"
    stored = await world.store.table(table)
    assert stored is not None and b'"v2"' in stored.memory


@pytest.mark.parametrize(
    "reveal",
    [RevealOptions(show_hands=True, show_thoughts=False), RevealOptions(show_hands=False, show_thoughts=True)],
)
async def test_another_version_is_refused_at_a_revealing_table(world: World, reveal: RevealOptions) -> None:
    """`whisper_refused` while it sits there; it does not arrive later either. The same version is acked."""
    table = await world.table(reveal=reveal)
    ann, _ = await world.seated(table, "ann", "bob", model="house")
    await world.until_hand(table)
    renew(ann, "v2", model="house")
    assert await ann.refused(Enter()) == "whisper_refused"
    renew(ann, "v1", model="house")
    assert (await ann.ask(Enter()))["type"] == "ack"
    await world.play_hand(table)
    await world.until_hand(table)
    assert version(world, table) == "v1"


async def test_another_version_is_refused_at_any_table_while_it_sits_at_a_revealing_one(world: World) -> None:
    """What it is told at one table it knows at the other."""
    revealing, closed = await world.table(reveal=OPEN), await world.table()
    await world.seated(revealing, "ann", model="house")
    (ann,) = await world.seated(closed, "ann", model="house")
    renew(ann, "v2", model="house")
    assert await ann.refused(Enter()) == "whisper_refused"
    assert version(world, closed) == "v1"


async def test_without_a_seat_another_version_is_acked_and_counts_when_it_sits(world: World) -> None:
    """Nothing changes at the table."""
    table = await world.table(reveal=OPEN)
    ann = await world.enter(table, agent("ann", model="house"))
    renew(ann, "v2", model="house")
    assert (await ann.ask(Enter()))["type"] == "ack"
    await ann.sit(0)
    assert version(world, table) == "v2"


async def test_a_token_that_could_not_have_sat_there_is_refused(world: World) -> None:
    """At a revealing table an outside token does not renew a hosted one."""
    table = await world.table(reveal=OPEN)
    (ann,) = await world.seated(table, "ann", model="house")
    renew(ann, "v1")
    assert await ann.refused(Enter()) == "seat_needs_hosted_agent"


async def test_entering_again_is_for_agents(world: World) -> None:
    """A person has entered once; nobody resumes a connection that is open."""
    table = await world.table()
    carl, ann = await world.enter(table, user("carl")), await world.enter(table, agent("ann"))
    assert await carl.refused(Enter()) == "already_entered"
    assert await ann.refused(Resume(session="s", last_seq=0)) == "already_entered"


async def test_a_reconnect_keeps_the_seats_version(world: World) -> None:
    """A new connection with a newer token plays the version that sat down."""
    table = await world.table()
    await world.seated(table, "ann", "bob")
    await world.enter(table, agent("ann", version="v9"))
    await world.play_hand(table)
    await world.until_hand(table)
    assert version(world, table) == "v1"
