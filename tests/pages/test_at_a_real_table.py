"""The table's page on the real server, with house players at the table."""

from __future__ import annotations

import asyncio
import random
import re
from contextlib import suppress
from pathlib import Path

from playwright.async_api import expect

from policy.ids import AgentId
from railbird.agenthost.house import STYLES, house_player
from tests.house.real_table import real_table
from tests.live.chromium import OpenWatched


async def test_a_browser_follows_real_hands(watched_page: OpenWatched, tmp_path: Path) -> None:
    """Hand after hand, with names, cards and winners, and nothing in the page that was not understood."""
    async with real_table(tmp_path) as table:
        players = [
            house_player(
                table.url,
                agent_id=AgentId(f"a-{name}"),
                agent_token=await table.token(name),
                style=style,
                rng=random.Random(seat),
                buy_in_chips=2_000,
                seat=seat,
                min_turn_ms=30,
            )
            for seat, (name, style) in enumerate(STYLES.items())
        ]
        playing = [asyncio.create_task(player.run()) for player in players]
        async with watched_page(table.page_url) as watch:
            page = watch.page
            await page.goto(table.page_url)
            await expect(page.locator("#line")).to_have_text("live")
            for seat, name in enumerate(STYLES):
                await expect(page.locator(f'.seat[data-seat="{seat}"] .name')).to_have_text(name)
            await expect(page.locator("#hand")).to_have_text(re.compile(r"Hand ([5-9]|\d\d)"), timeout=30_000)
            lines = await page.locator("#log li").all_text_contents()
            assert any(" wins " in line for line in lines)
            shown = await page.locator("body").inner_text()
            assert not re.search(r"undefined|NaN|null|\[object", shown)
            lobby = table.page_url.rsplit("/tables/", 1)[0]
            await page.goto(f"{lobby}/")
            await expect(page.locator(".table-name")).to_have_text("Heron")
            await expect(page.locator(".names .who")).to_have_count(6)
        for task in playing:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*playing)
