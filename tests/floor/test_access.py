"""Private tables: not found on every way out, but for the creator, the invited, their agents and who runs the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from collections.abc import Set as AbstractSet

import pytest
import pytest_asyncio

from gameserver.errors import Refusal
from gameserver.floor.settings import FloorSettings
from gameserver.identity.who import Identity, Nobody
from gameserver.store.engine import Database
from policy.ids import AgentId, TableId, UserId
from policy.table_kind import TableKind
from tests.floor.world import BUY_IN, World, agent, opened, user

INVITED: set[UserId] = set()
LET_IN: dict[str, Identity] = {
    "the creator": user("creator"),
    "the creator's agent": agent("ann", owner="creator"),
    "an invited user": user("bob"),
    "an invited user's agent": agent("ben", owner="bob"),
    "an operator": user("olga"),
    "a house agent": agent("house-1"),
}
KEPT_OUT: dict[str, Identity] = {
    "a spectator": Nobody(),
    "another user": user("eve"),
    "another user's agent": agent("eva", owner="eve"),
    "a user with the name of an agent of the house": user("house-1"),
    "an agent with the name of the creator": agent("creator", owner="eve"),
    "an agent of an operator": agent("oleg", owner="nobody"),
}


def invited(table_id: TableId) -> AbstractSet[UserId]:
    return INVITED


@pytest_asyncio.fixture
async def private(database: Database) -> AsyncIterator[World]:
    """A floor with an operator and a house agent; Bob is invited."""
    INVITED.clear()
    INVITED.add(UserId("bob"))
    settings = FloorSettings(
        hand_gap_ms=0, operators=frozenset({UserId("olga")}), house_agents=frozenset({AgentId("house-1")})
    )
    async with opened(database, settings=settings, invited=invited) as world:
        yield world


def refusal(world: World, table: TableId, identity: Identity) -> tuple[str, str]:
    client = world.client(table, identity)
    with pytest.raises(Refusal) as refused:
        world.floor.attach(table, client.connection, None)
    assert client.messages == []
    return refused.value.code, refused.value.why


@pytest.mark.parametrize("who", KEPT_OUT)
async def test_a_private_table_is_not_found_by_others(private: World, who: str) -> None:
    """The very answer for a table that does not exist, by socket and by lists."""
    table = await private.table(private=True)
    identity = KEPT_OUT[who]
    assert refusal(private, table, identity) == refusal(private, TableId("t-none"), identity)
    with pytest.raises(Refusal, match="not_found"):
        private.floor.visible_state(table, identity)
    assert table not in private.floor.visible_states(identity)


@pytest.mark.parametrize("who", LET_IN)
async def test_a_private_table_is_there_for_its_own_people(private: World, who: str) -> None:
    """They get its snapshot, and it is on their list."""
    table = await private.table(private=True)
    identity = LET_IN[who]
    assert "snapshot" in (await private.enter(table, identity)).kinds()
    assert private.floor.visible_state(table, identity).options.private
    assert list(private.floor.visible_states(identity)) == [table]


async def test_an_invitation_counts_from_when_it_is_there(private: World) -> None:
    """Who comes is asked about as things stand then."""
    table = await private.table(private=True)
    assert refusal(private, table, user("eve"))[0] == "not_found"
    INVITED.add(UserId("eve"))
    assert "snapshot" in (await private.enter(table, user("eve"))).kinds()


async def test_a_table_that_is_not_private_is_there_for_everybody(private: World) -> None:
    """The gate withholds nothing else."""
    table = await private.table()
    for identity in [*LET_IN.values(), *KEPT_OUT.values()]:
        assert "snapshot" in (await private.enter(table, identity)).kinds()
        assert table in private.floor.visible_states(identity)


async def test_people_play_at_a_private_table(private: World) -> None:
    """As at any other."""
    table = await private.table(private=True, kind=TableKind.HUMAN)
    creator, bob = await private.enter(table, user("creator")), await private.enter(table, user("bob"))
    await creator.sit(0, BUY_IN)
    await bob.sit(1, BUY_IN)
    await private.play_hand(table)
    assert "hand_result" in bob.kinds()


async def test_a_private_table_is_private_again_after_a_restart(private: World, database: Database) -> None:
    """It is a rule of the table, and is stored with it."""
    table = await private.table(private=True)
    await private.floor.stop(grace_ms=0)
    async with opened(database, invited=invited) as again:
        assert refusal(again, table, user("eve"))[0] == "not_found"
        assert "snapshot" in (await again.enter(table, user("bob"))).kinds()
