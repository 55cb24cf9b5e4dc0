"""The routes of the history: pages, files, and the one answer for what is not there and for what is not yours."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import httpx2
import pytest
import pytest_asyncio

from gameserver.hand.facts import ActionKind
from gameserver.http.history.disclosed import CancelledHand, FinishedHand, disclose
from gameserver.http.history.numbers import hand_number
from gameserver.http.history.page import page_of_hands
from gameserver.store.stored import HandStatus, StoredHand, StoredTable
from gameserver.table.facts import HandEnded
from policy.history_policy import PastPerson, Reader, Stranger
from policy.ids import HandNumber, TableId, UserId
from policy.spectator_policy import CLOSED
from tests.floor.world import World, options, until
from tests.http.history.worlds import ENDED_MS, LONG_AFTER_MS, cancelled, hand, table
from tests.http.world import World as WholeServer
from tests.http.world import opened_world
from tests.store import stories
from tests.store.conftest import Store

BAD_NUMBERS: Final = (
    *("-1", "0", "00", "2147483648", "9223372036854775807", "9223372036854775808", "1e3", "007", "٣", "1.0", "+1"),
    *("1_0", " 1", "1 ", "%31x", "1%00", "..", "*", "9" * 5_000, "1.phh.phh", "null"),
)
BAD_TABLES: Final = ("a" * 10_000, "%00", "..", "%2e%2e", "a%2Fb", "%ff%fe", "%", "t-none", "٣", "*", "'--", "-")
FORMS: Final = ("", ".phh", ".ohh.json")


@pytest_asyncio.fixture
async def one_hand(played: World, client: httpx2.AsyncClient) -> str:
    """The address of a table's first hand, which Ann folded."""
    table_id = await played.table(reveal=CLOSED)
    await played.seated(table_id, "ann", "bob")
    await played.act(table_id, ActionKind.FOLD)
    address = f"/games/poker/{table_id}/hands/1"
    await until(lambda: any(isinstance(fact, HandEnded) for _, fact in played.facts))
    return address


async def test_three_forms_of_one_hand(client: httpx2.AsyncClient, one_hand: str) -> None:
    """JSON, TOML and JSON, none of them to be stored on the way, and files with names."""
    document, phh, ohh = [await client.get(one_hand + form) for form in FORMS]
    assert all(answer.status_code == 200 for answer in (document, phh, ohh))
    assert all(answer.headers["cache-control"] == "no-store" for answer in (document, phh, ohh))
    assert document.json()["handNumber"] == 1
    assert tomllib.loads(phh.text)["hand"] == 1
    assert ohh.json()["ohh"]["game_number"] == "t-1-1"
    assert phh.headers["content-type"].startswith("application/toml")
    assert phh.headers["content-disposition"] == 'attachment; filename="t-1-1.phh"'
    assert ohh.headers["content-disposition"] == 'attachment; filename="t-1-1.ohh.json"'


async def test_a_number_that_is_none_is_not_found(client: httpx2.AsyncClient, one_hand: str) -> None:
    """One answer for all of them, and never an error of ours."""
    address = one_hand.removesuffix("1")
    missing = await client.get(f"{address}2")
    for form, number in itertools.product(FORMS, BAD_NUMBERS):
        answer = await client.get(f"{address}{number}{form}")
        assert answer.status_code == 404, number
        assert number == ".." or same(answer, missing), number


async def test_a_table_that_is_none_is_not_found(client: httpx2.AsyncClient, one_hand: str) -> None:
    """However it is written."""
    for rest, table_id in itertools.product(("", "/1", "/1.phh", "/1.ohh.json"), BAD_TABLES):
        answer = await client.get(f"/games/poker/{table_id}/hands{rest}")
        assert answer.status_code == 404, table_id


BAD_QUERIES: Final = (
    *(f"limit={number}" for number in (*BAD_NUMBERS[:10], "101", "", "٣")),
    *(f"before={number}" for number in ("-1", "0", "9223372036854775808", "1e3", "007", "", "٣")),
    *("limit=1&limit=2", "before=1&before=2"),
)


async def test_a_page_that_is_asked_for_wrongly(client: httpx2.AsyncClient, one_hand: str) -> None:
    """400, with the code and what it should be; nothing of what was sent."""
    for query in BAD_QUERIES:
        answer = await client.get(f"{one_hand.removesuffix('/1')}?{query}")
        assert answer.status_code == 400, query
        assert answer.json()["code"] == "out_of_range"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"] in (
            "limit is a whole number from 1 to 100",
            "before is the number of a hand",
        )


def same(one: httpx2.Response, other: httpx2.Response) -> bool:
    """Status, headers and bytes."""
    return (one.status_code, one.headers, one.content) == (other.status_code, other.headers, other.content)


async def test_a_bad_credential_is_told_before_anything_is_looked_up(client: httpx2.AsyncClient, one_hand: str) -> None:
    """401, alike for a hand that is there and for one that is not."""
    answers = [await client.get(f"{one_hand}{more}", headers={"who": "broken:token"}) for more in ("", "9")]
    assert answers[0].status_code == 401
    assert same(*answers)


async def test_a_private_table_is_there_for_those_who_may_know_of_it(played: World, client: httpx2.AsyncClient) -> None:
    """Every route says to others what it says of a table that does not exist; also once the table is closed."""
    table_id = await played.table(reveal=CLOSED, private=True, created_by=UserId("owner-of-ann"))
    await played.seated(table_id, "ann")
    for who in ("", "user:stranger", "user:owner-of-bob", "agent:bob:owner-of-bob"):
        for rest in ("", "/1", "/1.phh", "/1.ohh.json"):
            private = await client.get(f"/games/poker/{table_id}/hands{rest}", headers={"who": who})
            none = await client.get(f"/games/poker/t-none/hands{rest}", headers={"who": who})
            assert private.status_code == 404
            assert same(private, none)
    for who in ("user:owner-of-ann", "agent:ann:owner-of-ann"):
        answer = await client.get(f"/games/poker/{table_id}/hands", headers={"who": who})
        assert answer.json() == {"tableId": table_id, "hands": [], "before": None}


# --- pages --------------------------------------------------------------------------------------------------------------


class Shelf:
    """Hands 1 to 250 of one table, each ended a second after the one before; every tenth was cancelled."""

    def __init__(self) -> None:
        self.read = 0
        self.hands = [
            replace(cancelled(n) if n % 10 == 0 else hand(number=n), ended_ms=ENDED_MS + n * 1_000)
            for n in range(1, 251)
        ]

    async def hand(self, table_id: TableId, number: HandNumber) -> StoredHand | None:
        return self.hands[number - 1]

    async def ended_hands(
        self, table_id: TableId, number: HandNumber | None, limit: int, *, by_ms: int | None
    ) -> list[StoredHand]:
        earlier = [each for each in self.hands if number is None or each.hand_number < number]
        found = [each for each in earlier if by_ms is None or (each.ended_ms or 0) <= by_ms][-limit:]
        self.read += len(found)
        return found[::-1]

    async def page(
        self, of: StoredTable, reader: Reader, before: int | None = None, limit: int = 20, now_ms: int = LONG_AFTER_MS
    ) -> tuple[list[int], int | None]:
        number = None if before is None else HandNumber(before)
        page = await page_of_hands(self, table=of, reader=reader, before=number, limit=limit, now_ms=now_ms)
        return [each.hand_number for each in page.hands], page.before


async def test_pages_follow_each_other_to_the_first_hand() -> None:
    """Newest first; the last page names no other."""
    shelf, found, before = Shelf(), list[int](), None
    while True:
        numbers, before = await shelf.page(table(), Stranger(), before, 100)
        found += numbers
        if before is None:
            break
    assert found == list(range(250, 0, -1))
    assert await shelf.page(table(), Stranger(), 3, 2) == ([2, 1], None)
    assert await shelf.page(table(), Stranger(), 3, 1) == ([2], 2)
    assert await shelf.page(table(), Stranger(), 1, 5) == ([], None)
    assert await shelf.page(table(), Stranger(), 2**62, 2) == ([250, 249], 249)


@pytest.mark.parametrize("reader", [Stranger(), PastPerson(UserId("nobody"))])
async def test_hands_that_are_not_there_yet_leave_no_trace_in_a_page(reader: Reader) -> None:
    """A page is as full as it would be if the table had ended with the last one that was shown."""
    delay_ms = 100_000
    now_ms = ENDED_MS + 100 * 1_000 + delay_ms + 500
    assert await Shelf().page(table(delay_ms=delay_ms), reader, None, 3, now_ms) == ([100, 99, 98], 98)
    assert await Shelf().page(table(delay_ms=delay_ms), reader, 250, 3, now_ms) == ([100, 99, 98], 98)
    assert await Shelf().page(table(delay_ms=delay_ms), reader, 2, 3, now_ms) == ([1], None)


async def test_who_played_finds_a_hand_among_those_that_are_hidden_from_others() -> None:
    """The person who played has them at once, but for the cancelled ones."""
    delay_ms = 100_000
    now_ms = ENDED_MS + 100 * 1_000 + delay_ms + 500
    page = await Shelf().page(table(delay_ms=delay_ms), PastPerson(UserId("person")), None, 3, now_ms)
    assert page == ([249, 248, 247], 247)


async def test_a_strangers_page_reads_no_more_than_it_shows() -> None:
    """However many hands a delay hides."""
    shelf, delay_ms = Shelf(), 100_000
    await shelf.page(table(delay_ms=delay_ms), Stranger(), None, 3, ENDED_MS + 100 * 1_000 + delay_ms + 500)
    assert shelf.read == 4


@pytest.mark.parametrize("text", [number for number in BAD_NUMBERS if number not in ("2147483648", str(2**63 - 1))])
def test_what_is_no_number_of_a_hand(text: str) -> None:
    """Digits and nothing else, as they are written by us."""
    assert hand_number(text) is None


def test_what_is_a_number_of_a_hand() -> None:
    """Up to the largest that a store has."""
    assert [hand_number(text) for text in ("1", "10", "2147483648", str(2**63 - 1))] == [1, 10, 2**31, 2**63 - 1]


# --- both stores --------------------------------------------------------------------------------------------------------


async def test_a_stored_hand_is_read_from_either_store(store: Store) -> None:
    """Finished and cancelled, with the table that they were played at."""
    await store.tables.create_table(stories.TABLE, options(), b"")
    await store.tables.change_table(
        stories.TABLE, [stories.buy_in(stories.ALICES, 100), stories.buy_in(stories.BOBS, 100)], b""
    )
    await store.tables.begin_hand(stories.TABLE, HandNumber(1), b"")
    await store.tables.finish_hand(stories.TABLE, stories.result(1), stories.settled(1), b"")
    await store.tables.begin_hand(stories.TABLE, HandNumber(2), b"")
    await store.tables.cancel_hand(stories.TABLE, HandNumber(2), [], b"")
    await store.tables.begin_hand(stories.TABLE, HandNumber(3), b"")
    of = await store.tables.table(stories.TABLE)
    assert of is not None
    page = await page_of_hands(
        store.hands, table=of, reader=Stranger(), before=None, limit=10, now_ms=store.clock.now_ms
    )
    assert [type(each) for each in page.hands] == [CancelledHand, FinishedHand]
    first = await store.hands.hand(stories.TABLE, HandNumber(1))
    assert first is not None
    assert first.status is HandStatus.FINISHED
    found = disclose(table=of, hand=first, reader=PastPerson(stories.BOB), now_ms=store.clock.now_ms)
    assert isinstance(found, FinishedHand)
    assert {seat.name: seat.holds for seat in found.seats} == {
        "Alice's": stories.WINNING,
        "Bob's": stories.MUCKED,
        "Cárol": None,
    }


# --- the whole server ---------------------------------------------------------------------------------------------------


@pytest_asyncio.fixture
async def server(tmp_path: Any) -> AsyncIterator[WholeServer]:
    """The application as it is served."""
    async with opened_world(tmp_path) as world:
        yield world


async def test_the_server_has_these_routes(server: WholeServer) -> None:
    """A stored hand, for nobody and for an owner who is signed in; private tables for those who may know."""
    table_id = TableId(await server.table("olga", private=True))
    store = server.server.store
    await store.change_table(
        table_id,
        [stories.buy_in(stories.ALICES, 100, table_id), stories.buy_in(stories.BOBS, 100, table_id)],
        await memory_of(server, table_id),
    )
    memory = await memory_of(server, table_id)
    await store.begin_hand(table_id, HandNumber(1), memory)
    await store.finish_hand(table_id, stories.result(1), [], memory)
    address = f"/games/poker/{table_id}/hands"
    assert (await server.ask("GET", address)).status_code == 404
    assert (await server.ask("GET", f"{address}/1", user="bob")).status_code == 404
    page = await server.ask("GET", address, user="olga")
    assert [each["handNumber"] for each in page.json()["hands"]] == [1]
    document = await server.ask("GET", f"{address}/1", user="olga")
    assert json.dumps(list(stories.WINNING)) in json.dumps(document.json())
    assert not any(f'"{card}"' in document.text for card in (*stories.MUCKED, *stories.FOLDED))
    assert (await server.ask("GET", f"{address}/1.phh", user="olga")).status_code == 200
    assert (await server.ask("GET", f"{address}/1.ohh.json", user="olga")).status_code == 200
    assert document.headers["cache-control"] == "no-store"


async def memory_of(server: WholeServer, table_id: TableId) -> bytes:
    stored = await server.server.store.table(table_id)
    assert stored is not None
    return stored.memory
