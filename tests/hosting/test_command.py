"""`railbird host` as a command in a process of its own, against a server in this one, over real sockets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx2

from policy.ids import TableId
from tests.agenthost.http.test_deployments import hosting, post, published
from tests.agenthost.models.provider import provider, says, stalls
from tests.hosting.test_deployed_agents import hand_number, player_of
from tests.http.test_agents import at_the_table, sits_nowhere
from tests.http.world import World, live, opened_world
from tests.system.process import HAPPENS_WITHIN_S, Home, Process, running, until

ENDS_WITHIN_S: Final = 60.0
CALLS: Final = says('{"reasoning": "to see it", "action": "call", "amount": null}')
KEY: Final = "sk-the-providers-key"


@asynccontextmanager
async def server(folder: Path) -> AsyncIterator[tuple[World, str]]:
    """A server on a folder that the command shares, and its address."""
    async with opened_world(folder) as world, live(world) as base:
        yield world, base


@asynccontextmanager
async def host(folder: Path, text: str, **settings: str) -> AsyncIterator[Process]:
    """The command with a file of this text."""
    (folder / "agents.toml").write_text(text)
    arguments = ("host", str(folder / "agents.toml"))
    async with running(
        Home(folder), *arguments, **{"MIN_TURN_MS": "0", "RAILBIRD_LOG_LEVEL": "info", **settings}
    ) as process:
        yield process


def agent(name: str, table: str, *, owner: str | None = None, more: str = "") -> str:
    who = f'owner = "{owner or name.lower()}"' if owner != "" else ""
    return f'\n[[agents]]\nname = "{name}"\n{who}\ntable = "{table}"\nbuy_in = 400\n{more}\n'


def model(base_url: str) -> str:
    return (
        f'\n[models.small]\nbase_url = "{base_url}"\nkey_env = "SMALL_KEY"\ninput_usd = "0.10"\noutput_usd = "0.40"\n'
    )


async def agent_of(world: World, owner: str) -> str:
    """The one agent of somebody."""
    found: str = (await world.ask("GET", "/agents", user=owner)).json()["agents"][0]["agentId"]
    return found


async def is_seated(world: World, table_id: str, owner: str) -> str:
    """Wait until somebody's agent sits; its id."""
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while True:
            agents = (await world.ask("GET", "/agents", user=owner)).json()["agents"]
            if agents and player_of(world, table_id, agents[0]["agentId"]) is not None:
                return str(agents[0]["agentId"])
            await asyncio.sleep(0.02)


async def test_the_agents_of_a_file_play(tmp_path: Path) -> None:
    """Registered, attested as the house model, seated where the file says, by the table's name; SIGTERM ends it with 0."""
    async with server(tmp_path) as (world, base):
        table_id = await world.table(name="Fine Room", showHands=True)
        text = (
            f'server = "{base}"\nmetrics_port = 0\n'
            + agent("Ann", "Fine Room", more="seat = 3")
            + agent("Bob", table_id)
        )
        async with host(tmp_path, text) as process:
            metrics = (await process.line("Metrics are on ")).split()[-1]
            await process.line("Hosting 2 agents at ")
            ann = await is_seated(world, table_id, "ann")
            player = player_of(world, table_id, ann)
            assert player is not None and (player.hosted, player.model) == (True, "house")
            await until(lambda: hand_number(world, table_id) >= 3)
            seats = world.server.floor.state(TableId(table_id)).seats
            assert {seat.seat for seat in seats if seat.name == "Ann"} == {3}
            async with httpx2.AsyncClient(trust_env=False) as client:
                told = (await client.get(metrics)).text
            assert 'railbird_host_seats{phase="playing"} 2' in told
            assert re.search(r'railbird_host_turns_total\{outcome="as_chosen"\} [1-9]', told)
            assert re.search(r'railbird_captured_turns\{state="(stored|waiting)"\} [1-9]', told)
            assert re.search(r'railbird_charged_turns\{state="(written|waiting)"\} [1-9]', told)
            assert ann not in told and table_id not in told
            process.terminate()
            assert await process.ended(ENDS_WITHIN_S) == 0
        assert player_of(world, table_id, ann) is None or world.server.floor.has(TableId(table_id))


async def test_sigterm_finishes_the_open_turn(tmp_path: Path) -> None:
    """A turn that a model still thinks about has so long; then the host goes, with 0, and says what it cut short."""
    async with server(tmp_path) as (world, base), provider(stalls) as upstream:
        table_id = await world.table(turnMs=600_000)
        text = f'server = "{base}"\nstop_within_s = 0.5\n{model(upstream.base_url)}'
        text += agent("Ann", table_id, more='model = "small"') + agent("Bob", table_id, more='model = "small"')
        async with host(tmp_path, text, SMALL_KEY=KEY) as process:
            await process.line("Hosting 2 agents")
            await until(lambda: len(upstream.asked) >= 1)
            process.terminate()
            assert await process.ended(ENDS_WITHIN_S) == 0
        assert process.said[-1] == "1 agent did not finish within 0.5 s."


async def test_what_owners_deploy_is_played_by_a_host_apart(tmp_path: Path) -> None:
    """The route says that one is running; the agent sits down, and leaves when its owner stops it."""
    async with server(tmp_path) as (world, base):
        table_id = await world.table(turnMs=60_000)
        agent_id = await world.agent("ann", "Ann")
        await published(world, agent_id)
        assert (await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400})).json()["status"] == "no_host"
        async with host(tmp_path, f'server = "{base}"\n') as process:
            await process.line("Hosting 0 agents at ")
            await until(lambda: player_of(world, table_id, agent_id) is not None)
            assert (await hosting(world, agent_id))["host"] == "running"
            async with at_the_table(world, base, table_id, "bob", 5) as bob:
                await bob.play_from_now()
                await bob.sees("hand_result")
                assert (await post(world, agent_id, "stop")).status_code in (200, 202)
                await until(lambda: sits_nowhere(world, agent_id))
            process.terminate()
            assert await process.ended(ENDS_WITHIN_S) == 0
        assert (await hosting(world, agent_id))["host"] == "no_host"


async def test_what_is_wrong_ends_it(tmp_path: Path) -> None:
    """2 for a file that cannot be, 1 where nothing can be played; each says what."""
    async with server(tmp_path) as (_, base):
        for text, code, told in (
            (f'server = "{base}"\n[[agents]]\n', 2, "agents.toml:2: agents[1].name: missing_field: has to be there"),
            (f'server = "{base}"\n' + agent("Ann", "No such table"), 1, "agents.toml: agents[1].table: not_found: "),
        ):
            async with host(tmp_path, text) as process:
                assert await process.ended(ENDS_WITHIN_S) == code
            assert any(line.startswith(told) for line in process.said), process.said
