"""A person's own agents: registered, published, given tokens, told notes, given away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import jwt
import msgspec
import pytest
from websockets.asyncio.client import connect

from gameserver.http import agents
from gameserver.http.documents.of_agents import AGENTS
from gameserver.table.commands import PlayerId
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from tests.http.world import World, live, opened_world
from tests.system.process import HAPPENS_WITHIN_S, Player, entered, socket_url, until

FAST: Final[dict[str, Any]] = {"turnMs": 60_000, "maxSeats": 3}


async def test_a_new_agent_is_as_described(world: World) -> None:
    """With no version, no seat and nothing deployed."""
    made = (await world.ask("POST", "/agents", {"name": "Rocky"}, user="olga")).json()
    described = msgspec.to_builtins(AGENTS["POST /agents"].answers[0].example)
    assert made.keys() == described.keys()
    for shown in (made, described):
        assert (shown["sitsAt"], shown["versions"], shown["hosting"]) == ([], [], {"seats": []})


async def test_a_bot_author_needs_two_requests(world: World) -> None:
    """Register, and get a token: that it is not hosted is what the token says."""
    made = await world.ask("POST", "/agents", {"name": "Rocky"}, user="olga")
    assert made.status_code == 201
    agent = made.json()
    assert (agent["name"], agent["owner"], agent["versions"], agent["sitsAt"]) == ("Rocky", "olga", [], [])
    issued = (await world.ask("POST", f"/agents/{agent['agentId']}/tokens", user="olga")).json()
    claims = jwt.decode(issued["agentToken"], options={"verify_signature": False})
    assert (claims["sub"], claims["owner"], claims["aud"]) == (agent["agentId"], "olga", "railbird-agent")
    assert "hosted" not in claims and claims["exp"] * 1_000 == issued["expiresAt"]
    shown = (await world.ask("GET", f"/agents/{agent['agentId']}", user="olga")).json()
    assert [version["agentVersionId"] for version in shown["versions"]] == [claims["ver"]]
    listed = (await world.ask("GET", "/agents", user="olga")).json()["agents"]
    assert [each["agentId"] for each in listed] == [agent["agentId"]]


async def test_versions_are_published_as_they_are(world: World) -> None:
    """Numbered, kept, and each token names one of them; what is asked for a token is no version of another agent."""
    agent_id, other = await world.agent(), await world.agent(name="Other")
    content = {
        "strategy": "Tight.\n",
        "skills": ["count outs"],
        "model": "house",
        "temperature": 0.5,
        "seed": -7,
        "maxTokens": 300,
    }
    first = await world.ask("POST", f"/agents/{agent_id}/versions", content, user="olga")
    second = await world.ask("POST", f"/agents/{agent_id}/versions", {"strategy": "Loose."}, user="olga")
    assert (first.status_code, first.json()["number"], second.json()["number"]) == (201, 1, 2)
    shown = (await world.ask("GET", f"/agents/{agent_id}", user="olga")).json()["versions"]
    assert shown[0]["content"] == content
    for wanted, version in (({}, second), ({"agentVersionId": first.json()["agentVersionId"]}, first)):
        issued = (await world.ask("POST", f"/agents/{agent_id}/tokens", wanted, user="olga")).json()
        assert issued["agentVersionId"] == version.json()["agentVersionId"]
    foreign = {"agentVersionId": first.json()["agentVersionId"]}
    assert (await world.ask("POST", f"/agents/{other}/tokens", foreign, user="olga")).status_code == 404


@pytest.mark.parametrize("name", ["", "dealer", "Seat 3", "a\nb", "x" * 33, "\u0430dmin", 7])
async def test_an_agent_has_a_name_that_speaks_for_nobody_else(world: World, name: object) -> None:
    """Refused rather than repaired."""
    answer = await world.ask("POST", "/agents", {"name": name}, user="olga")
    assert answer.status_code == 422
    assert (await world.ask("GET", "/agents", user="olga")).json() == {"agents": []}


async def test_somebody_elses_agent_is_not_there(world: World) -> None:
    """For every route, as one that does not exist, and as what is no id at all (F32)."""
    theirs = await world.agent("otto", "Otter")
    answers = []
    for agent_id in (theirs, "none-such", "%00", "a%2fb", "%2e%2e%2fx", "x" * 10_000, "%ff", "٣", "-1", "1e3"):
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/versions", {"strategy": "mine"}),
            ("POST", "/tokens", {}),
            ("POST", "/transfer", {"toUserId": "olga"}),
            ("POST", "/notes", {"text": "fold"}),
        ):
            answers.append(await world.ask(method, f"/agents/{agent_id}{path}", body, user="olga"))
    assert {answer.status_code for answer in answers} == {404}
    bodies = {answer.content for answer in answers}
    assert len(bodies) == 1
    assert (await world.ask("GET", f"/agents/{theirs}", user="otto")).json()["versions"] == []


async def test_a_token_lasts_as_long_as_was_asked(world: World) -> None:
    """From one day to ninety, which is the longest that is taken."""
    agent_id = await world.agent()
    for days, status in ((1, 201), (90, 201), (0, 422), (91, 422), ("1", 422)):
        answer = await world.ask("POST", f"/agents/{agent_id}/tokens", {"days": days}, user="olga")
        assert answer.status_code == status


@asynccontextmanager
async def at_the_table(world: World, base: str, table_id: str, name: str, seat: int) -> AsyncIterator[Player]:
    """An agent of an owner of the same name, seated."""
    token = await world.issued(await world.agent(name, name.title()), name)
    async with entered(base, TableId(table_id), token) as player:
        answer = await player.ask("sit", seat=seat, buyIn=400)
        assert answer["type"] == "ack", answer
        yield player


async def agent_of(player: Player) -> str:
    """Whose connection it is, as everybody sees it."""

    def seated() -> list[dict[str, Any]]:
        states = [m.get("state", m) for m in player.messages if m["type"] in ("game_state", "snapshot")]
        return [state for state in states if "yourSeat" in state]

    await until(lambda: bool(seated()))
    state = seated()[-1]
    found: str = next(seat["agentId"] for seat in state["seats"] if seat["seat"] == state["yourSeat"])
    return found


async def is_owned_by(world: World, agent_id: str, owner: str) -> None:
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while (await world.ask("GET", f"/agents/{agent_id}", user=owner)).status_code != 200:  # noqa: ASYNC110 - asked from outside
            await asyncio.sleep(0.01)


async def test_a_note_comes_before_anything_of_the_next_hand(world: World) -> None:
    """Once, to the agent and to nobody else, under the number of the hand that begins."""
    table_id = await world.table(**FAST)
    async with live(world) as base, at_the_table(world, base, table_id, "ann", 0) as ann:
        agent_id = await agent_of(ann)
        taken = await world.ask("POST", f"/agents/{agent_id}/notes", {"text": "Bet the river."}, user="ann")
        assert (taken.status_code, taken.json()) == (201, {"agentId": agent_id, "takesEffect": "next_hand"})
        async with at_the_table(world, base, table_id, "bob", 1) as bob:
            note = await ann.sees("note")
            assert (note["text"], note["handNumber"]) == ("Bet the river.", 1)
            await ann.sees("hand_started")
            assert ann.kinds().index("note") < ann.kinds().index("hand_started")
            await ann.play_from_now()
            await bob.play_from_now()
            await until(lambda: ann.kinds().count("hand_started") >= 3)
            assert ann.kinds().count("note") == 1
            assert "Bet the river." not in json.dumps(bob.messages)


async def test_a_note_waits_for_an_agent_whose_line_is_down(tmp_path: Path) -> None:
    """Over a restart too, until a hand begins with its agent there to hear it."""
    async with opened_world(tmp_path) as world:
        agent_id = await world.agent("ann", "Ann")
        taken = await world.ask("POST", f"/agents/{agent_id}/notes", {"text": "Later."}, user="ann")
        assert taken.status_code == 201
        table_id = await world.table(**FAST)
    async with opened_world(tmp_path) as world, live(world) as base:
        token = await world.issued(agent_id, "ann")
        async with (
            at_the_table(world, base, table_id, "bob", 1),
            entered(base, TableId(table_id), token) as ann,
        ):
            await ann.ask("sit", seat=0, buyIn=400)
            assert (await ann.sees("note"))["text"] == "Later."


async def test_a_note_waits_while_its_agent_sits_at_a_revealing_table(world: World) -> None:
    """A new one is refused (409) and does not come later; one from before comes when it sits where nothing is shown."""
    revealing, closed = await world.table(**FAST, showHands=True), await world.table(**FAST)
    agent_id = await world.agent("ann", "Ann")
    version = (await world.ask("POST", f"/agents/{agent_id}/versions", {}, user="ann")).json()["agentVersionId"]
    await world.ask("POST", f"/agents/{agent_id}/notes", {"text": "From before."}, user="ann")
    other = await world.agent("bob", "Bob")
    others = (await world.ask("POST", f"/agents/{other}/versions", {}, user="bob")).json()["agentVersionId"]
    tokens = [world.hosted_token(agent_id, "ann", version), world.hosted_token(other, "bob", others)]
    async with live(world) as base:
        async with (
            entered(base, TableId(revealing), tokens[0]) as ann,
            entered(base, TableId(revealing), tokens[1]) as bob,
        ):
            for seat, player in enumerate((ann, bob)):
                assert (await player.ask("sit", seat=seat, buyIn=400))["type"] == "ack"
            refused = await world.ask("POST", f"/agents/{agent_id}/notes", {"text": "They have aces."}, user="ann")
            assert (refused.status_code, refused.json()["code"]) == (409, "whisper_refused")
            assert "aces" not in refused.text
            for player in (ann, bob):
                await player.play_from_now()
            await until(lambda: ann.kinds().count("hand_started") >= 2)
            assert "note" not in ann.kinds()
            await ann.ask("leave")
            await until(lambda: sits_nowhere(world, agent_id))
        async with entered(base, TableId(closed), tokens[0]) as ann, entered(base, TableId(closed), tokens[1]) as bob:
            for seat, player in enumerate((ann, bob)):
                await player.ask("sit", seat=seat, buyIn=400)
            assert (await ann.sees("note"))["text"] == "From before."
            assert ann.kinds().count("note") == 1


def sits_nowhere(world: World, agent_id: str) -> bool:
    return not world.server.floor.sits_at(PlayerId(f"agent:{agent_id}"))


async def test_a_transfer_takes_effect_between_hands(world: World) -> None:
    """In a hand the agent plays on; then it leaves, its tokens are void, its connection is closed, and it is somebody else's."""
    table_id = await world.table(**FAST)
    async with live(world) as base:
        async with (
            at_the_table(world, base, table_id, "ann", 0) as ann,
            at_the_table(world, base, table_id, "bob", 1) as bob,
        ):
            agent_id = await agent_of(ann)
            old = await world.issued(agent_id, "ann")
            await ann.sees("hand_started")
            asked = await world.ask("POST", f"/agents/{agent_id}/transfer", {"toUserId": "zoe"}, user="ann")
            assert (asked.status_code, asked.json()["status"]) == (202, "after_hand")
            assert (await world.ask("GET", f"/agents/{agent_id}", user="ann")).status_code == 200
            assert not any(m.get("cause") == "leave" for m in bob.messages)
            await ann.play_from_now()
            await bob.play_from_now()
            assert await ann.is_closed() == 4401
            assert not any(m.get("cause") for m in bob.messages)
        await is_owned_by(world, agent_id, "zoe")
        assert (await world.ask("GET", f"/agents/{agent_id}", user="ann")).status_code == 404
        shown = await world.ask("GET", f"/agents/{agent_id}", user="zoe")
        assert (shown.json()["owner"], shown.json()["sitsAt"]) == ("zoe", [])
        assert await error_on_entering(base, table_id, old) == "bad_token"
        async with entered(base, TableId(table_id), await world.issued(agent_id, "zoe")):
            pass
    for name in ("ann", "zoe"):
        assert (await world.ask("GET", "/bankroll", user=name)).status_code == 200


async def test_past_hands_stay_with_the_owner_at_the_deal(world: World) -> None:
    """The old owner has the cards of their agent's hand, the new one has not."""
    table_id = await world.table(**FAST)
    async with (
        live(world) as base,
        at_the_table(world, base, table_id, "ann", 0) as ann,
        at_the_table(world, base, table_id, "bob", 1) as bob,
    ):
        agent_id = await agent_of(ann)
        cards = await own_cards(ann)
        await until(lambda: "your_turn" in ann.kinds() + bob.kinds())
        folder = ann if "your_turn" in ann.kinds() else bob
        turn = next(m for m in folder.messages if m["type"] == "your_turn")
        await folder.ask("action", turnId=turn["turnId"], action="fold")
        await world.ask("POST", f"/agents/{agent_id}/transfer", {"toUserId": "zoe"}, user="ann")
        await ann.play_from_now()
        await bob.play_from_now()
        await ann.is_closed()
    path = f"/games/poker/{table_id}/hands/1"
    texts = {name: (await world.ask("GET", path, user=name)).text for name in ("ann", "zoe")}
    assert all(f'"{card}"' in texts["ann"] for card in cards)
    assert not any(f'"{card}"' in texts["zoe"] for card in cards)  # an id has pairs like 8c in it, without quotes


async def own_cards(player: Player) -> list[str]:
    await until(lambda: any("yourHoleCards" in m for m in player.messages))
    found: list[str] = next(m["yourHoleCards"] for m in player.messages if "yourHoleCards" in m)
    return found


async def error_on_entering(base: str, table_id: str, token: str) -> str:
    async with connect(socket_url(base, TableId(table_id)), proxy=None) as socket:
        player = Player(socket)
        await player.say("enter", agentToken=token)
        code: str = (await player.sees("error"))["code"]
        assert await player.is_closed() == 4401
        return code


async def test_an_agent_without_a_seat_changes_hands_at_once(world: World) -> None:
    """There and back again: a token of the first time is void for good, and a new one of the same second is good."""
    agent_id = await world.agent()
    first = await world.issued(agent_id)
    for user, to in (("olga", "zoe"), ("zoe", "olga")):
        answer = await world.ask("POST", f"/agents/{agent_id}/transfer", {"toUserId": to}, user=user)
        assert (answer.status_code, answer.json()["status"]) == (200, "transferred")
    table_id = await world.table()
    async with live(world) as base:
        assert await error_on_entering(base, table_id, first) == "bad_token"
        async with entered(base, TableId(table_id), await world.issued(agent_id)):
            pass


async def test_nobody_is_given_what_is_theirs(world: World) -> None:
    agent_id = await world.agent()
    answer = await world.ask("POST", f"/agents/{agent_id}/transfer", {"toUserId": "olga"}, user="olga")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_value")


async def test_a_person_changes_so_much_at_a_time(world: World) -> None:
    """429 after a burst, for this person and no other; what is read is not counted."""
    statuses = [(await world.ask("POST", "/agents", {"name": "dealer"}, user="olga")).status_code for _ in range(80)]
    assert statuses[0] == 422 and statuses[-1] == 429
    assert (await world.ask("GET", "/agents", user="olga")).status_code == 200
    assert (await world.ask("POST", "/agents", {"name": "Otter"}, user="otto")).status_code == 201


async def test_an_agents_versions_have_so_much_room_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are one answer: who could make it as long as they like could fill the server's memory with a few requests."""
    monkeypatch.setattr(agents, "MOST_VERSION_BYTES_EACH", 100_000)
    agent_id, other = await world.agent(), await world.agent(name="Other")
    long = {"strategy": "x" * 39_000}

    async def publish(to: str, content: dict[str, str]) -> int:
        return (await world.ask("POST", f"/agents/{to}/versions", content, user="olga")).status_code

    assert [await publish(agent_id, long) for _ in range(3)] == [201, 201, 429]
    assert (await publish(agent_id, {"strategy": "short"}), await publish(other, long)) == (201, 201)
    shown = await world.ask("GET", f"/agents/{agent_id}", user="olga")
    assert len(shown.json()["versions"]) == 3 and len(shown.content) < 110_000


async def test_an_agent_of_the_command_line_comes_in_at_once(world: World) -> None:
    """Registered by another process after the server started, it is asked for in the store."""
    people = world.server.people
    await people.create_agent(AgentId("a-cli"), "Cli", UserId("olga"))
    table_id = await world.table()
    token = world.agent_token("a-cli", "olga", "v-cli")
    async with live(world) as base:
        assert await error_on_entering(base, table_id, token) == "bad_token"
        await people.publish_version(AgentId("a-cli"), AgentVersionId("v-cli"), b"{}")
        async with entered(base, TableId(table_id), token):
            pass


async def test_a_tables_new_name_waits_for_the_end_of_the_hand(tmp_path: Path) -> None:
    """Who plays a hand reads nothing new meanwhile; then all are told, and it is so after a restart."""
    async with opened_world(tmp_path) as world:
        table_id = await world.table(**FAST)
        path = f"/games/poker/{table_id}"
        async with (
            live(world) as base,
            at_the_table(world, base, table_id, "ann", 0) as ann,
            at_the_table(world, base, table_id, "bob", 1) as bob,
        ):
            await ann.sees("hand_started")
            changed = await world.ask("PATCH", path, {"name": "Parlour"}, user="olga")
            assert (changed.status_code, changed.json()["rules"]["name"]) == (200, "Kitchen")
            assert "Parlour" not in json.dumps(ann.messages)
            await ann.play_from_now()
            await bob.play_from_now()
            await until(lambda: "Parlour" in json.dumps(ann.messages))
            texts = [json.dumps(message) for message in ann.messages]
            told = next(index for index, text in enumerate(texts) if "Parlour" in text)
            assert ann.kinds().index("hand_result") < told
    async with opened_world(tmp_path) as world:
        assert (await world.ask("GET", path)).json()["rules"]["name"] == "Parlour"


async def test_a_table_that_reveals_is_not_renamed_while_an_agent_sits_there(world: World) -> None:
    """A name would tell it something (409); an empty table may have another one."""
    table_id = await world.table(**FAST, showHands=True)
    path = f"/games/poker/{table_id}"
    assert (await world.ask("PATCH", path, {"name": "Parlour"}, user="olga")).status_code == 200
    agent_id = await world.agent("ann", "Ann")
    version = (await world.ask("POST", f"/agents/{agent_id}/versions", {}, user="ann")).json()["agentVersionId"]
    token = world.hosted_token(agent_id, "ann", version)
    async with live(world) as base, entered(base, TableId(table_id), token) as ann:
        await ann.ask("sit", seat=0, buyIn=400)
        refused = await world.ask("PATCH", path, {"name": "She has aces", "showHands": False}, user="olga")
        assert (refused.status_code, refused.json()["code"]) == (409, "whisper_refused")
        rules = (await world.ask("GET", path)).json()["rules"]
        assert (rules["name"], rules["showHands"]) == ("Parlour", True)
