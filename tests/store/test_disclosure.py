"""What the public stream showed of a hand, and who showed their cards afterwards: kept beside the hand, by seat and time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from gameserver.errors import Bug
from gameserver.store.disclosure import UNKNOWN, Disclosure
from policy.ids import HandNumber, Seat
from policy.spectator_policy import CLOSED, RevealOptions
from tests.store.conftest import Store
from tests.store.stories import ALICES, BOBS, TABLE, buy_in, options, result, settled

OPEN = RevealOptions(show_hands=True, show_thoughts=True)
STREAMED = Disclosure(OPEN, ((Seat(0), 1_700_000_000_000), (Seat(2), 1_700_000_000_500)))


async def begun(store: Store) -> None:
    """A table at which hand 1 is open."""
    await store.tables.create_table(TABLE, options(show_hands=True), b"")
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"")
    await store.tables.begin_hand(TABLE, HandNumber(1), b"")


async def test_what_was_streamed_is_kept_with_the_hand(store: Store) -> None:
    """It comes back with the hand, and nothing is made up where nothing was told."""
    await begun(store)
    await store.tables.finish_hand(TABLE, result(1), settled(1), b"", STREAMED)
    await store.tables.begin_hand(TABLE, HandNumber(2), b"")
    await store.tables.finish_hand(TABLE, result(2), settled(2), b"")
    first, second = await store.hands.hand(TABLE, HandNumber(1)), await store.hands.hand(TABLE, HandNumber(2))
    assert first is not None and first.disclosure == STREAMED
    assert second is not None and second.disclosure == UNKNOWN


async def test_who_showed_afterwards_is_noted_once(store: Store) -> None:
    """By seat, with the time of the first; of a hand that is finished, and of no other."""
    await begun(store)
    with pytest.raises(Bug):
        await store.tables.note_shown(TABLE, HandNumber(1), [Seat(2)])
    await store.tables.finish_hand(TABLE, result(1), settled(1), b"", STREAMED)
    await store.tables.note_shown(TABLE, HandNumber(1), [Seat(2)])
    first = store.clock.now_ms
    await store.tables.note_shown(TABLE, HandNumber(1), [Seat(2), Seat(5)])
    found = await store.hands.hand(TABLE, HandNumber(1))
    assert found is not None
    assert found.shown_after == ((Seat(2), first), (Seat(5), store.clock.now_ms))
    assert [hand.shown_after for hand in await store.hands.hands_before(TABLE, None, 5)] == [found.shown_after]
    with pytest.raises(IntegrityError):
        await store.beside.write(lambda connection: connection.execute(text("DELETE FROM railbird_shown_hands")))


async def test_when_live_cards_were_switched_off(store: Store) -> None:
    """The first time counts, and another change of the options leaves it."""
    await begun(store)
    table = await store.tables.table(TABLE)
    assert table is not None and table.show_hands_off_ms is None
    narrower = replace(table.options, reveal=RevealOptions(show_hands=True, show_thoughts=False))
    await store.tables.change_table(TABLE, [], b"", narrower)
    table = await store.tables.table(TABLE)
    assert table is not None and table.show_hands_off_ms is None
    closed = replace(narrower, reveal=CLOSED)
    before = store.clock.now_ms
    await store.tables.change_table(TABLE, [], b"", closed)
    after = store.clock.now_ms
    await store.tables.change_table(TABLE, [], b"", replace(closed, name="Second"))
    table = await store.tables.table(TABLE)
    assert table is not None
    assert table.show_hands_off_ms is not None and before < table.show_hands_off_ms <= after


async def test_a_page_of_ended_hands(store: Store) -> None:
    """Newest first, no open hand among them, and none that ended later than asked for."""
    await begun(store)
    await store.tables.finish_hand(TABLE, result(1), settled(1), b"")
    await store.tables.begin_hand(TABLE, HandNumber(2), b"")
    await store.tables.cancel_hand(TABLE, HandNumber(2), [], b"")
    ended_ms = store.clock.now_ms
    await store.tables.begin_hand(TABLE, HandNumber(3), b"")
    await store.tables.finish_hand(TABLE, result(3), settled(3), b"")
    await store.tables.begin_hand(TABLE, HandNumber(4), b"")

    async def numbers(before: int | None, limit: int, by_ms: int | None) -> list[int]:
        hand_number = None if before is None else HandNumber(before)
        return [hand.hand_number for hand in await store.hands.ended_hands(TABLE, hand_number, limit, by_ms=by_ms)]

    assert await numbers(None, 9, None) == [3, 2, 1]
    assert await numbers(None, 9, ended_ms) == [2, 1]
    assert await numbers(3, 1, None) == [2]
    assert await numbers(1, 9, None) == []
