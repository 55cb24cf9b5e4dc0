"""The pages of captured hands in a real browser: what people read, keep, take along and delete there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, expect

from policy.ids import UserId
from railbird.serving import listen, served
from railbird.wiring.record.buffer_place import RecordSetup
from tests.capture.http.conftest import Recorded, played
from tests.capture.turns import call, decided, fell_back
from tests.http.world import opened_world
from tests.live.chromium import OpenWatched, Watch
from tests.pages.test_turns import HOSTILE, captured, hostile_turn, made

PHONE, DESK = (390, 844), (1280, 800)


@asynccontextmanager
async def at_home(folder: Path, valkey_url: str, watched_page: OpenWatched) -> AsyncIterator[tuple[Recorded, Watch]]:
    """Ann, signed in at a server whose pages are at its own address."""
    with listen("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        setup = RecordSetup(redis_url=valkey_url)
        async with (
            opened_world(folder, origins=(url,), record=setup) as world,
            served(world.server, listener),
            played(world, valkey_url) as recorded,
            watched_page(url) as watch,
        ):
            expect.set_options(timeout=30_000)
            await watch.page.goto(await world.server.sign_in_link(UserId("ann")))
            yield recorded, watch


async def sees_no_sideways(page: Page) -> None:
    """Nothing is cut off or to be reached by scrolling sideways, on a phone or a desk."""
    for width, height in (PHONE, DESK):
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_an_owner_finds_keeps_and_deletes_a_hand(
    tmp_path: Path, valkey_url: str, watched_page: OpenWatched
) -> None:
    """From the page of agents; what is deleted is said to be deleted."""
    async with at_home(tmp_path, valkey_url, watched_page) as (recorded, watch):
        page = watch.page
        await page.goto("/agents")
        await page.locator(f"#{recorded.a1}").get_by_role("link", name="All hands with captured turns").click()
        await sees_no_sideways(page)
        await page.get_by_role("link", name="Hand 7", exact=True).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hand 7")
        await sees_no_sideways(page)
        await page.get_by_role("button", name="Keep this hand").click()
        await expect(page.get_by_role("status")).to_have_text("Kept until you delete it.")
        await expect(page.locator("#stays")).to_have_text("Kept until you delete it")
        await recorded.expire()
        await page.reload()
        await expect(page.locator("#stays")).to_have_text("Kept until you delete it")
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("button", name="Leave them").click()
        await expect(page.locator("#sure")).to_be_hidden()
        assert (await recorded.world.server.record.stores.durable.counts()).turns == 1
        await page.get_by_role("button", name="Delete").click()
        await page.locator("#sure").get_by_role("button", name="Delete").click()
        await expect(page.locator(".turn .absent")).to_contain_text("Deleted")
        assert (await recorded.world.server.record.stores.durable.counts()).turns == 0


async def test_what_is_exported_is_what_programs_get(
    tmp_path: Path, valkey_url: str, watched_page: OpenWatched
) -> None:
    """Byte for byte, as a file; a session that is over is told, and nothing is saved."""
    async with at_home(tmp_path, valkey_url, watched_page) as (recorded, watch):
        page = watch.page
        await page.goto(recorded.own)
        async with page.expect_download() as saving:
            await page.get_by_role("button", name="Export").click()
        saved = await saving.value
        assert saved.suggested_filename == "hand-7.json"
        await saved.save_as(tmp_path / "saved.json")
        asked = await recorded.world.ask("GET", recorded.own, user="ann")
        assert (tmp_path / "saved.json").read_bytes() == asked.content
        await page.context.clear_cookies()
        await page.get_by_role("button", name="Keep this hand").click()
        await expect(page.get_by_role("status")).to_have_text("You are not signed in any more.")
        watch.problems.clear()  # the console says 401, as it should


async def test_hostile_texts_are_read_and_run_nothing(
    tmp_path: Path, valkey_url: str, watched_page: OpenWatched
) -> None:
    """They stand in the page as text, in order, with their odd characters by number; a script of theirs never was one."""
    async with at_home(tmp_path, valkey_url, watched_page) as (recorded, watch):
        page = watch.page
        await page.goto(await captured(recorded, 9, hostile_turn(recorded, 9, HOSTILE)))
        shown = "<script>boom()</script><img src=x onerror=boom()>U+202EU+0000U+D800</div>{{ 7*7 }}U+000D\n"
        reply = page.get_by_role("region", name="The reply, before anything was read from it")
        assert await reply.evaluate("e => e.textContent") == shown
        assert await page.locator("main img, main script, main iframe").count() == 0
        assert await page.evaluate("typeof boom") == "undefined"
        await sees_no_sideways(page)


async def test_a_long_hand_stays_usable(tmp_path: Path, valkey_url: str, watched_page: OpenWatched) -> None:
    """Megabytes without a space, a fallback among the turns: the page opens, folds open and is left again."""
    async with at_home(tmp_path, valkey_url, watched_page) as (recorded, watch):
        page, long = watch.page, "x" * 2_000_000
        turns = [made(recorded, 9, n, outcome=decided(call(completion=long)), knowledge={"long": long}) for n in (1, 5)]
        await page.goto(await captured(recorded, 9, *turns, made(recorded, 9, 3, outcome=fell_back())))
        await expect(page.locator(".badge.fallback")).to_have_text("FALLBACK")
        await page.locator("#turn-5 summary").first.click()
        await expect(page.locator("#turn-5 .exact").first).to_be_visible()
        await expect(page.locator("#turn-5 .cut").first).to_contain_text("The export has all of it.")
        await page.get_by_role("navigation", name="Turns").get_by_role("link", name="2 fallback").click()
        await expect(page.locator("#turn-3")).to_be_in_viewport()
        await sees_no_sideways(page)
        await page.get_by_role("link", name="Hands of A1").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Hands of A1")


async def test_another_sites_page_keeps_and_deletes_nothing(
    tmp_path: Path, valkey_url: str, watched_page: OpenWatched
) -> None:
    """The browser's session alone is no reason: a change needs the word that the page carries."""
    async with at_home(tmp_path, valkey_url, watched_page) as (recorded, watch):
        await watch.page.goto(recorded.own)
        tries = """async (path) => {
            const headers = [{}, { "X-CSRF-Token": "x" }];
            const asked = headers.flatMap((headers) => [["POST", `${path}/keep`], ["DELETE", path]].map(([method, at]) => fetch(at, { method, headers })));
            return (await Promise.all(asked)).map((answer) => answer.status);
        }"""
        assert await watch.page.evaluate(tries, recorded.own) == [403] * 4
        watch.problems.clear()  # the console says 403, as it should
        left = json.loads((await recorded.world.ask("GET", recorded.own, user="ann")).content)["turns"]
        assert [turn["missing"] for turn in left] == [{}]
        assert (await recorded.world.server.record.stores.durable.counts()).turns == 0
