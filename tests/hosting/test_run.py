"""What `railbird host` plays from a file: registered, attested, asked and paid; against a server in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import text

from capture.ledger.ledger import Ledger
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse, new_key, private_pem, public_pem
from gameserver.store.engine import open_database
from policy.ids import AgentId
from railbird import migrations
from railbird.agenthost.file.agents import read_agents_file
from railbird.agenthost.plugins import UnknownPlugin
from railbird.agenthost.prices import Price
from railbird.config import load_settings
from railbird.hosting.prepare import CannotHost, Wanted
from railbird.hosting.run import play_until
from railbird.hosting.tables import NoServer
from railbird.serving import listen
from railbird.wiring.keys import FolderKeys, hosting_key
from tests.agenthost.http.test_deployments import post, published
from tests.agenthost.models.provider import provider
from tests.hosting.test_command import CALLS, KEY, agent, is_seated, model, server
from tests.hosting.test_deployed_agents import hand_number, player_of
from tests.http.world import World, live, opened_world
from tests.system.process import HAPPENS_WITHIN_S, until

FAST: Final = {"MIN_TURN_MS": "0"}
_PRICE: Final = Price(Decimal("0.10"), Decimal("0.40"))


def wanted(folder: Path, text: str, home: Path | None = None, **settings: str) -> Wanted:
    """The command's arguments. `folder`: where the file is, and the home where no other is named."""
    file = folder / "agents.toml"
    file.write_text(text)
    environ = {**FAST, "RAILBIRD_HOME": str(home or folder), **settings}
    names = {name: value for name, value in environ.items() if not name.startswith("RAILBIRD_")}

    def given(variables: Any) -> Mapping[str, str]:
        return {name: names[name] for name in variables if name in names}

    ours = {name: value for name, value in environ.items() if name.startswith("RAILBIRD_") or name in FAST}
    return Wanted(load_settings(ours), read_agents_file(file, given), file.name, names)


@asynccontextmanager
async def host(folder: Path, text: str, home: Path | None = None, **settings: str) -> AsyncIterator[None]:
    """It plays within the block, and ends with 0."""
    stop = asyncio.Event()
    playing = asyncio.create_task(play_until(stop, wanted(folder, text, home, **settings)))
    try:
        yield
    finally:
        stop.set()
        assert await playing == 0


async def test_a_second_start_finds_the_agents_and_their_versions(tmp_path: Path) -> None:
    """The same file publishes nothing, nor does one that was there before; another strategy is another version."""
    async with server(tmp_path) as (world, base):
        table_id = await world.table(houseAgents=0)
        shown = []
        for strategy in ("Wait.", "Wait.", "Go.", "Wait."):
            file = f'server = "{base}"\n' + agent("Ann", table_id, more=f'strategy = "{strategy}"')
            async with host(tmp_path, file):
                agent_id = await is_seated(world, table_id, "ann")
            answer = (await world.ask("GET", f"/agents/{agent_id}", user="ann")).json()
            shown.append((agent_id, [version["content"]["strategy"] for version in answer["versions"]]))
        assert [versions for _, versions in shown] == [["Wait."], ["Wait."], ["Wait.", "Go."], ["Wait.", "Go."]]
        assert len({agent_id for agent_id, _ in shown}) == 1


async def test_a_file_moves_nothing_towards_an_agent_at_a_revealing_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It sits there still when the host comes back with another strategy: the table refuses it, and what has the seat plays on."""
    async with server(tmp_path) as (world, base):
        table_id = await world.table(showThoughts=True, houseAgents=0)
        for strategy in ("Wait.", "She has aces."):
            file = (
                f'server = "{base}"\n'
                + agent("Ann", table_id, more=f'strategy = "{strategy}"')
                + agent("Bob", table_id)
            )
            async with host(tmp_path, file):
                agent_id = await is_seated(world, table_id, "ann")
                await two_hands(world, table_id)
                if strategy != "Wait.":
                    await until(lambda: "whisper_refused" in caplog.text)
        shown = (await world.ask("GET", f"/agents/{agent_id}", user="ann")).json()["versions"]
        assert [version["content"]["strategy"] for version in shown] == ["Wait.", "She has aces."]
        assert await played(tmp_path, agent_id) == {shown[0]["agentVersionId"]}


async def test_at_a_closed_table_a_new_file_plays_from_the_next_hand_on(tmp_path: Path) -> None:
    """What has the seat finishes the hand."""
    async with server(tmp_path) as (world, base):
        table_id = await world.table()
        for strategy in ("Wait.", "Go."):
            file = (
                f'server = "{base}"\n'
                + agent("Ann", table_id, more=f'strategy = "{strategy}"')
                + agent("Bob", table_id)
            )
            async with host(tmp_path, file):
                agent_id = await is_seated(world, table_id, "ann")
                shown = (await world.ask("GET", f"/agents/{agent_id}", user="ann")).json()["versions"]
                newest = shown[-1]["agentVersionId"]
                await plays(world, table_id, agent_id, newest)
                await two_hands(world, table_id)
        assert await played(tmp_path, agent_id) == {version["agentVersionId"] for version in shown}


async def two_hands(world: World, table_id: str) -> None:
    """Until two more have begun."""
    dealt = hand_number(world, table_id)
    await until(lambda: hand_number(world, table_id) >= dealt + 2)


async def plays(world: World, table_id: str, agent_id: str, version: str) -> None:
    """Until the seat has this version."""
    await until(lambda: (now := player_of(world, table_id, agent_id)) is not None and now.version_id == version)


async def played(folder: Path, agent_id: str) -> set[str]:
    """The versions that the ledger has turns of."""
    wanted = text("select distinct agent_version_id from agent_inference_charges where agent_id = :agent_id")
    database = await open_database(f"sqlite:///{folder / 'railbird.sqlite'}", migrate=migrations.upgrade)
    found = await database.read(lambda connection: connection.execute(wanted, {"agent_id": agent_id}).scalars().all())
    await database.dispose()
    return set(found)


async def test_a_real_model_is_asked_and_paid(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Any endpoint that speaks OpenAI's protocol: attested as nothing, so a plain agent; the ledger's sum is exact."""
    async with server(tmp_path) as (world, base), provider(CALLS) as upstream:
        table_id = await world.table()
        file = f'server = "{base}"\n{model(upstream.base_url)}' + agent("Ann", table_id, more='model = "small"')
        file += agent("Bob", table_id)
        async with host(tmp_path, file, SMALL_KEY=KEY):
            ann = await is_seated(world, table_id, "ann")
            player = player_of(world, table_id, ann)
            assert player is not None and (player.hosted, player.model) == (False, None)
            await until(lambda: len(upstream.asked) >= 3)
        assert KEY not in caplog.text and "eyJ" not in caplog.text
        day = datetime.now(UTC).date()
        database = await open_database(f"sqlite:///{tmp_path / 'railbird.sqlite'}", migrate=migrations.upgrade)
        spent = await Ledger(database).spent_usd(AgentId(ann), day)
        await database.dispose()
        assert spent == _PRICE.cost_usd(100, 7) * len(upstream.asked)
        assert {asked.headers["authorization"] for asked in upstream.asked} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("bound", [None, "1.00"])
async def test_without_a_budget_no_owner_asks_a_model_with_a_key(tmp_path: Path, bound: str | None) -> None:
    """Anybody who signs in could spend the operator's money, as much of it as they like; the file's own agents may."""
    async with server(tmp_path) as (world, base), provider(CALLS) as upstream:
        table_id, agent_id = await world.table(), await world.agent("zoe", "Zoe")
        await published(world, agent_id, "zoe", model="small")
        budget = "" if bound is None else f'daily_budget_usd = "{bound}"\n'
        file = f'server = "{base}"\n{budget}{model(upstream.base_url)}' + agent("Ann", table_id, more='model = "small"')
        async with host(tmp_path, file, SMALL_KEY=KEY):
            await is_seated(world, table_id, "ann")
            answer = await post(world, agent_id, "seat", {"tableId": table_id, "buyIn": 400}, "zoe")
            assert answer.json()["status"] == ("on_its_way" if bound else "no_host_has_the_model")
            if bound:
                await is_seated(world, table_id, "zoe")


async def test_only_what_is_on_the_list_is_attested(tmp_path: Path) -> None:
    """A name of the operator's list, for that entry's endpoint and for no other: only then it sits at a revealing table."""
    async with provider(CALLS) as upstream, provider(CALLS) as other:
        listed = f"house,small={upstream.base_url}#qwen"
        async with server(tmp_path) as (world, base):
            table_id = await world.table(showHands=True)
            for address, name in ((other.base_url, "Otter"), (upstream.base_url, "Ann")):
                file = f'server = "{base}"\ndeployments = false\n{model(address)}model = "qwen"\n'
                file += agent(name, table_id, more='model = "small"')
                asked = wanted(tmp_path, file, SMALL_KEY=KEY, RAILBIRD_PLATFORM_MODELS=listed)
                with pytest.raises(CannotHost) as ended:
                    await play_until(asyncio.Event(), asked)
                refusal = "seat_needs_hosted_agent" if address == other.base_url else "seat_needs_platform_model"
                assert str(ended.value).endswith(f" at {table_id}: {refusal}")
        assert upstream.asked == [] == other.asked


async def test_a_host_may_have_its_own_key(tmp_path: Path) -> None:
    """Its token is taken at a revealing table by a server that has the public half, and nowhere by one that has not."""
    key, pem = new_key(KeyUse.HOSTING), tmp_path / "hosting.pem"
    pem.write_bytes(private_pem(key))
    pem.chmod(0o600)
    public = tmp_path / "public.pem"
    public.write_bytes(public_pem(key))
    init_keys(tmp_path / "keys", now_s=int(time.time()))
    knows = FolderKeys(tmp_path / "keys", now_ms=lambda: int(time.time() * 1_000), hosting=hosting_key(public))
    async with opened_world(tmp_path, key_source=knows) as world, live(world) as base:
        table_id = await world.table(name="Kitchen", showHands=True)
        file = f'server = "{base}"\ndeployments = false\n' + agent("Ann", "Kitchen")
        async with host(tmp_path, file, RAILBIRD_HOSTING_KEY=str(pem)):
            await is_seated(world, table_id, "ann")
    async with server(tmp_path) as (_, base):
        file = f'server = "{base}"\ndeployments = false\n' + agent("Ann", "Kitchen")
        with pytest.raises(CannotHost, match="bad_token"):
            await play_until(asyncio.Event(), wanted(tmp_path, file, RAILBIRD_HOSTING_KEY=str(pem)))


async def test_an_agent_with_a_token_needs_no_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Somebody else's server gave the token out; this host has neither keys nor a database."""
    (tmp_path / "theirs").mkdir()
    async with server(tmp_path / "theirs") as (world, base):
        table_id = await world.table()
        token = await world.issued(await world.agent("ann", "Ann"), "ann")
        file = f'server = "{base}"\n' + agent("Ann", table_id, owner="", more='token_env = "ANN_TOKEN"')
        (tmp_path / "ours").mkdir()
        async with host(tmp_path / "ours", file, tmp_path / "ours" / "home", ANN_TOKEN=token):
            await is_seated(world, table_id, "ann")
        assert not (tmp_path / "ours" / "home").exists()
        assert token not in caplog.text


async def test_one_agent_plays_at_two_tables(tmp_path: Path) -> None:
    """As one agent with one version."""
    async with server(tmp_path) as (world, base):
        tables = [await world.table(name=name) for name in ("Kitchen", "Parlour")]
        file = f'server = "{base}"\n' + agent("Ann", "Kitchen") + agent("Ann", "Parlour")
        async with host(tmp_path, file):
            agent_id = await is_seated(world, tables[0], "ann")
            await until(lambda: player_of(world, tables[1], agent_id) is not None)
        (only,) = (await world.ask("GET", "/agents", user="ann")).json()["agents"]
        versions = (await world.ask("GET", f"/agents/{only['agentId']}", user="ann")).json()["versions"]
        assert len(versions) == 1


async def test_what_cannot_be_played_is_told(tmp_path: Path) -> None:
    """A listener that is not installed, a server that is none of ours."""
    async with server(tmp_path) as (_, base):
        with pytest.raises(UnknownPlugin, match="none-such"):
            await play_until(asyncio.Event(), wanted(tmp_path, f'server = "{base}"\nlisteners = ["none-such"]\n'))
        with pytest.raises(NoServer, match="is no Railbird"):
            await play_until(asyncio.Event(), wanted(tmp_path, f'server = "{base}healthz/"\n'))


async def test_a_host_that_is_stopped_while_it_waits_for_a_server_ends(tmp_path: Path) -> None:
    """At once, with 0."""
    with listen("127.0.0.1", 0) as nobody:
        port = nobody.getsockname()[1]
    init_keys(tmp_path / "keys", now_s=int(time.time()))
    async with asyncio.timeout(HAPPENS_WITHIN_S), host(tmp_path, f'server = "http://127.0.0.1:{port}"\n'):
        pass
