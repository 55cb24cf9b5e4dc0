"""Browser tests with Playwright's async API, the system's Chromium, and the server in the same event loop; the fixtures
`browser` and `watched_page`.

Not with the pytest-playwright plugin: its sync API and pytest-asyncio clash in one process ("Runner.run() cannot be
called"). Needs session-wide loop scopes for fixtures and tests (see pyproject.toml). A page's uncaught errors, console
errors and requests to any other host are collected, and the end of `watched_page` raises them.

    async def test_a_page(watched_page: OpenWatched) -> None:
        async with served(app) as url, watched_page(url) as watch:
            await watch.page.goto("/")
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest_asyncio
import uvicorn
from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright
from starlette.types import ASGIApp

NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = (
    "No Chromium found (looked for chromium, chromium-browser and google-chrome on PATH). Install it with "
    "`apt-get install --yes chromium fonts-liberation`, or set RAILBIRD_CHROMIUM to its path."
)
_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


class BrowserMissing(RuntimeError):
    """No Chromium; the message is NO_BROWSER. A test that needs one fails: an absent tool is no reason to skip."""


class PageProblems(AssertionError):
    """What went wrong in the page while a test used it."""


def find_chromium() -> str:
    """The path in RAILBIRD_CHROMIUM, else the first of NAMES on PATH; raises BrowserMissing."""
    candidates = [os.environ.get("RAILBIRD_CHROMIUM"), *map(shutil.which, NAMES)]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return path
    raise BrowserMissing(NO_BROWSER)


def flags() -> list[str]:
    """Chromium's sandbox refuses root, so it is off for root, and only then."""
    return [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """A browser of the system's Chromium."""
    path = find_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=flags())
        try:
            yield browser
        finally:
            await browser.close()


@dataclass(slots=True)
class Watch:
    """A page, and what went wrong in it so far."""

    page: Page
    problems: list[str] = field(default_factory=list)


OpenWatched: TypeAlias = Callable[[str], AbstractAsyncContextManager[Watch]]
"""Takes the base URL."""


@pytest_asyncio.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One browser for the session."""
    async with launched() as browser:
        yield browser


@pytest_asyncio.fixture
async def watched_page(browser: Browser) -> OpenWatched:
    """Opens pages in contexts of their own, each on its base URL; a problem in one fails the test."""
    return lambda base_url: opened_page(browser, base_url)


@asynccontextmanager
async def opened_page(browser: Browser, base_url: str) -> AsyncIterator[Watch]:
    """A page in a fresh context; a problem that the test did not take from `problems` raises PageProblems."""
    context = await browser.new_context(base_url=base_url)
    try:
        watch = Watch(await context.new_page())
        _watch(watch, urlsplit(base_url).netloc)
        yield watch
    finally:
        await context.close()
    if watch.problems:
        raise PageProblems("\n".join(watch.problems))


def _watch(watch: Watch, own_host: str) -> None:
    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            watch.problems.append(f"console.{message.type}: {message.text}")

    def request(sent: Request) -> None:
        parts = urlsplit(sent.url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != own_host:
            watch.problems.append(f"request to a foreign host: {sent.url}")

    watch.page.on("pageerror", lambda error: watch.problems.append(f"pageerror: {error}"))
    watch.page.on("console", console)
    watch.page.on("request", request)


@asynccontextmanager
async def served(app: ASGIApp, *, timeout_s: float = 30.0) -> AsyncIterator[str]:
    """The app on a free loopback port, in this loop; yields its base URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, log_level="warning", timeout_graceful_shutdown=2))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with asyncio.timeout(timeout_s):
                while not server.started:
                    if task.done():
                        await task
                        raise RuntimeError("the server stopped while it started")
                    await asyncio.sleep(0.005)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
