"""The pages in a real browser, on a scripted server. A console error, an uncaught one or a request to another host fails a test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Page, expect

from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import GameState, HandResult, PastHand, PlayerAction
from tests.client.frames import TABLE, snapshot
from tests.live.chromium import OpenWatched, served
from tests.pages.played_hand import played_hand
from tests.pages.scripted import Scripted, summary

HOSTILE = (
    "<script>boom()</script>",
    "<img src=x onerror=boom()>",
    "\u202eelttil a daer",
    "&lt;b&gt;",
    "javascript:boom()",
    "Z̷a̶l̴g̵o̷",
)


async def card_names(page: Page, where: str) -> list[str]:
    cards: list[str] = await page.locator(f"{where} .card.face").evaluate_all(
        "all => all.map(card => card.dataset.card)"
    )
    return cards


async def opened(page: Page, script: Scripted, until: str) -> None:
    script.play_on(until)
    await page.goto(f"/tables/{TABLE}")
    await expect(page.locator("#line")).to_have_text("live")


async def test_a_spectator_sees_the_table_from_the_first_frame_on(watched_page: OpenWatched) -> None:
    """Names, stacks, blinds, bets, the button, whose turn it is with a running clock, and cards face down."""
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "preflop")
        assert script.heard == [{"type": "enter"}]
        await expect(page.locator("#blinds")).to_have_text("10/20")
        await expect(page.locator(".seat")).to_have_count(6)
        await expect(page.locator('.seat[data-seat="1"] .name')).to_have_text("Ben Shark")
        await expect(page.locator('.seat[data-seat="1"] .bet')).to_have_text("60")
        await expect(page.locator('.seat[data-seat="1"] .stack')).to_have_text("2,080")
        await expect(page.locator('.seat[data-seat="1"] .last')).to_have_text("raise 60")
        await expect(page.locator('.seat[data-seat="3"] .dealer')).to_be_visible()
        await expect(page.locator(".dealer:visible")).to_have_count(1)
        await expect(page.locator(".seat.to-act .name")).to_have_text("Cleo Gambler")
        await expect(page.locator(".card.back")).to_have_count(10)
        await expect(page.locator(".card.face")).to_have_count(0)
        await expect(page.locator("#pot")).to_have_text("Pot 90")
        await expect(page.locator("#hand")).to_have_text("Hand 118")
        left = float(await page.locator(".seat.to-act .ring").get_attribute("data-left") or "0")
        assert 0 < left < 1
        await page.wait_for_timeout(400)
        assert float(await page.locator(".seat.to-act .ring").get_attribute("data-left") or "0") < left


async def test_a_hand_is_followed_to_its_end(watched_page: OpenWatched) -> None:
    """Board, shown cards, who won what; no card that was not shown is anywhere in the page."""
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "flop")
        await expect(page.locator("#street")).to_have_text("flop")
        assert await card_names(page, "#board") == ["Qs", "7d", "2c"]
        script.play_on("turn")
        await expect(page.locator('.seat[data-seat="2"] .last')).to_have_text("all-in")
        await expect(page.locator('.seat[data-seat="2"] .card.face')).to_have_count(2)
        script.play_on("showdown")
        await expect(page.locator("#banner")).to_have_text("Cleo Gambler wins 1,390")
        assert await card_names(page, "#board") == ["Qs", "7d", "2c", "Jh", "Ts"]
        assert await card_names(page, '.seat[data-seat="2"]') == ["As", "Ks"]
        await expect(page.locator(".seat.won .name")).to_have_text("Cleo Gambler")
        lines = await page.locator("#log li").all_text_contents()
        assert lines[0] == "Hand 118" and lines[-1] == "Cleo Gambler wins 1,390"
        assert "Cleo Gambler raises to 595 all-in" in lines
        assert "Eli Mathematician posts the small blind, 10" in lines


async def test_who_comes_late_sees_what_happened(watched_page: OpenWatched) -> None:
    """A snapshot in mid-hand brings the hand before, this hand's actions street by street, and the table as it is."""
    hand = played_hand()
    shown = hand.frames[: hand.frames.index("flop")]
    actions = [frame for frame in shown if isinstance(frame, PlayerAction)]
    now = [frame for frame in shown if isinstance(frame, GameState)][-1]
    whole = [frame for frame in hand.frames if isinstance(frame, PlayerAction)]
    over = next(frame for frame in hand.frames if isinstance(frame, HandResult))
    before = PastHand(hand_number=117, actions=whole, result=over)
    script = Scripted(hand=hand, first=snapshot(now, seq=now.seq, actions=actions, recent=[before]))
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "flop")
        assert await card_names(page, "#board") == ["Qs", "7d", "2c"]
        await expect(page.locator(".card.back")).to_have_count(6)
        await expect(page.locator('.seat[data-seat="0"] .last')).to_have_text("folded")
        lines = await page.locator("#log li").all_text_contents()
        first, second = lines.index("Hand 117"), lines.index("Hand 118")
        streets = [line.split()[0] for line in lines if line.split()[0] in ("flop", "turn", "river")]
        assert streets == ["flop", "turn", "river", "flop"]
        assert lines[second - 1] == "Cleo Gambler wins 1,390" and first == 0
        assert lines[-1] == "Ben Shark bets 120"
        script.play_on("turn")
        await expect(page.locator('.seat[data-seat="2"] .last')).to_have_text("all-in")


async def test_the_page_is_told_in_words_too(watched_page: OpenWatched) -> None:
    """For those who listen: seats and cards have names, the log is live, and the keyboard reaches it."""
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "flop")
        seat = page.get_by_role("listitem", name="Seat 2, Ben Shark, 1,960 chips, bet 120, bet 120")
        await expect(seat).to_be_visible()
        await expect(page.locator("#board").get_by_role("img", name="queen of spades")).to_be_visible()
        await expect(page.get_by_role("log")).to_have_attribute("aria-live", "polite")
        await page.keyboard.press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await page.locator("#log").focus()
        await expect(page.locator("#log")).to_be_focused()


async def test_hostile_names_are_text(watched_page: OpenWatched) -> None:
    """No script runs, no image loads, no element appears, and the direction of one name changes no other."""
    script = Scripted(hand=played_hand(HOSTILE))
    script.lobby.listed = [summary("<script>boom()</script>")]
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "showdown")
        await expect(page.locator("#banner .who")).to_have_text(HOSTILE[2])
        for number, name in enumerate(HOSTILE):
            await expect(page.locator(f'.seat[data-seat="{number}"] .name')).to_have_text(name)
        await expect(page.locator("main script, main img, main b:not(.amount b)")).to_have_count(0)
        isolated = "all => all.every(each => getComputedStyle(each).unicodeBidi.startsWith('isolate'))"
        assert await page.locator(".name, .who").evaluate_all(isolated)
        await page.goto("/")
        await expect(page.locator(".table-name")).to_have_text("<script>boom()</script>")


async def test_a_lost_line_is_resumed(watched_page: OpenWatched) -> None:
    """With the session and the last number; nothing is drawn twice."""
    script = Scripted(cut_at={50})
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "showdown")
        await expect(page.locator("#banner")).to_have_text("Cleo Gambler wins 1,390")
        assert script.heard[1] == {"type": "resume", "session": "ses-1", "epoch": "ep-1", "lastSeq": 49}
        lines = await page.locator("#log li").all_text_contents()
        assert lines.count("Ben Shark raises to 60") == 1 and lines.count("Cleo Gambler raises to 595 all-in") == 1


async def test_a_missing_frame_is_noticed_and_fetched(watched_page: OpenWatched) -> None:
    script = Scripted(leave_out={48})
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "showdown")
        await expect(page.locator("#banner")).to_have_text("Cleo Gambler wins 1,390")
        assert [heard["type"] for heard in script.heard] == ["enter", "resume"]
        assert script.heard[1]["lastSeq"] == 47


async def test_a_snapshot_instead_of_a_resume_starts_over(watched_page: OpenWatched) -> None:
    """`resync`: what was on the page is replaced."""
    script = Scripted(cut_at={60}, resume=False)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "showdown")
        await expect(page.locator("#banner")).to_have_text("Cleo Gambler wins 1,390")
        lines = await page.locator("#log li").all_text_contents()
        assert lines.count("Ben Shark raises to 60") == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [(CloseCode.NO_SUCH_TABLE, "no such table"), (CloseCode.TABLE_CLOSED, "the table is closed")],
)
async def test_a_final_code_is_told_and_the_page_stays_away(watched_page: OpenWatched, code: int, words: str) -> None:
    script = Scripted(close_with=code)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.goto(f"/tables/{TABLE}")
        await expect(page.locator("#line")).to_have_text(words)
        await page.wait_for_timeout(600)
        assert len(script.heard) == 1


@pytest.mark.parametrize("width", [320, 390, 768, 1360, 1920])
async def test_nothing_sticks_out_at_any_width(watched_page: OpenWatched, width: int) -> None:
    """No sideways scrolling, every seat inside the page, and the board under no seat."""
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.set_viewport_size({"width": width, "height": 844})
        await opened(page, script, "showdown")
        await expect(page.locator("#banner")).to_have_text("Cleo Gambler wins 1,390")
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        board = await box(page, "#board")
        for number in range(6):
            pod = await box(page, f'.seat[data-seat="{number}"] .pod')
            assert pod["x"] >= 0 and pod["x"] + pod["width"] <= width
            assert not overlap(pod, board)


LONG_NAMES = (
    "Ada the rock",
    "Blaise the shark",
    "Carl the gambler",
    "Daniel the station",
    "Emmy the mathematician",
    "Fermat the trickster of Toulouse",
)


@pytest.mark.parametrize("width", [1280, 1360, 1920])
@pytest.mark.parametrize("seats", [6, 8, 10])
async def test_names_are_whole_on_a_desk(watched_page: OpenWatched, width: int, seats: int) -> None:
    """Usual names and one of 32 characters: no part is cut off, whatever the number of seats."""
    script = Scripted(hand=played_hand(LONG_NAMES), max_seats=seats)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.set_viewport_size({"width": width, "height": 844})
        await opened(page, script, "flop")
        await expect(page.locator(".seat .name").nth(5)).to_have_text(LONG_NAMES[5])
        assert await page.locator(".seat .name").evaluate_all(CUT) == []


CUT = """all => all.filter(name => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 2)
                  .map(name => name.textContent)"""


@pytest.mark.parametrize("seats", [2, 9, 10])
async def test_seats_do_not_cover_each_other(watched_page: OpenWatched, seats: int) -> None:
    """At few and at many seats, on a phone and on a desk; free seats too."""
    script = Scripted(max_seats=seats)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        for width in (390, 1360):
            await page.set_viewport_size({"width": width, "height": 844})
            await opened(page, script, "preflop")
            await expect(page.locator(".seat")).to_have_count(seats)
            pods = [await box(page, f'.seat[data-seat="{number}"] .pod') for number in range(seats)]
            covered = [(a, b) for a in range(seats) for b in range(a) if overlap(pods[a], pods[b])]
            assert covered == []
            assert len({(pod["width"], pod["height"]) for pod in pods}) == 1, "a free seat is as large as a taken one"


async def test_the_lobby_keeps_itself_up_to_date(watched_page: OpenWatched) -> None:
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.goto("/")
        await expect(page.locator(".played")).to_have_text("117 hands played")
        await page.locator("a[data-table]").focus()
        script.lobby.listed = [summary(hands_played=118), summary("Kestrel", "tbl_2")]
        await expect(page.locator(".played").first).to_have_text("118 hands played", timeout=8_000)
        await expect(page.locator(".table-name")).to_have_text(["Heron", "Kestrel"])
        await expect(page.locator(f'[data-table="{TABLE}"]')).to_be_focused()


@pytest.mark.parametrize("path", ["/", f"/tables/{TABLE}"])
async def test_text_has_contrast(watched_page: OpenWatched, path: str) -> None:
    """At least 4.5 to 1 for the page's own colours of text on its darkest and lightest surfaces (WCAG 2.2, 1.4.3)."""
    script = Scripted()
    async with served(script.app()) as url, watched_page(url) as watch:
        await watch.page.goto(path)
        colours: dict[str, str] = json.loads(await watch.page.evaluate(READ_COLOURS))
        for text in ("--text", "--muted", "--brass", "--good", "--bad"):
            for surface in ("--room", "--panel", "--panel-high"):
                assert contrast(colours[text], colours[surface]) >= 4.5, (text, surface)
        for suit in ("--spade", "--heart", "--diamond", "--club"):
            assert contrast(colours[suit], colours["--card"]) >= 4.5, suit


READ_COLOURS = """() => {
  const style = getComputedStyle(document.documentElement);
  const names = ["text", "muted", "brass", "good", "bad", "room", "panel", "panel-high", "spade", "heart", "diamond", "club", "card"];
  return JSON.stringify(Object.fromEntries(names.map((name) => ["--" + name, style.getPropertyValue("--" + name).trim()])));
}"""


def contrast(first: str, second: str) -> float:
    """The ratio of two colours as #rrggbb (WCAG 2.2)."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def box(page: Page, where: str) -> dict[str, float]:
    found: Any = await page.locator(where).bounding_box()
    assert found is not None
    return dict(found)


def overlap(first: dict[str, float], second: dict[str, float]) -> bool:
    return (
        first["x"] < second["x"] + second["width"]
        and second["x"] < first["x"] + first["width"]
        and first["y"] < second["y"] + second["height"]
        and second["y"] < first["y"] + first["height"]
    )
