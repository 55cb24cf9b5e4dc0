"""The owner's page on the real server: a sign-in link, the event stream, and an agent that says what it thinks."""

from __future__ import annotations

import asyncio
import random
import re
from contextlib import suppress
from pathlib import Path

from playwright.async_api import Page, expect

from gameserver.hand.facts import ActionKind
from gameserver.wire.messages import Snapshot, YourTurn
from policy.ids import AgentId, UserId
from railbird.agenthost.house import STYLES, house_player
from railbird.client import Client, connect
from tests.house.real_table import RealTable, real_table
from tests.live.chromium import OpenWatched, Watch

HOSTILE = "<img src=x onerror=boom()> I hold what I hold"


async def think_aloud(table: RealTable, token: str, seat: int) -> None:
    """Check or call, but mean to fold at every second turn, so that some decisions come out changed."""
    async with connect(table.url, agent_token=token) as client:
        await client.sit(seat, 2_000)
        turns = 0
        async for frame in client:
            match frame:
                case Snapshot(your_turn=YourTurn() as turn) | (YourTurn() as turn):
                    turns += 1
                    await _play(client, turn, bluffs=turns % 2 == 0)
                case _:
                    pass


async def _play(client: Client, turn: YourTurn, *, bluffs: bool) -> None:
    move = ActionKind.CALL if turn.to_call else ActionKind.CHECK
    await client.think(turn.turn_id, f"{HOSTILE}, turn {turn.action_index}")
    await client.decide(turn.turn_id, ActionKind.FOLD if bluffs else move)
    await asyncio.sleep(0.2)
    await client.act(turn.turn_id, move)


async def test_an_owner_follows_their_own_agent(watched_page: OpenWatched, tmp_path: Path) -> None:
    """From the link to the lobby to the view; cards of one seat only, and each decision's fate. Others get none of it."""
    async with real_table(tmp_path) as table:
        styles = list(STYLES.items())[:2]
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
            for seat, (name, style) in enumerate(styles)
        ]
        playing = [asyncio.create_task(player.run()) for player in players]
        playing.append(asyncio.create_task(think_aloud(table, await table.token("Thinker"), seat=2)))
        address = table.page_url.rsplit("/tables/", 1)[0]
        async with watched_page(address) as owners, watched_page(address) as strangers:
            await _is_refused(strangers, table, 401)
            await owners.page.goto(await table.server.sign_in_link(UserId("u-Thinker")))
            await owners.page.reload()  # the lobby may have been fetched before all sat
            await expect(owners.page.get_by_text("your agent plays here")).to_be_visible(timeout=15_000)
            await owners.page.locator("a[data-table]").click()
            await expect(owners.page).to_have_url(f"{table.page_url}/owner")
            await _follows(owners.page)
            await strangers.page.goto(await table.server.sign_in_link(UserId("u-nobody-here")))
            await _is_refused(strangers, table, 403)
        for task in playing:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*playing)


async def _follows(page: Page) -> None:
    await expect(page.locator("#line")).to_have_text("live")
    await expect(page.locator('.seat.own[data-seat="2"] .name')).to_have_text("Thinker", timeout=15_000)
    await expect(page.locator("#own li")).to_contain_text("Thinker in hand")
    await expect(page.locator("#own .in-text")).to_have_count(2)
    await expect(page.locator('[data-status="recorded"]').first).to_be_visible(timeout=15_000)
    await expect(page.locator('[data-status="changed"]').first).to_be_visible(timeout=15_000)
    await expect(page.locator('[data-status="provisional"]').first).to_be_visible(timeout=15_000)
    await expect(page.locator(".thinks").first).to_have_text(re.compile(re.escape(HOSTILE)))
    await expect(page.locator("main img")).to_have_count(0)
    hand = await page.locator(".about-turn a").first.get_attribute("href")
    assert re.fullmatch(r"/agents/[\w-]+/hands/[\w-]+/\d+", hand or "")
    assert (await page.request.get(str(hand), headers={"accept": "text/html"})).status == 200
    shown = await page.locator("body").inner_text()
    assert not re.search(r"undefined|NaN|null|\[object", shown)


async def _is_refused(watch: Watch, table: RealTable, status: int) -> None:
    for path in (f"{table.page_url}/owner", f"{table.page_url}-none/owner"):
        answer = await watch.page.request.get(path)
        assert answer.status == status
        assert "Heron" not in await answer.text()
