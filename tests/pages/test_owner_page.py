"""The owner's page in a real browser, on a scripted event stream."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from gameserver.hand.facts import ActionKind
from railbird.pages import NoOwner
from tests.client.frames import TABLE
from tests.live.chromium import OpenWatched, Watch, served
from tests.pages.owned_hand import OWN_CARDS, TEXTS, OwnedHand, owned_hand
from tests.pages.scripted import Lobby, Scripted, summary
from tests.pages.test_in_a_browser import HOSTILE, box, card_names

OWNER_PAGE = f"/tables/{TABLE}/owner"
OWNERS_LINK = "Your agent\u2019s view"


def script_of(hand: OwnedHand | None = None) -> Scripted:
    return Scripted(hand=hand or owned_hand(), lobby=Lobby([summary()], owned=None))


async def opened(page: Page, script: Scripted, until: str) -> None:
    script.play_on(until)
    await page.goto(OWNER_PAGE)
    await expect(page.locator("#line")).to_have_text("live")


def without_refusals(watch: Watch) -> None:
    """A browser writes each refused request to its console; any other problem still fails the test."""
    watch.problems = [each for each in watch.problems if "Failed to load resource" not in each]


async def test_an_owner_sees_their_agents_cards_and_nobody_elses(watched_page: OpenWatched) -> None:
    """Two cards lie face up, at the agent's seat, which is marked; they are in words beside the table too."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "recorded")
        await expect(page.locator(".card.face")).to_have_count(2)
        assert await card_names(page, '.seat[data-seat="1"]') == OWN_CARDS
        await expect(page.locator(".seat.own .name")).to_have_text("Ben Shark")
        await expect(page.get_by_role("listitem", name="Seat 2, Ben Shark, your agent")).to_be_visible()
        own = page.locator("#own li")
        await expect(own).to_contain_text("Ben Shark in hand 118")
        await expect(own.get_by_role("img", name="queen of diamonds")).to_be_visible()
        assert script.heard == [], "no WebSocket beside the events"


async def test_a_decision_is_provisional_until_the_table_has_it(watched_page: OpenWatched) -> None:
    """Thought, provisional, recorded; then one that the table changed, and one that came to nothing."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "thinking")
        turn = page.locator('[data-turn="turn-1"]')
        await expect(turn.locator(".thinks")).to_have_text(TEXTS[0])
        await expect(turn.locator(".fate")).to_have_count(0)
        script.play_on("deciding")
        await expect(turn.locator(".decides b")).to_have_text("raise to 60")
        await expect(turn.locator(".fate")).to_have_text("provisional: the table does not have it yet")
        await expect(turn).to_have_attribute("data-status", "provisional")
        script.play_on("recorded")
        await expect(turn.locator(".fate")).to_have_text("recorded: the table has it")
        script.play_on("changed")
        second = page.locator('[data-turn="turn-2"]')
        await expect(second.locator(".decides b")).to_have_text("bet 1,240")
        await expect(second.locator(".fate")).to_have_text("changed: the table has something else")
        script.play_on("second")
        third = page.locator('[data-turn="turn-3"]')
        await expect(third.locator(".fate")).to_have_text("provisional: the table does not have it yet")
        script.play_on("cancelled")
        await expect(third.locator(".fate")).to_have_text("discarded: the turn had no action")
        await expect(third.locator(".decides b")).to_have_text("go all-in")
        await expect(third.locator(".thinks")).to_have_text(TEXTS[2])
        await expect(page.locator("#turns > li")).to_have_count(3)
        lines = await page.locator("#log li").all_text_contents()
        assert "Ben Shark raises to 60" in lines
        assert not [line for line in lines if TEXTS[0] in line], "own reasoning has a place of its own"
        assert [line for line in lines if "a spectator may read this" in line] == [
            "Cleo Gambler thinks: a spectator may read this"
        ]


async def test_hostile_texts_and_names_are_text(watched_page: OpenWatched) -> None:
    """Thoughts, decisions and names: no script runs, no image loads, no element appears."""
    script = script_of(owned_hand(HOSTILE, HOSTILE[:3]))
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "cancelled")
        await expect(page.locator('[data-turn="turn-3"] .fate')).to_be_visible()
        assert await page.locator(".thinks").all_text_contents() == list(HOSTILE[:3])
        await expect(page.locator('[data-turn="turn-1"] .who')).to_have_text(HOSTILE[1])
        await expect(page.locator("#own .who")).to_have_text(HOSTILE[1])
        await expect(page.locator("main script, main img, .turns b:not(.decides b)")).to_have_count(0)
        isolated = "all => all.every(each => getComputedStyle(each).unicodeBidi.startsWith('isolate'))"
        assert await page.locator(".turns .who, .own-cards .who, .turns .words").evaluate_all(isolated)


async def test_own_cards_of_a_later_hand_are_not_laid_into_an_earlier_one(watched_page: OpenWatched) -> None:
    """Where the public part is late: the cards are beside the table at once, and at the seat when their hand is."""
    hand = OwnedHand()
    hand.begin()
    hand.own_cards(OWN_CARDS)
    hand.own_cards(["As", "Ad"], hand_number=119)
    hand.stop("late")
    hand.hand = 119
    hand.begin()
    hand.show_state(to_act=0)
    hand.stop("next")
    script = script_of(hand)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "late")
        await expect(page.locator("#own li")).to_contain_text("in hand 119")
        await expect(page.locator("#hand")).to_have_text("Hand 118")
        assert await card_names(page, '.seat[data-seat="1"]') != ["As", "Ad"]
        script.play_on("next")
        await expect(page.locator("#hand")).to_have_text("Hand 119")
        assert await card_names(page, '.seat[data-seat="1"]') == ["As", "Ad"]


async def test_a_lost_line_is_resumed_where_it_broke(watched_page: OpenWatched) -> None:
    """The browser names the last event; nothing is drawn twice."""
    script = script_of()
    script.cut_at = {50}
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "changed")
        await expect(page.locator('[data-turn="turn-2"]')).to_have_attribute("data-status", "changed")
        assert script.asked_after == ["", "owner.ep-1.49.mac"]
        lines = await page.locator("#log li").all_text_contents()
        assert lines.count("Ben Shark raises to 60") == 1


@pytest.mark.parametrize("missing", ["frame", "line"])
async def test_after_a_gap_it_starts_over_and_says_what_it_missed(watched_page: OpenWatched, missing: str) -> None:
    """A new snapshot; a decision whose end may have been in the gap is not called provisional any longer."""
    hand = OwnedHand()
    hand.begin()
    hand.own_cards(OWN_CARDS)
    hand.decide("turn-1", "provisional", ActionKind.FOLD)
    hand.stop("deciding")
    hand.decide("turn-1", "recorded", ActionKind.FOLD)
    lost = hand.seq
    hand.show_state(to_act=2)
    hand.stop("after")
    script = script_of(hand)
    script.resume = False
    (script.leave_out if missing == "frame" else script.cut_at).add(lost)
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await opened(page, script, "deciding")
        turn = page.locator('[data-turn="turn-1"]')
        await expect(turn).to_have_attribute("data-status", "provisional")
        script.first = hand.snapshot()
        script.play_on("after")
        await expect(turn.locator(".fate")).to_have_text("what became of it was missed")
        assert script.asked_after == ["", "" if missing == "frame" else f"owner.ep-1.{lost - 1}.mac"]


@pytest.mark.parametrize(
    ("status", "words"), [(401, "signed out"), (403, "no agent of yours sits here"), (404, "no such table")]
)
async def test_a_refused_stream_says_why_and_stays_away(watched_page: OpenWatched, status: int, words: str) -> None:
    """EventSource tells no status, so the page asks once."""
    script = script_of()
    script.refuse_events_with = status
    async with served(script.app()) as url, watched_page(url) as watch:
        await watch.page.goto(OWNER_PAGE)
        await expect(watch.page.locator("#line")).to_have_text(words)
        without_refusals(watch)


async def test_a_busy_server_is_asked_again(watched_page: OpenWatched) -> None:
    """503 is not final."""
    script = script_of()
    script.refuse_events_with = 503
    async with served(script.app()) as url, watched_page(url) as watch:
        await watch.page.goto(OWNER_PAGE)
        await expect(watch.page.locator("#line")).to_have_text("reconnecting")
        script.refuse_events_with = None
        await expect(watch.page.locator("#line")).to_have_text("live")
        without_refusals(watch)


@pytest.mark.parametrize("width", [390, 1280])
async def test_nothing_sticks_out(watched_page: OpenWatched, width: int) -> None:
    """The panel is beside the table on a desk and below it on a phone, and covers nothing."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.set_viewport_size({"width": width, "height": 844})
        await opened(page, script, "changed")
        await expect(page.locator("#turns > li")).to_have_count(2)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        stage, panel = await box(page, "#stage"), await box(page, ".reasoning")
        beside = stage["x"] + stage["width"] <= panel["x"]
        below = stage["y"] + stage["height"] <= panel["y"] + 1
        assert beside or below
        pods = [await box(page, f'.seat[data-seat="{number}"] .pod') for number in range(6)]
        assert len({(pod["width"], pod["height"]) for pod in pods}) == 1, "one's own seat is as large as another's"


@pytest.mark.parametrize(("owned", "status"), [(NoOwner.NOBODY, 401), (NoOwner.NOT_YOURS, 403)])
async def test_who_is_no_owner_here_gets_no_page_of_the_table(
    watched_page: OpenWatched, owned: NoOwner, status: int
) -> None:
    """Nothing of the table is in the answer, and a table that is not there has the same one."""
    script = Scripted(lobby=Lobby([summary()], owned=owned))
    async with served(script.app()) as url, watched_page(url) as watch:
        answers = [await watch.page.request.get(path) for path in (OWNER_PAGE, "/tables/none/owner")]
        assert [answer.status for answer in answers] == [status, status]
        texts = [await answer.text() for answer in answers]
        assert texts[0] == texts[1]
        assert "Heron" not in texts[0]


async def test_the_tables_page_leads_an_owner_to_it(watched_page: OpenWatched) -> None:
    """And nobody else."""
    script = script_of()
    async with served(script.app()) as url, watched_page(url) as watch:
        page = watch.page
        await page.goto(f"/tables/{TABLE}")
        await page.get_by_role("link", name=OWNERS_LINK).click()
        await expect(page).to_have_url(f"{url}{OWNER_PAGE}")
        script.lobby.owned = NoOwner.NOT_YOURS
        await page.get_by_role("link", name="The table alone").click()
        await expect(page.locator("#stage")).to_be_visible()
        await expect(page.get_by_role("link", name=OWNERS_LINK)).to_have_count(0)
