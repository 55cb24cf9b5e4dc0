"""Every route has its lock (F02): it is on the public list, or it refuses whoever has not its own kind of credential.

The list is compared with the routes of a real server, both ways: a new route without an entry here is red.
"""

from __future__ import annotations

import enum
import secrets
from collections.abc import Iterable, Iterator
from typing import Final

import httpx2
import pytest
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.http.world import OPERATOR, SERVICE_KEY, World, live


class Lock(enum.Enum):
    PUBLIC = enum.auto()
    """Public data only, for anybody: a bad credential gets no more than none."""
    USER = enum.auto()
    SERVICE = enum.auto()
    SOCKET = enum.auto()
    """Opens for anybody and tells nothing before `enter`; a bad credential or a foreign page is refused before the upgrade."""
    SIGN_IN = enum.auto()
    """Takes a credential of its own kind and gives out a session for it."""


LOCKS: Final = {
    "WS /games/poker/{table_id}/ws": Lock.SOCKET,
    "GET /games/poker/{table_id}/stream": Lock.PUBLIC,
    "GET /games/poker/{table_id}/owner-stream": Lock.USER,
    "GET /healthz": Lock.PUBLIC,
    "GET /readyz": Lock.PUBLIC,
    "GET /metrics": Lock.SERVICE,
    "POST /login": Lock.SIGN_IN,
    "POST /logout": Lock.USER,
    "POST /stream-ticket": Lock.USER,
    "GET /signin/{code}": Lock.SIGN_IN,
    "GET /games/poker": Lock.PUBLIC,
    "GET /games/poker/{table_id}": Lock.PUBLIC,
    "POST /games/poker": Lock.USER,
    "PATCH /games/poker/{table_id}": Lock.USER,
    "POST /games/poker/{table_id}/invites": Lock.USER,
    "GET /games/poker/{table_id}/hands": Lock.PUBLIC,
    "GET /games/poker/{table_id}/hands/{number}": Lock.PUBLIC,
    "GET /games/poker/{table_id}/hands/{number}.phh": Lock.PUBLIC,
    "GET /games/poker/{table_id}/hands/{number}.ohh.json": Lock.PUBLIC,
    "POST /agents": Lock.USER,
    "GET /agents": Lock.USER,
    "GET /agents/{agent_id}": Lock.USER,
    "POST /agents/{agent_id}/versions": Lock.USER,
    "POST /agents/{agent_id}/tokens": Lock.USER,
    "POST /agents/{agent_id}/transfer": Lock.USER,
    "POST /agents/{agent_id}/notes": Lock.USER,
    "POST /agents/{agent_id}/deploy": Lock.USER,
    "POST /agents/{agent_id}/seat": Lock.USER,
    "POST /agents/{agent_id}/stop": Lock.USER,
    "GET /agents/{agent_id}/hands/{table_id}/{number}": Lock.USER,
    "POST /agents/{agent_id}/hands/{table_id}/{number}/keep": Lock.USER,
    "DELETE /agents/{agent_id}/hands/{table_id}/{number}": Lock.USER,
    "GET /agents/{agent_id}/hands": Lock.USER,
    "GET /agents/{agent_id}/hands.jsonl": Lock.USER,
    "DELETE /agents/{agent_id}/hands": Lock.USER,
    "GET /bankroll": Lock.USER,
    "POST /internal/bankroll": Lock.SERVICE,
    "POST /internal/tables/{table_id}/cancel-hand": Lock.SERVICE,
    "POST /internal/tables/{table_id}/remove": Lock.SERVICE,
    "POST /internal/revocations": Lock.SERVICE,
    "GET /internal/audit": Lock.SERVICE,
    "GET /internal/agent-capture/hand": Lock.SERVICE,
    "GET /internal/agent-capture/hand-all": Lock.SERVICE,
    "GET /internal/agent-capture/recent": Lock.SERVICE,
    "POST /internal/agent-capture/promote": Lock.SERVICE,
    "GET /api/hosted-agent/agent-capture/hand": Lock.USER,
    "GET /api/hosted-agent/agent-capture/hand-all": Lock.USER,
    "GET /api/hosted-agent/agent-capture/recent": Lock.USER,
    "POST /api/hosted-agent/agent-capture/promote": Lock.USER,
    "GET /schemas/{name}.json": Lock.PUBLIC,
    "GET /openapi.json": Lock.PUBLIC,
    "GET /asyncapi.json": Lock.PUBLIC,
    "GET /llms.txt": Lock.PUBLIC,
    "GET /": Lock.PUBLIC,
    "GET /login": Lock.PUBLIC,
    "GET /tables/{table_id}": Lock.PUBLIC,
    "GET /tables/{table_id}/owner": Lock.USER,
    "MOUNT /static": Lock.PUBLIC,
}


def found(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """Every route as `METHOD path`."""
    for route in routes:
        match route:
            case Route():
                yield from (f"{method} {route.path}" for method in sorted((route.methods or {"?"}) - {"HEAD"}))
            case WebSocketRoute():
                yield f"WS {route.path}"
            case Mount():
                yield f"MOUNT {route.path}"
            case _:
                yield f"? {route}"


async def test_every_route_has_its_lock(world: World) -> None:
    """And every lock its route."""
    assert sorted(found(world.server.app.routes)) == sorted(LOCKS)


def keys_of(*locks: Lock) -> list[str]:
    return [key for key, lock in LOCKS.items() if lock in locks]


async def asked(world: World, key: str, headers: dict[str, str], query: str = "") -> httpx2.Response:
    method, _, path = key.partition(" ")
    table_id = await world.table() if "{table_id}" in path else ""
    agent_id = await world.agent() if "{agent_id}" in path else ""
    path = path.format(table_id=table_id, agent_id=agent_id, number="1", name="index", code="code")
    world.client.cookies.clear()
    return await world.client.request(method, f"{path}{query}", headers=headers)


async def credentials(world: World) -> dict[str, tuple[dict[str, str], str]]:
    """Headers and query by what they are."""
    agent_id = await world.agent("otto", "Otter")
    agent_token = await world.issued(agent_id, "otto")
    user_token, foreign = world.user_token("otto"), secrets.token_urlsafe(40)
    return {
        "nothing": ({}, ""),
        "a wrong token": ({"authorization": f"Bearer {foreign}"}, ""),
        "no bearer": ({"authorization": f"Basic {foreign}"}, ""),
        "a wrong token in the address": ({}, f"?token={foreign}"),
        "a wrong ticket": ({}, f"?ticket={foreign}"),
        "a wrong cookie": ({"cookie": f"railbird_session={foreign}"}, ""),
        "a wrong service key": ({"x-service-key": foreign}, ""),
        "an agent's token": ({"authorization": f"Bearer {agent_token}"}, ""),
        "an agent's token in the address": ({}, f"?token={agent_token}"),
        "an agent's token as the key": ({"x-service-key": agent_token}, ""),
        "a user's token": ({"authorization": f"Bearer {user_token}"}, ""),
        "a user's token twice": ({"authorization": f"Bearer {user_token}"}, f"?token={user_token}"),
        "an operator's token": ({"authorization": f"Bearer {world.user_token(OPERATOR)}"}, ""),
        "a user's token as the key": ({"x-service-key": user_token}, ""),
        "the service key": ({"x-service-key": SERVICE_KEY}, ""),
        "the service key as a token": ({"authorization": f"Bearer {SERVICE_KEY.replace(' ', '-')}"}, ""),
    }


OF_USERS: Final = {"a user's token", "an operator's token"}


@pytest.mark.parametrize("key", keys_of(Lock.USER))
async def test_a_users_route_takes_a_users_credential_and_no_other(world: World, key: str) -> None:
    """Every other is refused alike, whatever was wrong; a cookie that is no good changes nothing either (403 for its page)."""
    refused = set()
    for name, (headers, query) in (await credentials(world)).items():
        answer = await asked(world, key, headers, query)
        if name in OF_USERS:
            assert answer.status_code != 401, name
        elif name == "a wrong cookie" and not key.startswith("GET"):
            assert answer.status_code == 403, name
        else:
            assert answer.headers["cache-control"] == "no-store"
            refused.add((answer.status_code, answer.content))
    assert [status for status, _ in refused] == [401]


@pytest.mark.parametrize("key", keys_of(Lock.SERVICE))
async def test_a_service_route_takes_the_service_key_and_nothing_else(world: World, key: str) -> None:
    """Not even an operator's own token; and all refusals are one."""
    refused = set()
    for name, (headers, query) in (await credentials(world)).items():
        answer = await asked(world, key, headers, query)
        if name == "the service key":
            assert answer.status_code != 401
        else:
            assert answer.headers["cache-control"] == "no-store"
            refused.add((answer.status_code, answer.content))
    assert [status for status, _ in refused] == [401]


ENDLESS: Final = "GET /games/poker/{table_id}/stream"
"""Its answer does not end; tests/net asks it."""


@pytest.mark.parametrize("key", [key for key in keys_of(Lock.PUBLIC) if key != ENDLESS and not key.startswith("MOUNT")])
async def test_a_public_route_gives_a_bad_credential_nothing_more(world: World, key: str) -> None:
    """It is refused, or answered as nobody is."""
    table_id = await world.table()
    path = key.partition(" ")[2].format(table_id=table_id, number="1", name="index")
    nobody = await world.ask("GET", path)
    for headers, query in (await credentials(world)).values():
        answer = await world.client.get(f"{path}{query}", headers=headers)
        assert answer.status_code in (401, nobody.status_code)
        if answer.status_code != 401:
            assert shape_of(answer) == shape_of(nobody)


def shape_of(answer: httpx2.Response) -> object:
    """What an answer says, without what time it is."""
    if answer.headers["content-type"] != "application/json":
        return answer.text
    return sorted(map(str, answer.json()))


@pytest.mark.parametrize("key", keys_of(Lock.SIGN_IN))
async def test_signing_in_takes_its_own_credential(world: World, key: str) -> None:
    """What signs nobody in sets no cookie."""
    for name, (headers, query) in (await credentials(world)).items():
        answer = await asked(world, key, headers, query)
        signed_in = key == "POST /login" and name in OF_USERS | {"a user's token twice"}
        assert answer.status_code == (200 if signed_in else 401), name
        assert ("set-cookie" in answer.headers) is signed_in


FOREIGN_PAGES: Final = (
    "https://evil.example",
    "null",
    "http://railbird.test.evil.example",
    "http://evilrailbird.test",
    "https://railbird.test",
    "http://railbird.test:8000",
)


async def test_f01_a_foreign_page_opens_no_socket(world: World) -> None:
    """403 before the upgrade, also with a credential that is good; a program without an Origin may come in."""
    table_id, token = await world.table(), world.user_token("olga")
    async with live(world) as base:
        url = f"{base.replace('http', 'ws')}games/poker/{table_id}/ws?token={token}"
        for origin in FOREIGN_PAGES:
            assert await refused_handshake(url, origin) == 403
        for own in (None, "http://railbird.test"):
            async with connect(url, origin=own, proxy=None) as socket:  # type: ignore[arg-type]
                assert "hello" in str(await socket.recv())


async def test_a_socket_takes_no_bad_credential(world: World) -> None:
    """401 before the upgrade, for every kind of one."""
    table_id = await world.table()
    agent_token = await world.issued(await world.agent())
    async with live(world) as base:
        url = f"{base.replace('http', 'ws')}games/poker/{table_id}/ws"
        for query in ("?token=x", "?ticket=x", f"?token={agent_token}", "?token=x&ticket=y"):
            assert await refused_handshake(f"{url}{query}", None) == 401


async def refused_handshake(url: str, origin: str | None) -> int:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, origin=origin, proxy=None):  # type: ignore[arg-type]
            pass
    return refused.value.response.status_code


@pytest.mark.parametrize("origin", FOREIGN_PAGES)
async def test_f01_no_route_lets_a_foreign_page_read(world: World, origin: str) -> None:
    """No answer names another origin, or any with credentials; a preflight is answered by nothing that allows."""
    for method, path in (
        ("GET", "/games/poker"),
        ("GET", "/bankroll"),
        ("OPTIONS", "/games/poker"),
        ("POST", "/login"),
    ):
        headers = {**world.be("olga"), "origin": origin, "access-control-request-method": "POST"}
        answer = await world.client.request(method, path, headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
