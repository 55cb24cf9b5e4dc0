"""The pages of captured hands, from the real server with a real buffer: who gets them, and what they say."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest

from capture.record import CallOutcome, Decided, FinishedTurn, MissingReason, Move, Prompt, Purpose
from gameserver.identity.sessions import COOKIE
from policy.ids import AgentId, HandNumber, UserId
from railbird.pages import absences
from railbird.wiring.record.buffer_place import RecordSetup
from tests.capture.http.conftest import Recorded, played, recorded
from tests.capture.turns import call, decided, fell_back, key, turn
from tests.hostile.texts import hostile_texts
from tests.http.world import opened_world
from tests.pages.test_people import BROWSER, PROGRAM, is_a_page, shown

__all__ = ["recorded"]

HOSTILE = "<script>boom()</script><img src=x onerror=boom()>\u202e\0\ud800</div>{{ 7*7 }}\r\n"
OWN_TAGS = frozenset(
    (
        "html",
        "head",
        "meta",
        "title",
        "link",
        "script",
        "body",
        "a",
        "header",
        "img",
        "span",
        "main",
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "div",
        "button",
        "dialog",
        "form",
        "nav",
        "ol",
        "li",
        "article",
        "b",
        "section",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "bdi",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "time",
    )
)
HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


async def page_of(recorded: Recorded, path: str, user: str | None = "ann") -> httpx2.Response:
    headers = {} if user is None else recorded.world.be(user)
    return await shown(recorded.world, path, {**BROWSER, **headers})


async def captured(recorded: Recorded, number: int, *turns: FinishedTurn) -> str:
    """Another hand, over, with these turns of Ann's agent; the path of its page."""
    await recorded.begin(HandNumber(number))
    await recorded.capture(*turns)
    await recorded.finish(HandNumber(number))
    return f"/agents/{recorded.a1}/hands/{recorded.table_id}/{number}"


def made(recorded: Recorded, number: int, index: int = 3, **changed: object) -> FinishedTurn:
    """A turn of Ann's agent, as of now."""
    now = recorded.turn(recorded.a1, "x", index, number)
    return replace(turn(key(recorded.a1, number, index, recorded.table_id)), **{"at_us": now.at_us, **changed})  # type: ignore[arg-type]


class Elements(HTMLParser):
    """The elements of a page by name, and the text in its exact parts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def text_of(page: str) -> str:
    """What people read."""
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page))


# --- who gets it --------------------------------------------------------------------------------------------------------


async def test_a_hand_is_a_page_in_a_browser_and_the_same_json_elsewhere(recorded: Recorded) -> None:
    """Stored by nobody; a program that names nothing, or JSON, gets what it always got."""
    listed = recorded.own.rsplit("/", 2)[0]
    for path in (recorded.own, listed):
        page = await page_of(recorded, path)
        assert page.status_code == 200 and is_a_page(page)
        program = await shown(recorded.world, path, {**PROGRAM, **recorded.world.be("ann")})
        silent = await recorded.world.ask("GET", path, user="ann")
        assert program.content == silent.content and program.headers["content-type"] == "application/json"
        for answer in (page, program):
            assert (answer.headers["cache-control"], answer.headers["vary"]) == ("no-store", "Accept")
    page = await page_of(recorded, recorded.own)
    assert "told to A1" in page.text and "told to B1" not in page.text and recorded.b1 not in page.text
    assert (await page_of(recorded, f"/tables/{recorded.table_id}", None)).status_code == 200


async def test_not_yours_and_not_there_are_one_page(recorded: Recorded) -> None:
    """A rival's hand, an unknown one, one without one's agent, and an odd name: the same status and the same bytes."""
    table = recorded.table_id
    hands = [f"/agents/{a}/hands/{table}/7" for a in (recorded.b1, "nobody", recorded.idle, "a*", "%00", "a" * 3_000)]
    hands += [f"/agents/{recorded.a1}/hands/{at}" for at in (f"{table}/8", f"{table}/07", "t-none/7", "%ff/7")]
    lists = [f"/agents/{agent}/hands" for agent in (recorded.b1, "nobody", "a*", "%00")]
    pages = [await page_of(recorded, path) for path in (*hands, *lists)]
    assert {page.status_code for page in pages} == {404} and len({page.content for page in pages}) == 1
    assert is_a_page(pages[0]) and {page.headers["cache-control"] for page in pages} == {"no-store"}
    assert (await page_of(recorded, recorded.own, "bob")).content == pages[0].content
    assert (await page_of(recorded, f"/agents/{recorded.idle}/hands")).status_code == 200


async def test_nobody_is_asked_to_sign_in(recorded: Recorded) -> None:
    """Whatever the address, and under the status of the JSON."""
    pages = [
        await shown(recorded.world, path, {**BROWSER, **credential})
        for path in (recorded.own, "/agents/none/hands/t/1", f"/agents/{recorded.a1}/hands")
        for credential in ({}, {"authorization": "Bearer x"}, {"cookie": f"{COOKIE}=x"})
    ]
    assert {page.status_code for page in pages} == {401} and len({page.content for page in pages}) == 1
    assert pages[0].headers["www-authenticate"] == "Bearer" and "<h1>Sign in</h1>" in pages[0].text


async def test_who_sold_an_agent_sees_the_hands_of_before_and_who_bought_it_those_after(recorded: Recorded) -> None:
    """On the list and on the pages; only the owner's own page has the buttons, and only for a browser's session."""
    await recorded.world.server.people.transfer_agent(recorded.a1, UserId("cat"))
    listed = f"/agents/{recorded.a1}/hands"
    assert "Hand 7" in (await page_of(recorded, listed)).text
    bought = await page_of(recorded, listed, "cat")
    assert bought.status_code == 200 and "No hand yet" in bought.text and "Hand 7" not in bought.text
    assert (await page_of(recorded, recorded.own)).status_code == 200
    assert (await page_of(recorded, recorded.own, "cat")).status_code == 404


async def test_a_private_tables_new_name_is_told_to_nobody_who_may_not_know_it(recorded: Recorded) -> None:
    """An owner's past hand there stays theirs, under the id that they asked for."""
    private = await recorded.world.table("bob", name="Bobs secret", private=True)
    other = replace(recorded, table_id=type(recorded.table_id)(private))
    path = await captured(other, 3, made(other, 3))
    page = await page_of(recorded, path)
    assert page.status_code == 200 and private in page.text and "secret" not in page.text
    assert "secret" not in (await page_of(recorded, f"/agents/{recorded.a1}/hands")).text


async def test_a_list_looks_only_so_far(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the hands of somebody else's time; and its pages follow one another without a gap."""
    asked = []
    ledger = recorded.world.server.record.ledger
    for number in range(8, 12):
        await captured(recorded, number, made(recorded, number))
    whole = ledger.recent_hands_of

    async def counted(agent_id: AgentId, *, limit: int, before_us: int | None = None) -> object:
        asked.append(before_us)
        return await whole(agent_id, limit=2, before_us=before_us)

    reads = replace_limit(monkeypatch, 2)
    listed = f"/agents/{recorded.a1}/hands"
    first = await page_of(recorded, listed)
    earlier = re.search(r'href="(\?before=\d+)"', first.text)
    assert earlier is not None and reads == 2
    second = await page_of(recorded, f"{listed}{earlier[1]}")
    numbers = [re.findall(r">Hand (\d+)<", page.text) for page in (first, second)]
    assert numbers == [["11", "10"], ["9", "8"]]
    assert (await page_of(recorded, f"{listed}?before=x")).status_code == 400
    await recorded.world.server.people.transfer_agent(recorded.a1, UserId("cat"))
    monkeypatch.setattr(ledger, "recent_hands_of", counted)
    monkeypatch.setattr("capture.reads.owner_read._MOST_LOOKS", 2)
    assert "No hand yet" in (await page_of(recorded, listed, "cat")).text
    assert len(asked) == 2


def replace_limit(monkeypatch: pytest.MonkeyPatch, hands: int) -> int:
    monkeypatch.setattr("railbird.own_turns.HANDS_A_PAGE", hands)
    return hands


# --- what it says -------------------------------------------------------------------------------------------------------


async def test_a_turn_is_told_from_what_it_knew_to_what_left(recorded: Recorded) -> None:
    """The parts, the facts, and the move; the envelope apart from the remainder."""
    knew = {
        "state": {"yourHoleCards": ["Qh", "Kd"], "board": ["2c"], "street": "flop", "pot": 1_200},
        "yourTurn": {"toCall": 40},
    }
    said = decided(
        call(
            prompt=Prompt(b"You play poker.\n", b"It is your turn."),
            completion='{"reasoning": "I am sure.", "action": "raise"}',
        ),
        chosen=Move("raise", 4_000),
        sent=Move("raise", 4_000),
    )
    page = await page_of(recorded, await captured(recorded, 9, made(recorded, 9, knowledge=knew, outcome=said)))
    text = text_of(page.text)
    for words in (
        "raise to 4,000", "left as chosen", "Q♥", "K♦", "2♣", "flop", "pot 1,200", "40 to call", "You play poker.", "It is your turn.",
        "I am sure.", "these are the bytes that were sent", "v1", "gpt-x", "900 in, 40 out", "$0.1", "800 ms", "0.5", "p1",
        "The whole request", "The whole answer of the provider", "There until 20",
    ):  # fmt: skip
        assert words in text, words
    assert "FALLBACK" not in text and "changed" not in text and "knew less" not in text


async def test_a_changed_move_says_from_to_and_why(recorded: Recorded) -> None:
    """And an agent that knew less than the table is marked; a first try that failed is told, and its price is not nothing."""
    outcome = Decided(
        calls=(
            call(attempt=0, outcome=CallOutcome.GARBLED, completion="no idea", cost_usd=None, output_tokens=None),
            call(attempt=1, purpose=Purpose.REPAIR, cost_usd=Decimal("0.00001")),
        ),
        deciding=1,
        chosen=Move("raise", 7),
        sent=Move("call"),
        why="raise_below_minimum",
    )
    page = await page_of(recorded, await captured(recorded, 9, made(recorded, 9, outcome=outcome, history_gap=True)))
    text = text_of(page.text)
    for words in (
        "changed on the way out from raise to 7 to call", "raise_below_minimum", "knew less than the table",
        "Asked (attempt 1): garbled", "no idea", "$0.00001 and 1 call of unknown price", "price not known", "900 in, not told out",
    ):  # fmt: skip
        assert words in text, words


async def test_a_fallback_has_its_badge(recorded: Recorded) -> None:
    """On the hand's page with its reason, and on the list, where a hand of nothing else is marked as such."""
    fallback = made(recorded, 9, index=5, outcome=fell_back(call(), reason="timed_out"))
    path = await captured(recorded, 9, made(recorded, 9), fallback)
    page = await page_of(recorded, path)
    assert page.text.count("FALLBACK") == 1 and "(timed_out)" in re.sub("<[^>]*>", "", page.text)
    assert "1 of them a fallback" in text_of(page.text)
    alone = await captured(recorded, 10, made(recorded, 10, outcome=fell_back()))
    assert "No decision, so nothing captured" in (await page_of(recorded, alone)).text
    rows = (await page_of(recorded, f"/agents/{recorded.a1}/hands")).text.split("<tr ")[1:]
    assert ["fallbacks only" in row for row in rows] == [True, False, False]
    assert ["1 fallback<" in row for row in rows] == [False, True, False]


async def test_not_captured_expired_dropped_and_empty_are_four_sentences(recorded: Recorded) -> None:
    """Each said of what is so, and of nothing else."""
    why = absences.OF_A_PART
    four = [why[MissingReason.BEFORE_CAPTURE], why[MissingReason.EXPIRED], why[MissingReason.DROPPED], absences.EMPTY]
    assert len({*why.values(), absences.EMPTY}) == len(why) + 1
    untold = made(recorded, 9, 1, knowledge=MissingReason.BEFORE_CAPTURE)
    empty = made(recorded, 9, 2, messages=())
    page = (await page_of(recorded, await captured(recorded, 9, untold, empty))).text
    assert [page.count(words) for words in four] == [1, 0, 0, 1]
    await recorded.expire()
    page = (await page_of(recorded, f"/agents/{recorded.a1}/hands/{recorded.table_id}/9")).text
    assert [page.count(words) for words in four] == [0, 0, 2, 0]
    await captured(recorded, 10, made(recorded, 10, at_us=1_700_000_000_000_000))
    await recorded.expire()
    page = (await page_of(recorded, f"/agents/{recorded.a1}/hands/{recorded.table_id}/10")).text
    assert [page.count(words) for words in four] == [0, 1, 0, 0] and 'class="stays expired"' in page
    nothing = await captured(recorded, 11)
    assert absences.OF_A_HAND[MissingReason.BEFORE_CAPTURE] in (await page_of(recorded, nothing)).text
    assert (await recorded.world.ask("DELETE", recorded.own, user="ann")).status_code == 200
    deleted = (await page_of(recorded, recorded.own)).text
    assert why[MissingReason.REDACTED] in deleted and 'class="stays redacted"' in deleted


async def test_a_kept_hand_says_until_when(tmp_path: Path, valkey_url: str, recorded: Recorded) -> None:
    """Until its owner deletes it, or to an operator's limit, before and after it is kept."""
    assert "A kept hand stays until you delete it." in await _buttons(recorded)
    await recorded.world.ask("POST", f"{recorded.own}/keep", user="ann")
    await recorded.expire()
    assert ">Kept until you delete it<" in (await page_of(recorded, recorded.own)).text
    assert ">Kept until you delete it<" in (await page_of(recorded, f"/agents/{recorded.a1}/hands")).text
    await recorded.capture(recorded.turn(recorded.a1, "later", index=9))
    assert ">1 of 2 turns kept until you delete it<" in (await page_of(recorded, recorded.own)).text
    setup = RecordSetup(redis_url=valkey_url, pinned_days=7)
    (tmp_path / "limited").mkdir()
    async with opened_world(tmp_path / "limited", record=setup) as world, played(world, valkey_url) as limited:
        assert "A kept hand stays until 20" in await _buttons(limited)
        await world.ask("POST", f"{limited.own}/keep", user="ann")
        assert ">Kept until 20" in (await page_of(limited, limited.own)).text


async def _buttons(recorded: Recorded) -> str:
    """The page as a browser's session has it: with the buttons, which a token alone does not get."""
    assert 'id="keep"' not in (await page_of(recorded, recorded.own)).text
    link = await recorded.world.server.sign_in_link(UserId("ann"))
    signed_in = await shown(recorded.world, link, BROWSER)
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    page = await shown(recorded.world, recorded.own, {**BROWSER, "cookie": cookie})
    assert is_a_page(page) and 'id="keep"' in page.text
    return page.text


# --- hostile texts ------------------------------------------------------------------------------------------------------


def hostile_turn(recorded: Recorded, number: int, text: str) -> FinishedTurn:
    """One whose every text is this one."""
    whole = text.encode("utf-8", "surrogatepass")
    one = call(
        prompt=Prompt(whole, whole), completion=text, model=text[:50], provider=text[:50], request_body=whole, response_body=whole + b"\xff"
    )  # fmt: skip
    outcome = decided(one, chosen=Move(text[:50], 3), sent=Move("call"), why=text)
    return made(recorded, number, outcome=outcome, knowledge={"told": text.encode("utf-8", "replace").decode()})


async def test_no_text_of_a_model_or_rival_is_a_part_of_the_page(recorded: Recorded) -> None:
    """No element, no attribute, no hidden or reordering character; what has no shape stands there by its number."""
    plain = Elements((await page_of(recorded, recorded.own)).text)
    for number, text in enumerate([HOSTILE, *(case.text for case in hostile_texts("reasoning"))], start=9):
        page = await page_of(recorded, await captured(recorded, number, hostile_turn(recorded, number, text)))
        assert page.status_code == 200 and is_a_page(page)
        elements = Elements(page.text)
        assert {*elements.tags} <= OWN_TAGS
        assert [elements.tags.count(tag) == plain.tags.count(tag) for tag in ("script", "img", "link", "meta")] == [
            True
        ] * 4
        assert HIDDEN.search(page.text) is None
    assert "{{ 7*7 }}" in (await page_of(recorded, f"/agents/{recorded.a1}/hands/{recorded.table_id}/9")).text


async def test_texts_of_two_megabytes_make_a_page_that_a_browser_takes(recorded: Recorded) -> None:
    """Cut with a word about it; the JSON has all."""
    text = "<b>long</b> " * 170_000
    path = await captured(
        recorded, 9, made(recorded, 9, outcome=decided(call(completion=text, prompt=Prompt(b"e", text.encode()))))
    )
    page = await page_of(recorded, path)
    assert len(page.content) < 5_000_000 and page.text.count("Cut here:") == 2 and "<b>long" not in page.text
    assert (await recorded.world.ask("GET", path, user="ann")).json()["turns"][0]["response"] == text


async def test_knowledge_of_any_kind_is_shown(recorded: Recorded) -> None:
    """Whatever JSON an agent's program makes of it: no names, too deep, too many, odd where ours has cards."""
    deep: object = "end"
    for _ in range(60):
        deep = [deep]
    odd = {"state": {"yourHoleCards": "all", "board": [1], "street": "<b>", "pot": True}, "yourTurn": 3}
    for number, (knew, words) in enumerate(
        [(["a", "b"], "as JSON"), ("words", "as JSON"), (deep, "as JSON"), ({str(n): n for n in range(99)}, "as JSON"), (odd, "yourTurn")],
        start=20,
    ):  # fmt: skip
        page = await page_of(recorded, await captured(recorded, number, made(recorded, number, knowledge=knew)))
        assert page.status_code == 200 and words in page.text and 'class="glance"' not in page.text
    nothings: list[object] = [{}, [], "", None]
    for number, nothing in enumerate(nothings, start=30):
        page = await page_of(recorded, await captured(recorded, number, made(recorded, number, knowledge=nothing)))
        assert page.text.count(absences.EMPTY) == 1
