"""A real browser sees real frames, and whatever goes wrong in a page fails its test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Error, async_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from tests.live import chromium
from tests.live.chromium import OpenWatched

PAGE = """<!doctype html><link rel=icon href="data:,"><title>t</title><p id=p></p><script>
const ws = new WebSocket(`ws://${location.host}/ws`); ws.onmessage = e => { p.textContent = e.data; };
</script>"""
BROKEN = """<!doctype html><link rel=icon href="data:,"><script>
console.error("said"); fetch("http://foreign.invalid/x").catch(() => 0); setTimeout(() => { throw new Error("thrown") });
</script>"""


async def ws(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("dealt")
    await websocket.receive()


async def page(request: Request) -> Response:
    return HTMLResponse(BROKEN if request.url.path == "/broken" else PAGE)


APP = Starlette(routes=[Route("/", page), Route("/broken", page), WebSocketRoute("/ws", ws)])


@pytest_asyncio.fixture
async def base_url() -> AsyncIterator[str]:
    async with chromium.served(APP) as url:
        yield url


async def test_a_page_gets_a_frame_and_has_no_problem(watched_page: OpenWatched, base_url: str) -> None:
    """A frame over a real WebSocket reaches the page."""
    async with watched_page(base_url) as watch:
        await watch.page.goto("/")
        await watch.page.wait_for_function("p.textContent === 'dealt'")


async def test_every_kind_of_problem_is_raised(watched_page: OpenWatched, base_url: str) -> None:
    """A console error, an uncaught error and a request to another host each fail the test that saw them."""
    with pytest.raises(chromium.PageProblems) as raised:
        async with watched_page(base_url) as watch:
            await watch.page.goto("/broken")
            await watch.page.wait_for_timeout(300)
    for expected in (
        "console.error: said",
        "pageerror: ",
        "thrown",
        "request to a foreign host: http://foreign.invalid/x",
    ):
        assert expected in str(raised.value)


async def test_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Chromium the error says what to type."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("RAILBIRD_CHROMIUM", raising=False)
    with pytest.raises(chromium.BrowserMissing) as missing:
        async with chromium.launched():
            pass
    assert str(missing.value) == chromium.NO_BROWSER


async def test_playwrights_own_message_for_a_wrong_path() -> None:
    """What a developer sees who does not go through `find_chromium`; said here so that it can be searched for."""
    async with async_playwright() as playwright:
        with pytest.raises(Error) as raised:
            await playwright.chromium.launch(executable_path="/nowhere/chromium")
        assert (
            "BrowserType.launch: Failed to launch chromium because executable doesn't exist at /nowhere/chromium"
            in str(raised.value)
        )
