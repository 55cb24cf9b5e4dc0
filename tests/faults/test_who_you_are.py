"""A. Who are you: F01 and F02, foreign pages and locks, on every route that the application has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest
from starlette.routing import Mount, Route, WebSocketRoute

from tests.faults.wire import Answer, HandshakeRefused, connect
from tests.faults.world import HOST, OUR_ORIGIN, SERVICE_KEY, Stage, World

FOREIGN: Final = (
    "https://evil.example",
    "null",
    "https://ours.example.evil.example",
    "https://evilours.example",
    "http://ours.example",
    "https://ours.example:8443",
    "https://ours.example@evil.example",
    "https://OURS.example.",
    "file://",
    "",
)

OPEN, USER, SERVICE, OWNER, SIGN_IN, SOCKET = "open", "user", "service", "owner", "sign_in", "socket"
PAGE: Final = "page"
"""Of somebody who is signed in, as HTML: a browser is shown a page, and no more than that."""
LOCKS: Final = {
    "GET /healthz": OPEN,
    "GET /readyz": OPEN,
    "GET /games/poker": OPEN,
    "GET /games/poker/{table_id}": OPEN,
    "GET /games/poker/{table_id}/stream": OPEN,
    "GET /games/poker/{table_id}/hands": OPEN,
    "GET /games/poker/{table_id}/hands/{number}": OPEN,
    "GET /games/poker/{table_id}/hands/{number}.phh": OPEN,
    "GET /games/poker/{table_id}/hands/{number}.ohh.json": OPEN,
    "GET /schemas/{name}.json": OPEN,
    "GET /openapi.json": OPEN,
    "GET /asyncapi.json": OPEN,
    "GET /llms.txt": OPEN,
    "GET /": OPEN,
    "GET /login": OPEN,
    "GET /tables/{table_id}": OPEN,
    "GET /tables/{table_id}/owner": PAGE,
    "GET /games/poker/{table_id}/owner-stream": OWNER,
    "POST /games/poker": USER,
    "PATCH /games/poker/{table_id}": USER,
    "POST /games/poker/{table_id}/invites": USER,
    "GET /agents": USER,
    "POST /agents": USER,
    "GET /agents/{agent_id}": USER,
    "POST /agents/{agent_id}/versions": USER,
    "POST /agents/{agent_id}/tokens": USER,
    "POST /agents/{agent_id}/transfer": USER,
    "POST /agents/{agent_id}/notes": USER,
    "POST /agents/{agent_id}/deploy": USER,
    "POST /agents/{agent_id}/seat": USER,
    "POST /agents/{agent_id}/stop": USER,
    "GET /agents/{agent_id}/hands/{table_id}/{number}": USER,
    "POST /agents/{agent_id}/hands/{table_id}/{number}/keep": USER,
    "DELETE /agents/{agent_id}/hands/{table_id}/{number}": USER,
    "GET /agents/{agent_id}/hands": USER,
    "GET /agents/{agent_id}/hands.jsonl": USER,
    "DELETE /agents/{agent_id}/hands": USER,
    "GET /api/hosted-agent/agent-capture/hand": USER,
    "GET /api/hosted-agent/agent-capture/hand-all": USER,
    "GET /api/hosted-agent/agent-capture/recent": USER,
    "POST /api/hosted-agent/agent-capture/promote": USER,
    "GET /bankroll": USER,
    "POST /stream-ticket": USER,
    "POST /logout": USER,
    "POST /login": SIGN_IN,
    "GET /signin/{code}": SIGN_IN,
    "GET /metrics": SERVICE,
    "POST /internal/bankroll": SERVICE,
    "POST /internal/tables/{table_id}/cancel-hand": SERVICE,
    "POST /internal/tables/{table_id}/remove": SERVICE,
    "POST /internal/revocations": SERVICE,
    "GET /internal/audit": SERVICE,
    "GET /internal/agent-capture/hand": SERVICE,
    "GET /internal/agent-capture/hand-all": SERVICE,
    "GET /internal/agent-capture/recent": SERVICE,
    "POST /internal/agent-capture/promote": SERVICE,
    "WS /games/poker/{table_id}/ws": SOCKET,
}
"""Every route and its lock. A route that is not here has no decision, and fails the test."""
STATIC: Final = ("/static",)


@dataclass(frozen=True, slots=True)
class Credential:
    """Something to show. `query`: what stands in the address."""

    name: str
    headers: Sequence[tuple[str, str]] = ()
    query: str = ""


def routes_of(app: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route there is."""
    for route in app.routes:
        match route:
            case WebSocketRoute():
                yield "WS", prefix + route.path
            case Route():
                for method in sorted(set(route.methods or ()) - {"HEAD"}):
                    yield method, prefix + route.path
            case Mount(path=path) if path in STATIC:
                yield "STATIC", prefix + path
            case Mount():
                yield from routes_of(route, prefix + route.path)
            case _:
                raise AssertionError(f"a route of a kind that has no decision: {route!r}")


def routes(now: World, *locks: str) -> list[tuple[str, str]]:
    return [(method, path) for method, path in routes_of(now.server.app) if LOCKS.get(f"{method} {path}") in locks]


def filled(path: str, stage: Stage) -> str:
    """The path, at things that exist."""
    for name, value in {
        "table_id": stage.table,
        "agent_id": f"A-{stage.number}",
        "number": "1",
        "name": "inbound",
        "code": "no-such-code",
    }.items():
        path = path.replace("{" + name + "}", value)
    return path


def credentials(stage: Stage) -> dict[str, Credential]:
    """What a route may be shown, right and wrong."""
    now = stage.world
    user, agent = now.user_token("somebody"), stage.tokens["A"]
    return {
        credential.name: credential
        for credential in (
            Credential("none"),
            Credential("garbage", [("Authorization", "Bearer a.b.c")]),
            Credential("basic", [("Authorization", "Basic dXNlcjpwYXNz")]),
            Credential("two", [("Authorization", f"Bearer {user}"), ("Authorization", f"Bearer {user}")]),
            Credential("agent", [("Authorization", f"Bearer {agent}")]),
            Credential("agent in the query", (), f"?token={agent}"),
            Credential("user", [("Authorization", f"Bearer {user}")]),
            Credential("service", [("x-service-key", SERVICE_KEY)]),
            Credential("service as a token", [("Authorization", f"Bearer {SERVICE_KEY}")]),
            Credential("wrong service", [("x-service-key", SERVICE_KEY[:-1] + "x")]),
            Credential("service twice", [("x-service-key", SERVICE_KEY), ("x-service-key", SERVICE_KEY)]),
            Credential("user as a service key", [("x-service-key", user)]),
            Credential("ticket", (), "?ticket=no-such-ticket"),
            Credential("cookie", [("Cookie", "railbird_session=no-such-session")]),
        )
    }


async def ask(now: World, method: str, path: str, shown: Credential, **headers: str) -> Answer:
    body = b"" if method == "GET" else b"{}"
    return await now.send(method, path + shown.query, [*shown.headers, *headers.items()], body)


# --- F01 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", FOREIGN)
async def test_f01_a_foreign_web_page_opens_no_socket(origin: str, here: World) -> None:
    """403 and no socket, on every WebSocket route, whatever else is shown."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        open_before = here.server.socket.open_connections
        for _, path in routes(here, SOCKET):
            for query in ("", f"?token={here.user_token('ursula')}"):
                with pytest.raises(HandshakeRefused) as refused:
                    await connect(HOST, here.port, filled(path, stage) + query, [("Origin", origin)])
                assert refused.value.answer.status == 403
        assert here.server.socket.open_connections == open_before


async def test_f01_our_page_and_a_program_get_in_and_prove_themselves(here: World) -> None:
    """An allowed origin and none at all open a socket; two origins do not; entering as an agent still needs its token."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        for headers in ([("Origin", OUR_ORIGIN)], []):
            peer = await here.connect(stage.table, headers=headers)
            peer.say("enter", agentToken="a.b.c")
            assert await peer.is_closed() == 4401
        with pytest.raises(HandshakeRefused) as refused:
            await here.connect(stage.table, headers=[("Origin", OUR_ORIGIN), ("Origin", OUR_ORIGIN)])
        assert refused.value.answer.status in (400, 403)


async def test_f01_no_route_lets_a_foreign_page_read(here: World) -> None:
    """No route reflects a foreign origin or allows everybody, asked plainly or by a preflight; no stream opens for one."""
    stage = await here.quiet_stage()
    user = Credential("user", [("Authorization", f"Bearer {here.user_token('ursula')}")])
    async with stage.undisturbed():
        for method, path in routes_of(here.server.app):
            if method in ("WS", "STATIC"):
                continue
            at = filled(path, stage)
            for shown in (Credential("none"), user):
                answer = await ask(here, method, at, shown, Origin="https://evil.example")
                assert not [name for name, _ in answer.headers if name.startswith("access-control-")], path
                if path.endswith("stream") and method == "GET":
                    assert answer.status == 403
            preflight = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", method)]
            answer = await here.send("OPTIONS", at, preflight)
            assert answer.status >= 400
            assert not [name for name, _ in answer.headers if name.startswith("access-control-")], path


async def test_f01_a_foreign_page_changes_nothing_with_a_visitors_cookie(here: World) -> None:
    """With the cookie of somebody who is signed in: no change from a foreign page, none without the page's own word."""
    stage = await here.quiet_stage()
    bearer = [("Authorization", f"Bearer {here.user_token('ursula')}")]
    signed_in = await here.send("POST", "/login", bearer)
    cookie = (signed_in.header("set-cookie") or "").partition(";")[0]
    assert signed_in.status == 200 and cookie
    async with stage.undisturbed():
        for headers in (
            [("Origin", "https://evil.example")],
            [("Origin", OUR_ORIGIN)],
            [],
            [("Origin", OUR_ORIGIN), ("x-csrf-token", "guessed")],
        ):
            for method, path in routes(here, USER):
                if method == "GET":
                    continue
                answer = await here.send(method, filled(path, stage), [("Cookie", cookie), *headers], b"{}")
                assert answer.status == 403, (path, headers)
        assert (await here.get("/bankroll", [("Cookie", cookie)])).status == 200
    assert (await here.send("POST", "/login", [*bearer, ("Origin", "https://evil.example")])).status == 403


# --- F02 ----------------------------------------------------------------------------------------------------------------


async def test_f02_every_route_has_a_decision(here: World) -> None:
    """The application's routes are all in the list: a new one without a decision fails here."""
    found = {f"{method} {path}" for method, path in routes_of(here.server.app) if method != "STATIC"}
    assert found - LOCKS.keys() == set(), "write down who may come in, and it is tried with every credential"


async def test_f02_a_page_of_ones_own_is_shown_to_nobody_else(here: World) -> None:
    """Without a credential of a person: 401; for a person to whom nothing of it belongs: 403."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        for method, path in routes(here, PAGE):
            for name, shown in credentials(stage).items():
                answer = await ask(here, method, filled(path, stage), shown)
                assert answer.status == (403 if name == "user" else 401), (path, name)


USERS: Final = frozenset({"user"})
SERVICES: Final = frozenset({"service"})


@pytest.mark.parametrize(("lock", "right"), [(USER, USERS), (OWNER, USERS), (SERVICE, SERVICES)])
async def test_f02_every_route_has_its_own_lock(lock: str, right: frozenset[str], here: World) -> None:
    """Without a credential, with a wrong one, with one of another kind: 401, one and the same answer, before anything else."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        refusals = set()
        for method, path in routes(here, lock):
            for name, shown in credentials(stage).items():
                answer = await ask(here, method, filled(path, stage), shown)
                if name in right:
                    assert answer.status != 401, (path, name)
                elif name == "cookie" and method != "GET" and lock == USER:
                    assert answer.status == 403, "a cookie alone changes nothing, whosever it is"
                else:
                    assert answer.status == 401, (method, path, name, answer.status)
                    refusals.add(answer.same_for_all)
        assert len(refusals) == 1


async def test_f02_an_open_route_gives_a_bad_credential_no_more_than_none(here: World) -> None:
    """What is for everybody is the same with a credential of the wrong kind, or refused."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        for method, path in routes(here, OPEN):
            if path.endswith("/stream"):
                continue
            at = filled(path, stage)
            plain = await ask(here, method, at, Credential("none"))
            for name, shown in credentials(stage).items():
                answer = await ask(here, method, at, shown)
                assert answer.status in (plain.status, 401), (path, name)
                if answer.status == plain.status and name not in ("user",):
                    assert without_times(answer.body) == without_times(plain.body), (path, name)


async def test_f02_signing_in_needs_a_proof(here: World) -> None:
    """No sign-in without a user's own token or a link that was given out; an agent's token signs nobody in."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        for method, path in routes(here, SIGN_IN):
            for name, shown in credentials(stage).items():
                answer = await ask(here, method, filled(path, stage), shown)
                signs_in = path == "/login" and name == "user"
                assert answer.status == (200 if signs_in else 401), (path, name)
                assert (answer.header("set-cookie") is not None) == signs_in


async def test_f02_a_socket_has_its_own_lock(here: World) -> None:
    """Middleware for HTTP does not run for it: a wrong credential is refused in the handshake, before any frame."""
    stage = await here.quiet_stage()
    async with stage.undisturbed():
        for name, shown in credentials(stage).items():
            if name in ("none", "user", "service", "wrong service", "service twice", "user as a service key", "cookie"):
                peer = await here.connect(stage.table, shown.query, shown.headers)
                assert peer.kinds() == ["hello"], "nothing of the table before entering"
                await peer.leave()
                continue
            with pytest.raises(HandshakeRefused) as refused:
                await here.connect(stage.table, shown.query, shown.headers)
            assert refused.value.answer.status == 401, name
        person = await here.connect(stage.table, f"?token={here.user_token('ursula')}")
        person.say("enter", agentToken=stage.tokens["C"])
        assert await person.is_closed() == 4403, "a user's connection is no agent's"


def without_times(body: bytes) -> bytes:
    """A body without what tells the time of its making."""
    return re.sub(rb'"(turnEndsAt|timeBankMs|serverTime)":\d+', b"", body)
