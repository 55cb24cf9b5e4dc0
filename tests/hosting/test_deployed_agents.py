"""What owners deploy over HTTP is played: seated, switched to another version, stopped, sold; by one host at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from gameserver.table.commands import AgentPlayer, Close
from policy.ids import TableId
from tests.agenthost.http.test_deployments import hosting, post, published
from tests.hosting.beside import hosted
from tests.http.test_agents import FAST, at_the_table, is_owned_by, sits_nowhere
from tests.http.world import World, opened_world
from tests.system.process import HAPPENS_WITHIN_S, until


def player_of(world: World, table_id: str, agent_id: str) -> AgentPlayer | None:
    """Its seat there, with a line."""
    for seat in world.server.floor.state(TableId(table_id)).seats:
        if isinstance(seat.player, AgentPlayer) and seat.player.agent_id == agent_id and seat.connected:
            return seat.player
    return None


def hand_number(world: World, table_id: str) -> int:
    return world.server.floor.state(TableId(table_id)).hand_number


async def until_shown(world: World, agent_id: str, user: str = "ann", **shown: Any) -> None:
    """Until the owner is shown this of the first seat."""
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while True:
            seats = (await hosting(world, agent_id, user))["seats"]
            if seats and {name: seats[0].get(name) for name in shown} == shown:
                return
            await asyncio.sleep(0.02)


async def seated(world: World, table_id: str, user: str = "ann", **asked: Any) -> str:
    """An agent of somebody's that was sent to a table, and sits there."""
    agent_id = await world.agent(user, user.title())
    await published(world, agent_id, user)
    answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400, **asked}, user)
    assert (answer.status_code, answer.json()["status"]) == (202, "on_its_way"), answer.text
    await until(lambda: player_of(world, table_id, agent_id) is not None)
    return agent_id


async def host_is_there(world: World) -> None:
    """The host has said so: until then an answer says that none runs."""
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while not await world.server.hosting.registry.models_running(now_ms=0):  # noqa: ASYNC110 - asked from outside
            await asyncio.sleep(0.01)


async def test_a_deployed_agent_sits_and_plays(tmp_path: Path) -> None:
    """Attested as the house model, so at a revealing table too; the owner sees that a host plays it."""
    async with opened_world(tmp_path) as world, hosted(world):
        await host_is_there(world)
        table_id = await world.table(showHands=True, houseAgents=1)
        agent_id = await seated(world, table_id, seat=4)
        await until(lambda: hand_number(world, table_id) >= 2)
        player = player_of(world, table_id, agent_id)
        assert player is not None and (player.hosted, player.model, player.house) == (True, "house", False)
        await until_shown(world, agent_id, hosted=True, seat=4, problem=None)


async def test_another_version_plays_from_the_next_hand_on(tmp_path: Path) -> None:
    """Deployed while it sits at a closed table: the seat changes over between hands, without a new connection."""
    async with opened_world(tmp_path) as world, hosted(world):
        await host_is_there(world)
        table_id = await world.table(houseAgents=1)
        agent_id = await seated(world, table_id)
        second = await published(world, agent_id, strategy="House style: shark.")
        answer = await post(world, agent_id, "deploy", {"agentVersionId": second})
        assert answer.json()["takesEffect"] == "next_hand"
        await until(lambda: (now := player_of(world, table_id, agent_id)) is not None and now.version_id == second)
        dealt = hand_number(world, table_id)
        await until(lambda: hand_number(world, table_id) > dealt)


async def test_a_stopped_agent_leaves_for_good(tmp_path: Path) -> None:
    """When its hand is over; the others play on, and it comes when it is asked again."""
    async with opened_world(tmp_path) as world, hosted(world) as (host, _):
        await host_is_there(world)
        table_id = await world.table(houseAgents=2)
        agent_id = await seated(world, table_id)
        assert (await post(world, agent_id, "stop")).status_code in (200, 202)
        await until(lambda: sits_nowhere(world, agent_id) and not host.deployed.keys)
        dealt = hand_number(world, table_id)
        await until(lambda: hand_number(world, table_id) >= dealt + 2)
        assert sits_nowhere(world, agent_id)
        answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 2_000})
        assert answer.status_code == 202
        await until(lambda: player_of(world, table_id, agent_id) is not None)


async def test_a_sold_agent_is_played_no_more(tmp_path: Path) -> None:
    """It leaves; and the buyer deploys it anew."""
    async with opened_world(tmp_path) as world, hosted(world) as (host, _):
        await host_is_there(world)
        table_id = await world.table(houseAgents=2)
        agent_id = await seated(world, table_id)
        assert (await post(world, agent_id, "transfer", {"toUserId": "zoe"})).status_code in (200, 202)
        await is_owned_by(world, agent_id, "zoe")
        await until(lambda: sits_nowhere(world, agent_id) and not host.deployed.keys)
        answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 2_000}, "zoe")
        assert answer.status_code == 202
        await until(lambda: player_of(world, table_id, agent_id) is not None)
        player = player_of(world, table_id, agent_id)
        assert player is not None and player.owner == "zoe"


async def test_what_cannot_be_played_is_said(tmp_path: Path) -> None:
    """An owner has one seat at a table: the second agent is given up, with the table's own code, until it is asked again."""
    async with opened_world(tmp_path) as world, hosted(world) as (_, base):
        await host_is_there(world)
        table_id = await world.table(**FAST)
        async with at_the_table(world, base, table_id, "ann", 0):
            agent_id = await world.agent("ann", "Second")
            await published(world, agent_id)
            assert (await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400})).status_code == 202
            await until_shown(world, agent_id, problem="owner_already_seated")
            again = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400})
            assert again.status_code == 202
            await until_shown(world, agent_id, problem="owner_already_seated")


async def test_what_a_seat_waits_for_is_said(tmp_path: Path) -> None:
    """Of a seat that somebody has, of a full table. When the seat is free it sits down by itself, and nothing is wrong any more."""
    async with opened_world(tmp_path) as world, hosted(world) as (_, base):
        await host_is_there(world)
        table_id = await world.table(**FAST | {"maxSeats": 2})
        agent_id = await world.agent("cleo", "Cleo")
        await published(world, agent_id, "cleo")
        async with at_the_table(world, base, table_id, "ann", 1) as ann:
            asked = {"tableId": table_id, "buyIn": 400, "seat": 1}
            assert (await post(world, agent_id, "seat", asked, "cleo")).status_code == 202
            await until_shown(world, agent_id, "cleo", hosted=True, seat=1, problem="seat_taken")
            async with at_the_table(world, base, table_id, "bob", 0) as bob:
                await until_shown(world, agent_id, "cleo", hosted=True, problem="table_full")
                page = await world.client.get("/agents", headers={"accept": "text/html", **world.be("cleo")})
                assert "waits: <code>table_full</code>" in page.text
                await bob.play_from_now()
                await ann.ask("leave")
                await until(lambda: player_of(world, table_id, agent_id) is not None)
                await until_shown(world, agent_id, "cleo", hosted=True, problem=None)


async def test_a_host_plays_no_model_that_it_has_not(tmp_path: Path) -> None:
    """The answer says so; the wish waits for another host."""
    async with opened_world(tmp_path) as world, hosted(world):
        await host_is_there(world)
        table_id, agent_id = await world.table(houseAgents=1), await world.agent("ann")
        await published(world, agent_id, model="small")
        answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400})
        assert (answer.status_code, answer.json()["status"]) == (202, "no_host_has_the_model")
        await until(lambda: hand_number(world, table_id) >= 0)
        await until_shown(world, agent_id, hosted=False, problem=None)


async def test_a_wish_that_waited_is_played_when_a_host_comes(tmp_path: Path) -> None:
    """Over a restart, too; and a closed table is wished for no more."""
    async with opened_world(tmp_path) as world:
        table_id, agent_id = await world.table(houseAgents=1), await world.agent("ann", "Ann")
        await published(world, agent_id)
        answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400})
        assert answer.json()["status"] == "no_host"
    async with opened_world(tmp_path) as world, hosted(world):
        await until(lambda: player_of(world, table_id, agent_id) is not None)
        await world.server.floor.operate(TableId(table_id), Close())
        async with asyncio.timeout(HAPPENS_WITHIN_S):
            while (await hosting(world, agent_id))["seats"]:  # noqa: ASYNC110 - asked from outside
                await asyncio.sleep(0.02)


async def test_two_hosts_share_the_seats(tmp_path: Path) -> None:
    """Each seat has one of them; none is thrown out by the other."""
    async with opened_world(tmp_path) as world, hosted(world) as (first, _), hosted(world) as (second, _):
        await host_is_there(world)
        table_id = await world.table()
        for user in ("ann", "bob"):
            await seated(world, table_id, user)
        dealt = hand_number(world, table_id)
        await until(lambda: hand_number(world, table_id) >= dealt + 2)
        played = [*first.deployed.keys, *second.deployed.keys]
        assert len(played) == len(set(played)) == 2
        assert not first.deployed.problems and not second.deployed.problems
