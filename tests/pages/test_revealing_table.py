"""A table that shows hands and thoughts, as a spectator's page draws it: in a real browser, on a scripted server."""

from __future__ import annotations

import msgspec
from playwright.async_api import expect

from gameserver.hand.facts import ActionKind, ForcedKind
from gameserver.wire.messages import AgentThought, Snapshot
from tests.client.frames import TABLE
from tests.live.chromium import OpenWatched, served
from tests.pages.played_hand import Hand
from tests.pages.scripted import Scripted
from tests.pages.test_in_a_browser import box, card_names, opened, overlap

HOSTILE = "<img src=x onerror=boom()> \u202eI hold what I hold"
HANDS = {"1": ["Qd", "Qc"], "2": ["As", "Ks"], "4": ["7h", "2d"]}


class OpenHand(Hand):
    """Frames of the public stream of a table with showHands and showThoughts."""

    def snapshot(self) -> Snapshot:
        first = super().snapshot()
        return msgspec.structs.replace(
            first, rules=msgspec.structs.replace(first.rules, show_hands=True, show_thoughts=True)
        )

    def think(self, number: int, text: str) -> None:
        self.frames.append(
            AgentThought(
                seq=self.number(),
                table_id=TABLE,
                hand_number=self.hand,
                agent_id=f"agent-{number}",
                seat=number,
                turn_id=f"turn-{number}",
                text=text,
            )
        )


def open_hand() -> OpenHand:
    """Two play on, one folds; each says why."""
    hand = OpenHand()
    hand.begin()
    hand.revealed = dict(HANDS)
    hand.post(4, ForcedKind.SMALL_BLIND, 10)
    hand.post(5, ForcedKind.BIG_BLIND, 20)
    hand.show_state(to_act=1)
    hand.stop("dealt")
    hand.act(1, ActionKind.RAISE, 60, to_act=2)
    hand.think(1, "Queens: raise.")
    hand.stop("raised")
    hand.act(2, ActionKind.CALL, 60, to_act=4)
    hand.think(2, HOSTILE)
    del hand.revealed["4"]
    hand.act(4, ActionKind.FOLD, to_act=1)
    hand.stop("folded")
    return hand


def script_of() -> Scripted:
    return Scripted(hand=open_hand(), first=OpenHand().snapshot())


async def test_live_hands_lie_face_up_until_they_are_folded(watched_page: OpenWatched) -> None:
    """A fold takes a hand out of the view, and no other one."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "dealt")
        await expect(page.locator("#stage .card.face")).to_have_count(6)
        assert await card_names(page, '.seat[data-seat="4"]') == HANDS["4"]
        script.play_on("folded")
        await expect(page.locator('.seat[data-seat="4"] .last')).to_have_text("folded")
        await expect(page.locator('.seat[data-seat="4"] .card')).to_have_count(0)
        assert await card_names(page, '.seat[data-seat="1"]') == HANDS["1"]
        assert await card_names(page, '.seat[data-seat="2"]') == HANDS["2"]


async def test_a_thought_is_below_the_board_and_in_the_log_as_text(watched_page: OpenWatched) -> None:
    """The last one, with who thinks; each replaces the one before. No element comes of it."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "raised")
        await expect(page.locator("#banner")).to_have_text("Ben Shark Queens: raise.")
        script.play_on("folded")
        await expect(page.locator("#banner .words")).to_have_text(HOSTILE)
        await expect(page.locator("#banner .who")).to_have_text("Cleo Gambler")
        lines = await page.locator("#log li").all_text_contents()
        assert f"Cleo Gambler thinks: {HOSTILE}" in lines
        assert lines.index("Ben Shark raises to 60") < lines.index("Ben Shark thinks: Queens: raise.")
        await expect(page.locator("main img, main script")).to_have_count(0)
        isolated = "all => all.every(each => getComputedStyle(each).unicodeBidi.startsWith('isolate'))"
        assert await page.locator("#banner bdi").evaluate_all(isolated)


async def test_open_hands_cover_no_bet_and_no_board(watched_page: OpenWatched) -> None:
    """On a phone and on a desk, and none is cut off by the head of the page."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        for width in (390, 1360):
            await page.set_viewport_size({"width": width, "height": 844})
            await opened(page, script, "folded")
            await expect(page.locator("#banner .words")).to_have_text(HOSTILE)
            board, head = await box(page, "#board"), await box(page, "header.top")
            for number in (1, 2):
                cards = await box(page, f'.seat[data-seat="{number}"] .cards')
                bet = await box(page, f'.seat[data-seat="{number}"] .bet')
                assert not overlap(cards, board) and not overlap(cards, head) and not overlap(cards, bet)
