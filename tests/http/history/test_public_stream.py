"""What a hand keeps as disclosed is what the public stream of that hand really showed: neither more nor less."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from gameserver.hand.facts import ActionKind
from gameserver.http.history.disclosed import STREAM_LAG_MS
from gameserver.store.stored import HandStatus, StoredHand
from gameserver.table import commands
from gameserver.table.facts import HandEnded
from gameserver.wire.messages import GameState, ShowCards
from policy.ids import HandNumber, Seat, TableId
from policy.spectator_policy import CLOSED, RevealOptions
from tests.floor.world import HAPPENS_WITHIN_S, OPEN, Client, World, until
from tests.http.history.played import cards_of

FIRST = HandNumber(1)
DELAY_MS = 60_000


async def stored_hand(world: World, table: TableId) -> StoredHand:
    """The first hand, once it is over."""
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while True:
            found = await world.hands.hand(table, FIRST)
            if found is not None and found.status is not HandStatus.BEGAN:
                return found
            await asyncio.sleep(0.005)


async def seated(world: World, *, reveal: RevealOptions = OPEN, delay_ms: int = 0) -> tuple[TableId, list[Client]]:
    """Somebody who watches, two hosted agents, and a hand that waits for the first move."""
    table = await world.table(reveal=reveal, spectator_delay_ms=delay_ms)
    await world.enter(table)
    clients = await world.seated(table, "ann", "bob", model="house")
    await world.until_hand(table)
    return table, clients


async def three_handed(world: World, **given: Any) -> TableId:
    """As `seated`, of three: the third comes before the first hand, since the table is paused for it."""
    table = await world.table(**{"reveal": OPEN, **given})
    await world.enter(table)
    await world.floor.operate(table, commands.Pause())
    await world.seated(table, "ann", "bob", "cid", model="house")
    await world.floor.operate(table, commands.Resume())
    await world.until_hand(table)
    return table


def streamed(world: World, table: TableId) -> Iterator[tuple[Seat, tuple[str, ...]]]:
    """(seat, cards) of every state that went to the public while the first hand was played."""
    for entry in world.journal.entries:
        if entry[:3] == ("door", "public", "GameState") and entry[3] == table:
            frame: GameState = entry[4]
            if frame.hand_number == FIRST and frame.to_act is not None:
                for seat, cards in (frame.revealed_hole_cards or {}).items():
                    yield Seat(int(seat)), tuple(cards)


async def asked(client: httpx2.AsyncClient, table: TableId, who: str = "") -> dict[int, list[str]]:
    """Whose cards this reader has in the history of the first hand."""
    answer = await client.get(f"/games/poker/{table}/hands/1", headers={"who": who})
    assert answer.status_code == 200, answer.text
    return {entry["seat"]: entry["holeCards"] for entry in answer.json()["players"] if "holeCards" in entry}


async def test_it_is_what_the_stream_showed(played: World, client: httpx2.AsyncClient) -> None:
    """Seat by seat and card by card; a fold took one hand out of the view, and not out of the history."""
    table = await three_handed(played)
    await played.act(table, ActionKind.FOLD)
    await played.play_hand(table)
    hand = await stored_hand(played, table)
    shown = dict(streamed(played, table))
    assert {seat for seat, _ in hand.disclosure.streamed} == set(shown) == {0, 1, 2}
    assert hand.disclosure.reveal_at_deal == OPEN
    assert hand.result is not None
    assert shown == cards_of(hand.result)
    assert await asked(client, table) == {seat: list(cards) for seat, cards in shown.items()}


async def test_an_agent_is_not_the_public(played: World, client: httpx2.AsyncClient) -> None:
    """It has what lay face up, and its own."""
    table, _ = await seated(played)
    await played.act(table, ActionKind.FOLD)
    await stored_hand(played, table)
    assert set(await asked(client, table)) == {0, 1}
    assert set(await asked(client, table, "agent:ann:owner-of-ann")) == {0}
    assert set(await asked(client, table, "agent:eve:owner-of-eve")) == set()


async def test_a_closed_table_streams_nothing(played: World, client: httpx2.AsyncClient) -> None:
    """An owner has their own agent's cards, and nobody else has any: all but one folded."""
    table, _ = await seated(played, reveal=CLOSED)
    await played.act(table, ActionKind.FOLD)
    hand = await stored_hand(played, table)
    assert hand.disclosure.streamed == ()
    assert hand.disclosure.reveal_at_deal == CLOSED
    assert await asked(client, table) == {}
    assert set(await asked(client, table, "user:owner-of-ann")) == {0}
    assert set(await asked(client, table, "user:owner-of-bob")) == {1}


async def test_what_was_shown_before_a_switching_off_stays(played: World, client: httpx2.AsyncClient) -> None:
    """In mid-hand: the cards were in the public's hands already."""
    table, _ = await seated(played)
    await played.floor.operate(table, commands.NarrowReveal(CLOSED))
    await played.act(table, ActionKind.FOLD)
    assert {seat for seat, _ in (await stored_hand(played, table)).disclosure.streamed} == {0, 1}
    assert set(await asked(client, table)) == {0, 1}


async def test_a_hand_that_begins_after_a_switching_off_streams_nothing(
    played: World, client: httpx2.AsyncClient
) -> None:
    """The table revealed once, and no more at the deal."""
    table = await played.table(reveal=OPEN)
    await played.floor.operate(table, commands.NarrowReveal(CLOSED))
    await played.seated(table, "ann", "bob", model="house")
    await played.act(table, ActionKind.FOLD)
    assert (await stored_hand(played, table)).disclosure.streamed == ()
    assert await asked(client, table) == {}


async def test_switching_off_within_the_delay_hides_all_of_it(played: World, client: httpx2.AsyncClient) -> None:
    """The stream had not shown a card yet, and never will."""
    table, _ = await seated(played, delay_ms=DELAY_MS)
    began_ms = played.clock.wall_ms()
    await played.floor.operate(table, commands.NarrowReveal(CLOSED))
    await played.act(table, ActionKind.FOLD)
    hand = await stored_hand(played, table)
    assert {seat for seat, _ in hand.disclosure.streamed} == {0, 1}
    assert all(began_ms < at_ms <= played.clock.wall_ms() + DELAY_MS for _, at_ms in hand.disclosure.streamed)
    played.clock.wall_shift_ms += 2 * DELAY_MS
    assert await asked(client, table) == {}


async def test_a_delayed_hand_is_there_when_it_was_shown(played: World, client: httpx2.AsyncClient) -> None:
    """Not in the list either; then with the cards that the stream showed."""
    table, _ = await seated(played, delay_ms=DELAY_MS)
    await played.act(table, ActionKind.FOLD)
    await stored_hand(played, table)
    for who in ("", "user:olga", "user:owner-of-ann", "agent:eve:owner-of-eve"):
        assert await listed(client, table, who) == []
        answer = await client.get(f"/games/poker/{table}/hands/1", headers={"who": who})
        assert answer.status_code == 404
    assert await listed(client, table, "agent:ann:owner-of-ann") == [1]
    played.clock.wall_shift_ms += DELAY_MS + STREAM_LAG_MS
    assert await listed(client, table) == [1]
    assert set(await asked(client, table)) == {0, 1}


async def listed(client: httpx2.AsyncClient, table: TableId, who: str = "") -> list[int]:
    answer = await client.get(f"/games/poker/{table}/hands", headers={"who": who})
    assert answer.status_code == 200
    return [hand["handNumber"] for hand in answer.json()["hands"]]


async def test_a_cancelled_hand_shows_none(played: World, client: httpx2.AsyncClient) -> None:
    """Though the stream did show its cards; and there is no file of it."""
    table, _ = await seated(played)
    assert list(streamed(played, table))
    await played.floor.operate(table, commands.CancelHand("an operator"))
    await stored_hand(played, table)
    answer = await client.get(f"/games/poker/{table}/hands/1")
    assert set(answer.json()) == {"status", "tableId", "handNumber", "beganAt", "endedAt"}
    assert answer.json()["status"] == "cancelled"
    for form in ("phh", "ohh.json"):
        assert (await client.get(f"/games/poker/{table}/hands/1.{form}")).status_code == 404


async def test_cards_shown_after_the_hand_are_in_the_history(played: World, client: httpx2.AsyncClient) -> None:
    """Stored before they are told, and face up in every form."""
    table, clients = await seated(played, reveal=CLOSED)
    await played.act(table, ActionKind.FOLD)
    hand = await stored_hand(played, table)
    assert hand.result is not None
    assert hand.result.over.pots
    winner = hand.result.over.pots[0].winners[0][0]
    await until(lambda: played.state(table).hand is None)
    assert (await clients[winner].ask(ShowCards()))["type"] == "ack"
    kept = played.journal.index("store", "note_shown", table)
    assert kept < played.journal.index("door", "public", "CardsShown", table)
    cards = list(cards_of(hand.result)[winner])
    assert await asked(client, table) == {winner: cards}
    document = (await client.get(f"/games/poker/{table}/hands/1")).json()
    assert document["shown"] == [{"seat": winner, "cards": cards}]
    for form in ("phh", "ohh.json"):
        file = await client.get(f"/games/poker/{table}/hands/1.{form}")
        assert all(card in file.text for card in cards)


async def test_what_was_shown_is_forgotten_with_its_hand(played: World) -> None:
    """The next hand of a table that reveals no more has nothing of the one before."""
    table, clients = await seated(played)
    await played.act(table, ActionKind.FOLD)
    await stored_hand(played, table)
    await played.floor.operate(table, commands.NarrowReveal(CLOSED))
    await until(lambda: any(isinstance(fact, HandEnded) for _, fact in played.facts))
    played.task(table)._next_hand_ms = 0  # the pause after a hand is over
    assert (await clients[0].ask(ShowCards()))["type"] in ("ack", "error")
    await until(lambda: played.state(table).hand_number == 2)
    await played.act(table, ActionKind.FOLD)
    await until(lambda: sum(isinstance(fact, HandEnded) for _, fact in played.facts) == 2)
    second = await played.hands.hand(table, HandNumber(2))
    assert second is not None
    assert (second.disclosure.streamed, second.disclosure.reveal_at_deal) == ((), CLOSED)


@pytest.mark.parametrize("reveal", [OPEN, CLOSED], ids=["revealing", "closed"])
async def test_no_row_has_a_card_while_the_hand_is_played(played: World, reveal: RevealOptions) -> None:
    """What was streamed is remembered as seats and times, and by the process only."""
    table, _ = await seated(played, reveal=reveal)
    stored = await played.hands.hand(table, FIRST)
    assert stored is not None
    assert stored.result is None
    assert stored.disclosure.streamed == ()
