"""A table that asks for house agents has them: over real connections, named as what they are, there again after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gameserver.table.commands import AgentPlayer, Close
from policy.ids import AgentId, TableId
from railbird.hosting.house_agents import agent_id_of, name_of, style_of
from tests.hosting.beside import hosted
from tests.http.test_agents import at_the_table
from tests.http.world import World, opened_world
from tests.system.process import until


def seated(world: World, table_id: str) -> dict[str, AgentPlayer]:
    """The agents with a line, by their names."""
    seats = world.server.floor.state(TableId(table_id)).seats
    return {seat.name: seat.player for seat in seats if isinstance(seat.player, AgentPlayer) and seat.connected}


def hand_number(world: World, table_id: str) -> int:
    return world.server.floor.state(TableId(table_id)).hand_number


@pytest.mark.parametrize(
    "options", [{}, {"showHands": True, "showThoughts": True}, {"practice": True}, {"private": True}]
)
async def test_a_table_with_house_agents_deals(tmp_path: Path, options: dict[str, Any]) -> None:
    """At once, wherever agents may sit; each has an owner of its own, and is attested as the house model."""
    async with opened_world(tmp_path) as world, hosted(world):
        table_id = await world.table(houseAgents=3, **options)
        await until(lambda: len(seated(world, table_id)) == 3 and hand_number(world, table_id) >= 2)
        players = seated(world, table_id)
        assert players.keys() == {"House rock", "House shark", "House gambler"}
        assert len({player.owner for player in players.values()}) == 3
        assert all(player.hosted and player.model == "house" and player.house for player in players.values())
        assert (await world.server.ledger.verify_ledger()) == ()


async def test_they_leave_when_the_table_closes(tmp_path: Path) -> None:
    """And another table's play on."""
    async with opened_world(tmp_path) as world, hosted(world) as (host, _):
        closed, other = await world.table(houseAgents=2), await world.table(houseAgents=2)
        await until(lambda: len(seated(world, closed)) == 2 == len(seated(world, other)))
        await world.server.floor.operate(TableId(closed), Close())
        await until(lambda: not world.server.floor.has(TableId(closed)))
        await until(lambda: {table for _, table in host.of_the_house.keys} == {other})
        dealt = hand_number(world, other)
        await until(lambda: hand_number(world, other) > dealt)


async def test_after_a_restart_they_are_there_again(tmp_path: Path) -> None:
    """The same agents with the same accounts, in the same seats."""
    async with opened_world(tmp_path) as world, hosted(world):
        table_id = await world.table(houseAgents=2)
        await until(lambda: len(seated(world, table_id)) == 2 and hand_number(world, table_id) >= 1)
        before = seated(world, table_id)
    async with opened_world(tmp_path) as world, hosted(world):
        await until(lambda: len(seated(world, table_id)) == 2)
        assert seated(world, table_id) == before
        dealt = hand_number(world, table_id)
        await until(lambda: hand_number(world, table_id) > dealt)


async def test_a_broke_account_of_the_house_is_granted_more(tmp_path: Path) -> None:
    """The table goes on; every chip is accounted for."""
    async with opened_world(tmp_path, starting_chips=0) as world, hosted(world):
        table_id = await world.table(houseAgents=2)
        await until(lambda: hand_number(world, table_id) >= 2)


async def test_nobody_signs_in_as_the_house(tmp_path: Path) -> None:
    """The account's name is drawn; whoever guesses `house` owns nothing."""
    async with opened_world(tmp_path) as world, hosted(world):
        table_id = await world.table(houseAgents=1)
        await until(lambda: len(seated(world, table_id)) == 1)
        (player,) = seated(world, table_id).values()
        assert len(player.owner) >= len("house-") + 32
        for guess in ("house", "house-0", player.agent_id):
            assert (await world.ask("GET", "/agents", user=guess)).json() == {"agents": []}


async def test_a_person_may_play_against_them(tmp_path: Path) -> None:
    """Somebody's own agent sits down with two of the house."""
    async with opened_world(tmp_path) as world, hosted(world) as (_, base):
        table_id = await world.table(houseAgents=2, turnMs=60_000)
        await until(lambda: len(seated(world, table_id)) == 2)
        async with at_the_table(world, base, table_id, "ann", 5) as ann:
            await ann.play_from_now()
            await until(lambda: "hand_result" in ann.kinds())


def test_ten_of_them_have_ten_names() -> None:
    """Every style has its turn."""
    assert len({name_of(number) for number in range(10)}) == 10
    assert len({style_of(number).name for number in range(6)}) == 6
    assert agent_id_of(TableId("t-1"), 2) == AgentId("house-t-1-2")
