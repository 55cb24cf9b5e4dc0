"""How people come in and go over HTTP."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from gameserver.http.askers import HttpAskers
from gameserver.http.problems import problem_handlers
from gameserver.http.rates import ATTEMPTS, SIGN_INS, TICKETS, sign_in_rates
from gameserver.http.sign_in import SignInPorts, sign_in_routes
from gameserver.identity.addresses import Addresses
from gameserver.identity.admission import Revocations
from gameserver.identity.asker import Askers
from gameserver.identity.issue import issue_agent_token, issue_user_token
from gameserver.identity.keys import KeyUse
from gameserver.identity.origins import AllowedOrigins
from gameserver.identity.secrets_store import MemorySecrets
from gameserver.identity.sessions import COOKIE, Sessions, SignInLinks
from gameserver.identity.tickets import StreamTickets
from gameserver.identity.tokens import TokenRules
from gameserver.identity.verifier import TokenVerifier
from policy.ids import UserId
from tests.identity.people import AGENT, KEYS, NOW_S, OWNER, RING, VERSION

NOW_MS: Final = NOW_S * 1_000
SITE: Final = "http://railbird.test"
URSULA: Final = UserId("ursula")
OUR_PAGE: Final = {"origin": SITE}


def new_secret() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Site:
    """A client without a cookie jar of its own, and what is behind the routes."""

    client: httpx2.AsyncClient
    ports: SignInPorts
    app: Starlette


def token(life_s: int = 600) -> str:
    return issue_user_token(KEYS[KeyUse.USER], user_id=URSULA, token_id="j", now_s=NOW_S, life_s=life_s)


def bearer(value: str) -> dict[str, str]:
    return {"authorization": f"Bearer {value}"}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """The routes at the root and below a prefix, with two routes that say who asks."""
    verifier = TokenVerifier(
        keys=lambda: RING,
        rules=TokenRules(),
        revocations=Revocations(),
        now_s=lambda: NOW_S,
        count=lambda reason: None,
    )
    sessions = Sessions(MemorySecrets(new_secret=new_secret))
    tickets = StreamTickets(MemorySecrets(new_secret=new_secret))
    askers = HttpAskers(
        Askers(verifier=verifier, tickets=tickets, sessions=sessions, now_ms=lambda: NOW_MS), AllowedOrigins([SITE])
    )
    links = SignInLinks(MemorySecrets(new_secret=new_secret))
    rates = sign_in_rates(Addresses(), lambda: NOW_MS)
    ports = SignInPorts(askers, verifier, sessions, tickets, links, rates, secure=False, now_ms=lambda: NOW_MS)

    async def anybody(request: Request) -> Response:
        return JSONResponse(str(await askers.anybody(request)))

    async def change(request: Request) -> Response:
        return JSONResponse((await askers.user(request)).user_id)

    routes = [
        *sign_in_routes(ports),
        Route("/who", anybody),
        Route("/change", change, methods=["GET", "POST", "DELETE"]),
    ]
    app = Starlette(routes=[*routes, Mount("/below", routes=routes)], exception_handlers=problem_handlers())
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        yield Site(client, ports, app)


def cookie_of(answer: httpx2.Response) -> str:
    return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]


def with_cookie(value: str, **headers: str) -> dict[str, str]:
    return {"cookie": f"{COOKIE}={value}", **headers}


@pytest.mark.parametrize("prefix", ["", "/below"])
async def test_signing_in_and_out(site: Site, prefix: str) -> None:
    """A token is exchanged for a cookie, the cookie is who one is, and signing out ends it."""
    answer = await site.client.post(f"{prefix}/login", headers={**bearer(token()), **OUR_PAGE})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert f"Path={prefix or '/'};" in answer.headers["set-cookie"]
    cookie, word = cookie_of(answer), answer.json()["csrfToken"]
    site.client.cookies.clear()
    mine = with_cookie(cookie, **OUR_PAGE, **{"x-csrf-token": word})
    assert (await site.client.post(f"{prefix}/change", headers=mine)).json() == "ursula"
    out = await site.client.post(f"{prefix}/logout", headers=mine)
    assert (out.status_code, "Max-Age=0" in out.headers["set-cookie"]) == (204, True)
    site.client.cookies.clear()
    assert (await site.client.post(f"{prefix}/change", headers=mine)).status_code == 401


async def test_a_token_may_come_in_the_body(site: Site) -> None:
    """For a page with a form; strictly one field, and no body without an end."""
    assert (await site.client.post("/login", json={"token": token()})).status_code == 200
    for body in (
        b"",
        b"{}",
        b"[]",
        b'{"token":7}',
        b'{"token":"a","x":1}',
        b'{"token":"a","token":"b"}',
        b"\xff",
        b'{"token":"MARKER"}',
    ):
        site.client.cookies.clear()
        answer = await site.client.post("/login", content=body)
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")
        assert "MARKER" not in answer.text
    assert (await site.client.post("/login", content=b"x" * 9_000)).status_code == 413


async def test_a_cookie_alone_changes_nothing(site: Site) -> None:
    """Without our page's origin and its word a cookie reads and does no more, however it is sent."""
    opened = await site.ports.sessions.open(URSULA, now_ms=NOW_MS)
    right = {"origin": SITE, "x-csrf-token": opened.csrf}
    other = await site.ports.sessions.open(UserId("umberto"), now_ms=NOW_MS)
    assert (await site.client.get("/change", headers=with_cookie(opened.cookie))).json() == "ursula"
    for headers in (
        {},
        {"origin": SITE},
        {"x-csrf-token": opened.csrf},
        {**right, "origin": "https://evil.example"},
        {**right, "origin": "null"},
        {**right, "x-csrf-token": other.csrf},
        {**right, "x-csrf-token": ""},
    ):
        for method in ("POST", "DELETE"):
            answer = await site.client.request(method, "/change", headers=with_cookie(opened.cookie, **headers))
            assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    assert (await site.client.post("/change", headers=with_cookie(opened.cookie, **right))).json() == "ursula"


async def test_another_site_cannot_sign_a_visitor_in(site: Site) -> None:
    """Not even with a token of its own."""
    answer = await site.client.post("/login", headers={**bearer(token()), "origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


async def test_a_ticket_is_bought_with_a_credential_and_opens_once(site: Site) -> None:
    """A token or a cookie with its word buys one; a ticket buys none and changes nothing."""
    bought = await site.client.post("/stream-ticket", headers=bearer(token()))
    assert (bought.status_code, bought.json()["expiresInMs"]) == (201, 30_000)
    ticket = bought.json()["ticket"]
    for path in ("/stream-ticket", "/change"):
        assert (await site.client.post(path, params={"ticket": ticket})).status_code == 401
    assert "ursula" in (await site.client.get("/who", params={"ticket": ticket})).text
    assert (await site.client.get("/who", params={"ticket": ticket})).status_code == 401
    for headers in ({}, bearer("x"), with_cookie("x")):
        assert (await site.client.post("/stream-ticket", headers=headers)).status_code in (401, 403)


async def test_an_agents_token_is_nobodys_credential_here(site: Site) -> None:
    """In the header, in the address, in the body: refused, and the same for all."""
    agent = issue_agent_token(
        KEYS[KeyUse.AGENT],
        agent_id=AGENT,
        owner=OWNER,
        version_id=VERSION,
        token_id="j",
        now_s=NOW_S,
        life_s=60,
    )
    answers = [
        await site.client.get("/who", headers=bearer(agent)),
        await site.client.get("/who", params={"token": agent}),
        await site.client.post("/login", json={"token": agent}),
        await site.client.post("/stream-ticket", headers=bearer(agent)),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("prefix", ["", "/below"])
async def test_a_sign_in_link_is_exchanged_for_a_cookie(site: Site, prefix: str) -> None:
    """Once; and the address with the code is in no referrer."""
    code = await site.ports.links.make(URSULA, now_ms=NOW_MS)
    answer = await site.client.get(f"{prefix}/signin/{code}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{prefix}/")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    cookie = cookie_of(answer)
    site.client.cookies.clear()
    assert "ursula" in (await site.client.get("/who", headers=with_cookie(cookie))).text
    for gone in (code, "none-such", "x" * 10_000):
        assert (await site.client.get(f"{prefix}/signin/{gone}")).status_code == 401


async def test_an_old_cookie_may_still_watch(site: Site) -> None:
    """It is nobody on what all may read."""
    assert "Nobody" in (await site.client.get("/who", headers=with_cookie("old"))).text


def from_address(site: Site, address: str) -> httpx2.AsyncClient:
    """A client of the same site at an address of the network."""
    transport = httpx2.ASGITransport(app=site.app, client=(address, 4_000))
    return httpx2.AsyncClient(transport=transport, base_url=SITE)


async def statuses(client: httpx2.AsyncClient, method: str, path: str, count: int, **asked: Any) -> Counter[int]:
    found: Counter[int] = Counter()
    for _ in range(count):
        client.cookies.clear()
        answer = await client.request(method, path, **asked)
        found[answer.status_code] += 1
        assert answer.status_code != 429 or (answer.json()["code"], answer.headers["retry-after"]) == (
            "rate_limited",
            "1",
        )
    return found


async def test_an_address_tries_to_come_in_so_often(site: Site) -> None:
    """By tokens and links together, and before any is looked at: a good one is refused as well. Another address may."""
    async with from_address(site, "198.51.100.7") as one, from_address(site, "198.51.100.8") as other:
        wrong = await statuses(one, "POST", "/login", ATTEMPTS.burst - 10, headers=bearer("x"))
        links = await statuses(one, "GET", "/signin/none-such", 20)
        assert wrong + links == {401: ATTEMPTS.burst, 429: 10}
        assert (await one.post("/login", headers=bearer(token()))).status_code == 429
        code = await site.ports.links.make(URSULA, now_ms=NOW_MS)
        assert (await one.get(f"/signin/{code}")).status_code == 429
        assert (await other.get(f"/signin/{code}")).status_code == 303


async def test_a_person_signs_in_and_buys_tickets_so_often(site: Site) -> None:
    """From wherever; nobody else is held up by it."""
    good = bearer(token())
    assert await statuses(site.client, "POST", "/login", SIGN_INS.burst + 5, headers=good) == {
        200: SIGN_INS.burst,
        429: 5,
    }
    bought = await statuses(site.client, "POST", "/stream-ticket", TICKETS.burst + 5, headers=good)
    assert bought == {201: TICKETS.burst, 429: 5}
    somebody = bearer(issue_user_token(KEYS[KeyUse.USER], user_id=UserId("uwe"), token_id="k", now_s=NOW_S, life_s=60))
    for path, status in (("/login", 200), ("/stream-ticket", 201)):
        assert (await site.client.post(path, headers=somebody)).status_code == status
