"""Every shape of tests/hostile/tokens.json, shown where the file says, to a server that is open at its most talkative log level."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final

import pytest

from gameserver.identity.keys import KeyUse, new_key
from policy.ids import AgentId, AgentVersionId, UserId
from tests.faults.wire import Answer, HandshakeRefused, connect
from tests.faults.world import HOST, Stage, World, world
from tests.hostile.tokens import Forge, HostileToken, hostile_tokens

SHAPES: Final = hostile_tokens()
AGENT: Final = AgentId("river-rat")
OWNER: Final = UserId("olga")
VERSION: Final = AgentVersionId("river-rat-v1")
OTHER_AGENT: Final = AgentId("nit-42")
OTHER_OWNER: Final = UserId("otto")
LIMIT_BEFORE_ENTER: Final = 4_096


@dataclass
class Desk:
    """A server, a table, and every refusal that it has given so far, by the place where the token was shown."""

    world: World
    stage: Stage
    refusals: dict[str, set[object]] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    async with world(tmp_path_factory.mktemp("tokens"), level="debug") as now:
        people = now.server.people
        for agent, owner, version in ((AGENT, OWNER, VERSION), (OTHER_AGENT, OTHER_OWNER, "nit-42-v1")):
            await people.create_agent(agent, agent, owner)
            await people.publish_version(agent, AgentVersionId(version), b"{}")
        desk = Desk(now, await now.stage())
        yield desk
        for token in desk.tokens:
            for part in filter(lambda part: len(part) > 40, token.split(".")):
                assert part[:40] not in now.log.text


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
async def test_a_hostile_token_gets_its_answer(shape: HostileToken, desk: Desk) -> None:
    """Taken or refused as the file says; all refusals at one place are the same answer, and none is a fault of ours."""
    forge, shape = forged(shape, desk.world)
    async with desk.stage.undisturbed():
        for place in shape.present:
            token = forge.build(shape)
            desk.tokens.append(token)
            taken, answer = await shown(token, place, shape, desk)
            if taken:
                assert shape.expect == "accepted" or shape.also_allowed.startswith("accepted"), shape.why
            else:
                assert "refused" in (shape.expect, shape.also_allowed), shape.why
                desk.refusals.setdefault(place, set()).add(answer)
                desk.refusals[place].discard("too long to be read")


async def test_all_refusals_look_the_same(desk: Desk) -> None:
    """At each place one answer, whatever was wrong; nothing of any token is in it (the log is read when the server ends)."""
    assert {"enter", "ws_query", "sse_query", "bearer"} <= desk.refusals.keys()
    assert {place: len(answers) for place, answers in desk.refusals.items()} == dict.fromkeys(desk.refusals, 1)


async def test_a_claim_of_another_name_proves_nothing(desk: Desk) -> None:
    """`userId` in a token is not who it is: `sub` is (tok-60)."""
    forge, shape = forged(next(shape for shape in SHAPES if shape.id == "tok-60"), desk.world)
    answer = await desk.world.get("/bankroll", [("Authorization", f"Bearer {forge.build(shape)}")])
    assert json.loads(answer.body)["userId"] == "ursula"


# --- showing --------------------------------------------------------------------------------------------------------------


async def shown(token: str, place: str, shape: HostileToken, desk: Desk) -> tuple[bool, object]:
    """Show a token; whether it was taken, and the refusal as far as it must be the same for all."""
    header = ("Authorization", f"Bearer {token}")
    if "header_value_joined_twice" in shape.then:
        header = ("Authorization", f"Bearer {token}, Bearer {token}")
    match place:
        case "enter":
            return await at_enter(token, desk)
        case "ws_query":
            return await at_handshake(f"?token={token}", [], desk)
        case "ws_query+bearer_other":
            other = desk.world.user_token("somebody-else")
            return await at_handshake(f"?token={token}", [("Authorization", f"Bearer {other}")], desk)
        case "sse_query":
            path = f"/games/poker/{desk.stage.table}/owner-stream?token={token}"
            return taken_unless_401(await desk.world.get(path))
        case "bearer":
            return taken_unless_401(await desk.world.get("/bankroll", [header]))
        case _:
            raise AssertionError(f"no such place: {place}")


async def at_enter(token: str, desk: Desk) -> tuple[bool, object]:
    peer = await desk.world.connect(desk.stage.table)
    peer.say("enter", agentToken=token)
    if len(token) > LIMIT_BEFORE_ENTER:
        assert await peer.is_closed() == 1009
        return False, "too long to be read"
    message = await peer.sees(lambda m: m["type"] in ("snapshot", "error"))
    if message["type"] == "snapshot":
        await peer.leave()
        return True, None
    assert await peer.is_closed() == 4401
    assert message["code"] == "bad_token"
    return False, (json.dumps(message), peer.close_reason)


async def at_handshake(query: str, headers: list[tuple[str, str]], desk: Desk) -> tuple[bool, object]:
    try:
        peer = await connect(HOST, desk.world.port, f"/games/poker/{desk.stage.table}/ws{query}", headers)
    except HandshakeRefused as refused:
        assert refused.answer.status == 401
        return False, refused.answer.same_for_all
    desk.world.peers.append(peer)
    peer.say("enter")
    await peer.sees(lambda m: m["type"] == "snapshot")
    await peer.leave()
    return True, None


def taken_unless_401(answer: Answer) -> tuple[bool, object]:
    assert answer.status in (200, 401, 403)
    return answer.status != 401, answer.same_for_all


# --- forging --------------------------------------------------------------------------------------------------------------


def forged(shape: HostileToken, world: World) -> tuple[Forge, HostileToken]:
    """`agent_key` is the hosting key where the token says hosted; such a token has a model (README.md)."""
    signing, hosted = world.keys.signing, shape.claims.get("hosted") is True
    agent_key = signing[KeyUse.HOSTING if hosted else KeyUse.AGENT]
    retired, self_hoster = new_key(KeyUse.AGENT), new_key(KeyUse.AGENT)
    keys = {
        "agent_key": agent_key.private,
        "agent_key_of_self_hoster": self_hoster.private,
        "retired_agent_key": retired.private,
        "user_key": signing[KeyUse.USER].private,
    }
    values = {
        "AGENT_KID": agent_key.key_id,
        "RETIRED_KID": retired.key_id,
        "USER_KID": signing[KeyUse.USER].key_id,
        "USER_ALG": "EdDSA",
        "AGENT": AGENT,
        "OTHER_AGENT": OTHER_AGENT,
        "OWNER": OWNER,
        "OTHER_OWNER": OTHER_OWNER,
        "USER": "ursula",
        "OTHER_USER": "umberto",
        "VERSION": VERSION,
        "ISS": "railbird",
        "USER_AUD": "railbird-user",
    }
    numbers = itertools.count()
    forge = Forge(keys, values, int(time.time()), lambda: f"jti-{next(numbers)}")
    return forge, replace(shape, claims={**shape.claims, "model": "house"} if hosted else shape.claims)
