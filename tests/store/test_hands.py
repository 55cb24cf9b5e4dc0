"""Hands as they are read: one, the last ones for a restart, and pages for the history."""

from __future__ import annotations

from gameserver.store.stored import HandStatus
from policy.ids import HandNumber, TableId
from tests.store.conftest import Store
from tests.store.stories import ALICES, BOBS, TABLE, buy_in, options, result, settled


async def played(store: Store) -> None:
    """Five hands: the third was cancelled, the fifth is open. And another table's one."""
    await store.tables.create_table(TABLE, options(), b"")
    await store.tables.create_table(TableId("t_2"), options(), b"")
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"")
    for number in (1, 2, 3, 4, 5):
        await store.tables.begin_hand(TABLE, HandNumber(number), b"")
        if number == 3:
            await store.tables.cancel_hand(TABLE, HandNumber(3), [], b"")
        elif number != 5:
            await store.tables.finish_hand(TABLE, result(number), settled(number), b"")
    await store.tables.begin_hand(TableId("t_2"), HandNumber(9), b"")


async def test_the_last_results_are_told_oldest_first(store: Store) -> None:
    """Neither cancelled nor open ones, and no more than were asked for."""
    await played(store)
    assert [hand.hand_number for hand in await store.hands.recent_hands(TABLE, 20)] == [1, 2, 4]
    assert [hand.hand_number for hand in await store.hands.recent_hands(TABLE, 2)] == [2, 4]
    assert await store.hands.recent_hands(TableId("t_2"), 20) == ()
    assert [hand.hand_number for hand in await store.tables.recent_hands(TABLE, 2)] == [2, 4]


async def test_a_page_of_hands_is_told_newest_first(store: Store) -> None:
    """Each with its status; the next page ends before the last one's end."""
    await played(store)
    page = await store.hands.hands_before(TABLE, None, 3)
    assert [(hand.hand_number, hand.status) for hand in page] == [
        (5, HandStatus.BEGAN),
        (4, HandStatus.FINISHED),
        (3, HandStatus.CANCELLED),
    ]
    rest = await store.hands.hands_before(TABLE, page[-1].hand_number, 3)
    assert [hand.hand_number for hand in rest] == [2, 1]
    assert await store.hands.hands_before(TABLE, rest[-1].hand_number, 3) == ()


async def test_a_hand_that_never_began_is_none(store: Store) -> None:
    """Of this table: another table's number is not its own."""
    await played(store)
    assert await store.hands.hand(TABLE, HandNumber(9)) is None
    assert await store.hands.hand(TableId("t_unknown"), HandNumber(1)) is None
    assert await store.hands.hand(TableId("t_2"), HandNumber(9)) is not None
