"""What was opened with a credential ends with it: tickets, sessions, tokens, on real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from gameserver.identity.sessions import COOKIE, csrf_word
from gameserver.identity.tokens import TokenRules
from policy.ids import TableId, UserId
from tests.http.world import SITE, World, live, opened_world
from tests.system.process import HAPPENS_WITHIN_S, entered


@asynccontextmanager
async def opened_socket(base: str, table_id: str, query: str = "", cookie: str = "") -> AsyncIterator[ClientConnection]:
    headers = {"cookie": f"{COOKIE}={cookie}"} if cookie else {}
    url = f"{base.replace('http', 'ws')}games/poker/{table_id}/ws{query}"
    async with connect(url, additional_headers=headers, origin=SITE, proxy=None) as socket:  # type: ignore[arg-type]
        yield socket


async def signed_in(world: World, name: str = "olga") -> str:
    """The cookie of a session, by a sign-in link."""
    link = await world.server.sign_in_link(UserId(name))
    answer = await world.client.get(link)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    world.client.cookies.clear()
    return str(cookie)


def page(cookie: str) -> dict[str, str]:
    """The headers of a request from our own page."""
    return {"cookie": f"{COOKIE}={cookie}", "origin": SITE, "x-csrf-token": csrf_word(cookie)}


async def test_signing_out_closes_what_the_session_opened(world: World) -> None:
    """By its cookie, and by a ticket that it bought; another session of the same person goes on."""
    table_id = await world.table()
    cookie, other = await signed_in(world), await signed_in(world)
    ticket = (await world.client.post("/stream-ticket", headers=page(cookie))).json()["ticket"]
    async with (
        live(world) as base,
        opened_socket(base, table_id, cookie=cookie) as by_cookie,
        opened_socket(base, table_id, f"?ticket={ticket}") as by_ticket,
        opened_socket(base, table_id, cookie=other) as kept,
    ):
        assert (await world.client.post("/logout", headers=page(cookie))).status_code == 204
        for socket in (by_cookie, by_ticket):
            await asyncio.wait_for(socket.wait_closed(), HAPPENS_WITHIN_S)
            assert socket.close_code == 4401
        await kept.send('{"type":"enter"}')
        async with asyncio.timeout(HAPPENS_WITHIN_S):
            while '"snapshot"' not in str(await kept.recv()):
                pass


async def test_a_ticket_opens_one_stream(world: World) -> None:
    """The second time it is refused before the upgrade; so is one that was bought with a credential that is revoked since."""
    table_id = await world.table()
    token = world.user_token("olga", token_id="lost")
    bearer = {"authorization": f"Bearer {token}"}
    tickets = [(await world.client.post("/stream-ticket", headers=bearer)).json()["ticket"] for _ in range(2)]
    async with live(world) as base:
        async with opened_socket(base, table_id, f"?ticket={tickets[0]}"):
            pass
        await world.operate("POST", "/internal/revocations", {"jti": "lost"})
        for ticket in tickets:
            with pytest.raises(InvalidStatus) as refused:
                async with opened_socket(base, table_id, f"?ticket={ticket}"):
                    pass
            assert refused.value.response.status_code == 401


async def test_what_a_revoked_token_signed_in_is_signed_out(world: World) -> None:
    """The session that it was exchanged for, and what that has open; and tickets of a session that was signed out are void."""
    table_id = await world.table()
    bearer = {"authorization": f"Bearer {world.user_token('olga', token_id='lost')}"}
    answer = await world.client.post("/login", headers=bearer)
    cookie = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    world.client.cookies.clear()
    async with live(world) as base, opened_socket(base, table_id, cookie=cookie) as socket:
        assert (await world.operate("POST", "/internal/revocations", {"jti": "lost"})).json()["closed"] == 1
        await asyncio.wait_for(socket.wait_closed(), HAPPENS_WITHIN_S)
    assert (await world.client.get("/bankroll", headers=page(cookie))).status_code == 401
    other = await signed_in(world)
    ticket = (await world.client.post("/stream-ticket", headers=page(other))).json()["ticket"]
    await world.client.post("/logout", headers=page(other))
    assert (await world.client.get("/games/poker", params={"ticket": ticket})).status_code == 401


async def test_a_credential_that_runs_out_closes_what_it_opened(tmp_path: Path) -> None:
    """Of a user by a token and by a ticket, of an agent; within the leeway, which is none here."""
    async with opened_world(tmp_path, token_rules=TokenRules(leeway_s=0)) as world:
        table_id = await world.table()
        token = world.user_token("olga", life_s=3)
        bearer = {"authorization": f"Bearer {token}"}
        ticket = (await world.client.post("/stream-ticket", headers=bearer)).json()["ticket"]
        async with (
            live(world) as base,
            opened_socket(base, table_id, f"?token={token}") as by_token,
            opened_socket(base, table_id, f"?ticket={ticket}") as by_ticket,
        ):
            for socket in (by_token, by_ticket):
                await asyncio.wait_for(socket.wait_closed(), 8)
                assert socket.close_code == 4402
        assert (await world.client.get("/bankroll", headers=bearer)).status_code == 401


async def test_an_agents_connection_carries_no_user(world: World) -> None:
    """A user's socket that enters with an agent's token is closed with 4403, whichever way the user was proved."""
    table_id = await world.table()
    agent_token = await world.issued(await world.agent())
    cookie = await signed_in(world)
    async with live(world) as base:
        for query, jar in ((f"?token={world.user_token('olga')}", ""), ("", cookie)):
            async with opened_socket(base, table_id, query, jar) as socket:
                await socket.send(f'{{"type":"enter","agentToken":"{agent_token}"}}')
                await asyncio.wait_for(socket.wait_closed(), HAPPENS_WITHIN_S)
                assert socket.close_code == 4403


async def test_a_sign_in_link_works_once(world: World) -> None:
    """Then it is no more than a wrong one; and the session that it gave is one of our own pages' only."""
    link = await world.server.sign_in_link(UserId("olga"))
    first = await world.client.get(link)
    world.client.cookies.clear()
    assert first.status_code == 303
    for gone in (link, "/signin/none-such"):
        assert (await world.client.get(gone)).status_code == 401
    cookie = first.headers["set-cookie"].partition("=")[2].partition(";")[0]
    made = await world.client.post("/agents", json={"name": "Rocky"}, headers={"cookie": f"{COOKIE}={cookie}"})
    assert (made.status_code, made.json()["code"]) == (403, "not_allowed")
    assert (await world.client.post("/agents", json={"name": "Rocky"}, headers=page(cookie))).status_code == 201


async def test_a_session_that_is_over_may_still_watch(world: World) -> None:
    """A browser sends its old cookie along; the tables are for anybody."""
    table_id = await world.table()
    async with live(world) as base, httpx2.AsyncClient(base_url=base) as client:
        old = {"cookie": f"{COOKIE}=old"}
        assert (await client.get("games/poker", headers=old)).status_code == 200
        assert (await client.get("bankroll", headers=old)).status_code == 401
        async with opened_socket(base, table_id, cookie="old") as socket:
            assert '"hello"' in str(await socket.recv())


async def test_a_renewed_token_of_another_agent_is_refused(world: World) -> None:
    """Enter again renews this agent's token and makes it nobody else."""
    table_id = await world.table()
    agent_id = await world.agent()
    mine, other = await world.issued(agent_id), await world.issued(await world.agent(name="Other"))
    async with live(world) as base, entered(base, TableId(table_id), mine) as player:
        assert (await player.ask("enter", agentToken=await world.issued(agent_id)))["type"] == "ack"
        assert (await player.ask("enter", agentToken=other))["code"] == "already_entered"
