"""What an owner does with an agent that is hosted: deploy, seat, stop; asked over HTTP, at real tables."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httpx2
import pytest

from gameserver.identity import ids
from policy.ids import AgentId, TableId, UserId
from railbird.agenthost.http import requests
from railbird.agenthost.registry import deployments
from tests.http.test_agents import FAST, at_the_table, error_on_entering, sits_nowhere
from tests.http.world import World, live
from tests.system.process import HAPPENS_WITHIN_S, entered, until

SEAT: Final[dict[str, Any]] = {"buyIn": 400, "seat": 0}
NOTHING: Final[dict[str, Any]] = {"seats": []}


async def post(world: World, agent_id: str, what: str, body: object = None, user: str = "ann") -> httpx2.Response:
    return await world.ask("POST", f"/agents/{agent_id}/{what}", body, user=user)


async def published(world: World, agent_id: str, user: str = "ann", **content: object) -> str:
    answer = await post(world, agent_id, "versions", content, user)
    version: str = answer.json()["agentVersionId"]
    return version


async def hosting(world: World, agent_id: str, user: str = "ann") -> dict[str, Any]:
    answer = await world.ask("GET", f"/agents/{agent_id}", user=user)
    shown: dict[str, Any] = answer.json()["hosting"]
    return shown


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_an_id_is_what_the_table_server_says() -> None:
    """The two rooms write it each for itself."""
    assert requests.ID == ids.THING


async def test_a_version_is_deployed_and_shown(world: World) -> None:
    """The last one counts; one that is deployed already changes nothing; somebody else's is not there."""
    agent_id = await world.agent("ann")
    assert await hosting(world, agent_id) == NOTHING
    first, second = await published(world, agent_id), await published(world, agent_id, strategy="Wait.")
    for version in (first, second):
        answer = await post(world, agent_id, "deploy", {"agentVersionId": version})
        assert (answer.status_code, answer.json()["takesEffect"]) == (200, "next_hand")
    again = await post(world, agent_id, "deploy", {"agentVersionId": second})
    assert (again.json()["takesEffect"], again.json()["deployedAt"]) == ("now", answer.json()["deployedAt"])
    shown = await hosting(world, agent_id)
    assert (shown["agentVersionId"], shown["host"]) == (second, "no_host")
    foreign = await published(world, await world.agent("bob", "Bob"), "bob")
    assert code_of(await post(world, agent_id, "deploy", {"agentVersionId": foreign})) == (404, "not_found")
    assert (await hosting(world, agent_id))["agentVersionId"] == second


async def test_somebody_elses_agent_is_not_deployed(world: World) -> None:
    """As one that does not exist, whatever is asked; and nothing of it happens."""
    agent_id, table_id = await world.agent("ann"), await world.table()
    version = await published(world, agent_id)
    answers = []
    for named in (agent_id, "none-such", "%00", "x" * 10_000):
        answers.append(await post(world, named, "deploy", {"agentVersionId": version}, "bob"))
        answers.append(await post(world, named, "seat", {"tableId": table_id, **SEAT}, "bob"))
        answers.append(await post(world, named, "stop", {"x": 1}, "bob"))
    assert {code_of(answer) for answer in answers} == {(404, "not_found")}
    assert len({answer.content for answer in answers}) == 1
    assert await hosting(world, agent_id) == NOTHING


async def test_where_no_host_runs_the_answer_says_so(world: World) -> None:
    """The wish is kept, and the newest version deployed with it."""
    agent_id, table_id = await world.agent("ann"), await world.table()
    asked = {"tableId": table_id, **SEAT}
    assert code_of(await post(world, agent_id, "seat", asked)) == (422, "bad_value")  # there is no version to play
    await published(world, agent_id)
    version = await published(world, agent_id, model="small")
    answer = await post(world, agent_id, "seat", asked)
    assert (answer.status_code, answer.json()["status"], answer.json()["agentVersionId"]) == (202, "no_host", version)
    shown = await hosting(world, agent_id)
    (seat,) = shown["seats"]
    assert (seat["tableId"], seat["seat"], seat["buyIn"], seat["hosted"]) == (table_id, 0, 400, False)
    stopped = await post(world, agent_id, "stop")
    assert (stopped.status_code, stopped.json()) == (
        200,
        {"agentId": agent_id, "tables": [table_id], "status": "stopped"},
    )
    shown = await hosting(world, agent_id)
    assert (shown["seats"], shown["agentVersionId"]) == ([], version)


@pytest.mark.parametrize(
    ("table", "version", "asked", "refused"),
    [
        ({"tableKind": "human"}, {}, {}, (422, "table_kind")),
        ({"showHands": True}, {"model": "small"}, {}, (422, "seat_needs_hosted_agent")),
        ({}, {}, {"seat": 6}, (422, "no_such_seat")),
        ({}, {}, {"seat": -1}, (422, "no_such_seat")),
        ({}, {}, {"buyIn": 399}, (422, "buy_in_below_min")),
        ({}, {}, {"buyIn": 0}, (422, "out_of_range")),
        ({}, {}, {"buyIn": "all"}, (422, "bad_type")),
        ({}, {}, {"tableId": "none-such"}, (404, "not_found")),
        ({}, {}, {"tableId": "a/b"}, (422, "bad_value")),
        ({}, {}, {"owner": "ann"}, (422, "unknown_field")),
        ({"private": True}, {}, {}, (404, "not_found")),
    ],
)
async def test_where_it_may_not_sit_it_is_not_sent(
    world: World, table: dict[str, Any], version: dict[str, Any], asked: dict[str, Any], refused: tuple[int, str]
) -> None:
    """Nothing is deployed and nothing wished."""
    agent_id, table_id = await world.agent("ann"), await world.table(**table)
    await published(world, agent_id, **version)
    assert code_of(await post(world, agent_id, "seat", {"tableId": table_id, **SEAT, **asked})) == refused
    assert await hosting(world, agent_id) == NOTHING


async def test_an_owners_agents_have_so_many_seats_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host waits at a full table with a connection: who could send it to any number of them could take all of a server's."""
    monkeypatch.setattr(deployments, "MOST_SEATS_OF_AN_OWNER", 3)
    tables = [await world.table() for _ in range(3)]
    first, second, foreign = [
        await world.agent(owner, name) for owner, name in (("ann", "A"), ("ann", "B"), ("bob", "C"))
    ]

    async def send(agent_id: str, table_id: str, owner: str = "ann") -> int:
        return (await post(world, agent_id, "seat", {"tableId": table_id, **SEAT}, owner)).status_code

    for agent_id, owner in ((first, "ann"), (second, "ann"), (foreign, "bob")):
        await published(world, agent_id, owner)
    assert [await send(first, tables[0]), await send(first, tables[1]), await send(second, tables[0])] == [202] * 3
    answer = await post(world, second, "seat", {"tableId": tables[1], **SEAT})
    assert code_of(answer) == (429, "rate_limited")
    assert [seat["tableId"] for seat in (await hosting(world, second))["seats"]] == [tables[0]]
    assert (await send(second, tables[0]), await send(foreign, tables[1], "bob")) == (202, 202)
    assert (await post(world, first, "stop")).status_code == 200
    assert await send(second, tables[1]) == 202


async def test_nothing_is_moved_towards_an_agent_at_a_revealing_table(world: World) -> None:
    """No other version, and no other table; a stop is no information, and is taken."""
    revealing, closed = await world.table(**FAST, showHands=True), await world.table(**FAST)
    agent_id = await world.agent("ann", "Ann")
    first = await published(world, agent_id)
    assert (await post(world, agent_id, "deploy", {"agentVersionId": first})).status_code == 200
    second = await published(world, agent_id, strategy="She has aces.")
    token = world.hosted_token(agent_id, "ann", first)
    async with live(world) as base, entered(base, TableId(revealing), token) as ann:
        assert (await ann.ask("sit", seat=0, buyIn=400))["type"] == "ack"
        refused = await post(world, agent_id, "deploy", {"agentVersionId": second})
        assert code_of(refused) == (409, "whisper_refused") and "aces" not in refused.text
        sent = await post(world, agent_id, "seat", {"tableId": closed, **SEAT})
        assert code_of(sent) == (409, "whisper_refused")
        same = await post(world, agent_id, "deploy", {"agentVersionId": first})
        assert (same.status_code, same.json()["takesEffect"]) == (200, "now")
        assert (await hosting(world, agent_id))["agentVersionId"] == first
        assert (await post(world, agent_id, "stop")).json()["status"] == "stopped"
        await until(lambda: sits_nowhere(world, agent_id))
    assert (await post(world, agent_id, "deploy", {"agentVersionId": second})).status_code == 200


async def test_a_stopped_agent_plays_its_hand_out(world: World) -> None:
    """An owner's stop folds nothing; when the hand is over the seat is free."""
    table_id = await world.table(**FAST)
    async with (
        live(world) as base,
        at_the_table(world, base, table_id, "ann", 0) as ann,
        at_the_table(world, base, table_id, "bob", 1) as bob,
    ):
        await ann.sees("hand_started")
        agent_id = (await world.ask("GET", "/agents", user="ann")).json()["agents"][0]["agentId"]
        stopped = await post(world, agent_id, "stop")
        assert (stopped.status_code, stopped.json()["status"]) == (202, "after_hand")
        await ann.play_from_now()
        await bob.play_from_now()
        await until(lambda: sits_nowhere(world, agent_id))
        await bob.sees("hand_result")
        assert not any(message.get("cause") for message in bob.messages if message["type"] == "player_action")


async def test_a_sold_agent_is_deployed_nowhere(world: World) -> None:
    """What its last owner wished is void, also what they wished while the sale waited for the end of the hand."""
    table_id, other = await world.table(**FAST), await world.table(**FAST)
    async with (
        live(world) as base,
        at_the_table(world, base, table_id, "ann", 0) as ann,
        at_the_table(world, base, table_id, "bob", 1) as bob,
    ):
        await ann.sees("hand_started")
        agent_id = (await world.ask("GET", "/agents", user="ann")).json()["agents"][0]["agentId"]
        assert (await post(world, agent_id, "transfer", {"toUserId": "zoe"})).json()["status"] == "after_hand"
        assert (await post(world, agent_id, "seat", {"tableId": other, **SEAT})).status_code == 202
        await ann.play_from_now()
        await bob.play_from_now()
        assert await ann.is_closed() == 4401
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while (await world.ask("GET", f"/agents/{agent_id}", user="zoe")).status_code != 200:  # noqa: ASYNC110 - asked from outside
            await asyncio.sleep(0.01)
    assert await hosting(world, agent_id, "zoe") == NOTHING


async def test_an_agent_that_sits_there_is_not_sent_there(world: World) -> None:
    """Whoever runs it."""
    table_id = await world.table(**FAST)
    async with live(world) as base, at_the_table(world, base, table_id, "ann", 0):
        agent_id = (await world.ask("GET", "/agents", user="ann")).json()["agents"][0]["agentId"]
        answer = await post(world, agent_id, "seat", {"tableId": table_id, **SEAT})
        assert code_of(answer) == (422, "already_seated")


async def test_a_token_of_before_a_sale_is_void_for_a_host_too(world: World) -> None:
    """A host that was not told yet gets in no more."""
    agent_id, table_id = await world.agent("ann"), await world.table()
    token = world.hosted_token(agent_id, "ann", await published(world, agent_id))
    assert (await post(world, agent_id, "transfer", {"toUserId": "zoe"})).json()["status"] == "transferred"
    async with live(world) as base:
        assert await error_on_entering(base, table_id, token) == "bad_token"
    assert AgentId(agent_id) not in {each.agent_id for each in await world.server.people.agents_of(UserId("ann"))}


async def test_who_is_on_its_way_to_a_revealing_table_is_told_nothing(world: World) -> None:
    """Between the wish and the seat neither another version nor another table; another seat there is no news to it."""
    revealing, closed = await world.table(showHands=True), await world.table()
    agent_id = await world.agent("ann")
    await published(world, agent_id)
    assert (await post(world, agent_id, "seat", {"tableId": revealing, **SEAT})).status_code == 202
    second = await published(world, agent_id, strategy="She has aces.")
    assert code_of(await post(world, agent_id, "deploy", {"agentVersionId": second})) == (409, "whisper_refused")
    assert code_of(await post(world, agent_id, "seat", {"tableId": closed, **SEAT})) == (409, "whisper_refused")
    assert (await post(world, agent_id, "seat", {"tableId": revealing, "buyIn": 500, "seat": 1})).status_code == 202
    assert (await post(world, agent_id, "stop")).json()["tables"] == [revealing]
    assert (await post(world, agent_id, "deploy", {"agentVersionId": second})).status_code == 200
