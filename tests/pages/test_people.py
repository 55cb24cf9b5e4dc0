"""Signing in, a link that is used up, and one's own agents: as pages of the real server, and in a real browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx2
import pytest
import pytest_asyncio
from playwright.async_api import expect
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from gameserver.identity.sessions import COOKIE
from policy.ids import AgentId, UserId
from railbird.pages.people import with_page
from railbird.pages.rendering import CONTENT_SECURITY_POLICY
from railbird.serving import listen, served
from tests.http.test_agents import agent_of, at_the_table
from tests.http.world import World, live, opened_world
from tests.live.chromium import OpenWatched
from tests.pages.test_routes import Inline

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PROGRAM = {"accept": "application/json"}
HOSTILE_NAME: Final = "<img src=x onerror=boom()>"


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened_world(tmp_path) as world:
        yield world


async def shown(world: World, path: str, headers: dict[str, str], method: str = "GET") -> httpx2.Response:
    world.client.cookies.clear()
    return await world.client.request(method, path, headers=headers)


async def hostile_agent(world: World, owner: str) -> AgentId:
    """One whose name no route would take."""
    agent_id = AgentId("a-hostile")
    await world.server.people.create_agent(agent_id, HOSTILE_NAME, UserId(owner))
    return agent_id


def is_a_page(answer: httpx2.Response) -> bool:
    """With everything that a page has, and nothing that its policy would refuse."""
    inline = Inline()
    inline.feed(answer.text)
    assert inline.found == []
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert answer.headers["referrer-policy"] == "no-referrer"
    return answer.headers["content-type"].startswith("text/html")


async def test_a_used_or_wrong_link_is_a_page_in_a_browser_and_json_elsewhere(world: World) -> None:
    """The same status, stored nowhere; a used link and one that never was are the same page."""
    used = await world.server.sign_in_link(UserId("olga"))
    assert (await shown(world, used, BROWSER)).status_code == 303
    pages = [await shown(world, path, BROWSER) for path in (used, "/signin/none-such", f"/signin/{'x' * 3_000}")]
    answers = [*pages, await shown(world, used, PROGRAM)]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
    assert all(map(is_a_page, pages)) and len({answer.text for answer in pages}) == 1
    assert all(answer.headers["vary"] == "Accept" and "set-cookie" not in answer.headers for answer in pages)
    assert answers[-1].json()["code"] == "bad_token"


async def test_a_look_at_a_link_does_not_use_it_up(world: World) -> None:
    """What mail programs do before somebody opens it."""
    link = await world.server.sign_in_link(UserId("olga"))
    assert (await shown(world, link, BROWSER, "HEAD")).status_code == 405
    assert (await shown(world, link, BROWSER)).status_code == 303


async def test_agents_are_a_page_in_a_browser_and_json_elsewhere(world: World) -> None:
    """One's own, with a hostile name as text; whoever is nobody is asked to sign in, under the status of the JSON."""
    agent_id = await hostile_agent(world, "olga")
    await world.agent("otto", "Otter")
    await world.ask("POST", f"/agents/{agent_id}/versions", {"strategy": "fold"}, user="olga")
    page = await shown(world, "/agents", {**BROWSER, **world.be("olga")})
    assert page.status_code == 200 and is_a_page(page)
    assert "&lt;img src=x onerror=boom()&gt;" in page.text and agent_id in page.text and "Otter" not in page.text
    assert "published 20" in page.text and f'href="/agents/{agent_id}/hands"' in page.text
    listed = await shown(world, "/agents", {**PROGRAM, **world.be("olga")})
    assert [each["agentId"] for each in listed.json()["agents"]] == [agent_id]
    assert listed.headers["vary"] == page.headers["vary"] == "Accept"
    for credential in ({}, {"authorization": "Bearer x"}, {"cookie": f"{COOKIE}=x"}):
        nobody = await shown(world, "/agents", {**BROWSER, **credential})
        assert nobody.status_code == 401 and is_a_page(nobody) and "<h1>Sign in</h1>" in nobody.text
        assert (await shown(world, "/agents", {**PROGRAM, **credential})).status_code == 401
    assert "no agent yet" in (await shown(world, "/agents", {**BROWSER, **world.be("nora")})).text


async def test_the_page_of_agents_says_where_they_sit_and_no_stack(world: World) -> None:
    """At a table that is shown late a stack would tell what is not shown yet."""
    table_id = await world.table("olga", name="Kitchen", spectatorDelayMs=60_000)
    async with live(world) as url, at_the_table(world, url, table_id, "ann", 0) as ann:
        await agent_of(ann)
        page = await shown(world, "/agents", {**BROWSER, **world.be("ann")})
        assert f'href="/tables/{table_id}/owner"' in page.text and "Kitchen</bdi></a>, seat 1 " in page.text
        assert not re.search("chips|stack|400", page.text)


def test_a_page_is_put_beside_a_route_that_is_there() -> None:
    """A name that no route has is a mistake, and told."""

    async def either(request: Request) -> Response:
        return PlainTextResponse("")

    with pytest.raises(LookupError):
        with_page([Route("/a", either, name="a")], "b", either)


# --- in a browser -------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def own_server(folder: Path) -> AsyncIterator[tuple[World, str]]:
    """A server whose pages are at its own address, as `railbird serve` has it."""
    with listen("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with opened_world(folder, origins=(url,)) as world, served(world.server, listener):
            yield world, url


async def test_an_owner_signs_in_with_a_token_and_out_again(tmp_path: Path, watched_page: OpenWatched) -> None:
    """From the lobby; a token that is no good is told, and what the page keeps of a good one is nothing."""
    async with own_server(tmp_path) as (world, url), watched_page(url) as watch:
        page = watch.page
        await hostile_agent(world, "olga")
        await page.goto("/")
        await page.get_by_role("link", name="Your agents").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        watch.problems.clear()  # the console says 401, as it should
        await page.get_by_label("Your token").fill("no token of this server")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("alert")).to_contain_text("not good here")
        assert [each for each in watch.problems if "401" not in each] == []
        watch.problems.clear()
        await page.get_by_label("Your token").fill(f"  {world.user_token('olga')} ")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page).to_have_url(f"{url}/agents")
        await expect(page.locator(".own-agent h2")).to_have_text(HOSTILE_NAME)
        await expect(page.locator(".hands .nobody")).to_have_text("none captured in the last day")
        assert await page.evaluate("document.cookie + JSON.stringify([localStorage, sessionStorage])") == "[{},{}]"
        await page.get_by_role("button", name="Sign out").click()
        await expect(page).to_have_url(f"{url}/")
        await page.goto("/agents")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        watch.problems.clear()


async def test_hands_with_captured_turns_are_linked(tmp_path: Path, watched_page: OpenWatched) -> None:
    """The newest first, each to the route that has its turns; only so many."""
    async with own_server(tmp_path) as (world, url), watched_page(url) as watch:
        page = watch.page
        agent_id = await world.agent("olga", "Rocky")
        hands = [{"tableId": "t/1", "handNumber": number} for number in range(1, 31)]
        await page.route("**/hands", lambda route: route.fulfill(json={"hands": hands}))
        await page.goto(await world.server.sign_in_link(UserId("olga")))
        await page.goto("/agents")
        links = page.locator(".hand-links a")
        await expect(links).to_have_count(12)
        await expect(links.first).to_have_text("hand 30")
        assert await links.first.get_attribute("href") == f"/agents/{agent_id}/hands/t%2F1/30"


async def test_a_used_link_in_a_browser_says_what_to_do(tmp_path: Path, watched_page: OpenWatched) -> None:
    """And leads on."""
    async with own_server(tmp_path) as (world, url), watched_page(url) as watch:
        link = await world.server.sign_in_link(UserId("olga"))
        await watch.page.goto(link)
        await expect(watch.page).to_have_url(f"{url}/")
        await watch.page.goto(link)
        await expect(watch.page.get_by_role("heading", level=1)).to_have_text("This link does not sign you in")
        watch.problems.clear()  # the console says 401, as it should
        await watch.page.get_by_role("link", name="your agents", exact=True).click()
        await expect(watch.page.get_by_role("heading", level=1)).to_have_text("Your agents")
