"""What the floor keeps: tables, their hands and their chips, all of a change or nothing of it."""

from __future__ import annotations

import pytest

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.floor.ports import TableStore
from gameserver.store.accounts import Bankroll, PotAccount, Reason
from gameserver.store.disclosure import UNKNOWN
from gameserver.store.stored import HandStatus, StoredTable
from policy.ids import HandNumber, TableId
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.store.conftest import STARTING_CHIPS, Store
from tests.store.stories import (
    ALICE,
    ALICES,
    BOB,
    BOBS,
    TABLE,
    buy_in,
    move,
    options,
    result,
    seat_account,
    settled,
)

ONE = HandNumber(1)
TWO = HandNumber(2)


async def seated(store: Store) -> TableStore:
    """A table with Alice's and Bob's agents, a hundred chips each."""
    tables: TableStore = store.tables  # it is the floor's own protocol
    await tables.create_table(TABLE, options(), b"new")
    await tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"seated")
    return tables


async def test_a_table_is_read_back_as_it_was_stored(store: Store) -> None:
    """Options, the room's own bytes, and no open hand."""
    await store.tables.create_table(TABLE, options(show_hands=True), b"\x00\xffmemory")
    assert await store.tables.tables() == (StoredTable(TABLE, options(show_hands=True), b"\x00\xffmemory", None),)


async def test_tables_are_told_in_the_order_of_creation_and_closed_ones_are_not(store: Store) -> None:
    """A closed table is found by its id only."""
    for name in ("t_c", "t_a", "t_b"):
        await store.tables.create_table(TableId(name), options(name=name), b"")
    await store.tables.close_table(TableId("t_a"), [], b"closed")
    assert [table.table_id for table in await store.tables.tables()] == ["t_c", "t_b"]
    closed = await store.tables.table(TableId("t_a"))
    assert closed is not None and closed.closed and closed.memory == b"closed"
    assert await store.tables.table(TableId("t_unknown")) is None


async def test_a_buy_in_comes_from_the_bankroll_of_the_owner(store: Store) -> None:
    """People who were not seen before have their starting chips first."""
    await seated(store)
    assert await store.tables.bankroll_chips(ALICE) == STARTING_CHIPS - 100
    assert await store.ledger.balance_chips(seat_account(ALICES)) == 100


async def test_a_bankroll_that_is_too_small_refuses_and_nothing_changes(store: Store) -> None:
    """Not the other one's chips, nor the room, nor the person's first sight."""
    await store.tables.create_table(TABLE, options(), b"new")
    with pytest.raises(Refusal) as refused:
        await store.tables.change_table(
            TABLE, [buy_in(BOBS, 100), buy_in(ALICES, STARTING_CHIPS + 1)], b"seated", options(name="Changed")
        )
    assert refused.value.code is ErrorCode.NO_CHIPS
    assert await store.tables.tables() == (StoredTable(TABLE, options(), b"new", None),)
    assert await store.ledger.balance_chips(Bankroll(BOB)) == 0
    assert await store.people.user_name(BOB) is None


async def test_a_change_may_change_the_options(store: Store) -> None:
    """And without options it leaves them."""
    await store.tables.create_table(TABLE, options(show_hands=True), b"new")
    await store.tables.change_table(TABLE, [], b"1", options(name="Renamed"))
    await store.tables.change_table(TABLE, [], b"2")
    assert await store.tables.tables() == (StoredTable(TABLE, options(name="Renamed"), b"2", None),)


async def test_a_table_tells_when_its_memory_was_written(store: Store) -> None:
    """With each change anew; a restart counts on from there."""
    await store.tables.create_table(TABLE, options(), b"new")
    created = (await store.tables.tables())[0].memory_ms
    assert created == store.clock.now_ms
    await store.tables.begin_hand(TABLE, ONE, b"planned")
    assert created < (await store.tables.tables())[0].memory_ms <= store.clock.now_ms


async def test_a_hand_that_began_is_told_as_open(store: Store) -> None:
    """With the room's bytes of the plan, for who starts after a crash."""
    tables = await seated(store)
    await tables.begin_hand(TABLE, ONE, b"planned")
    assert await tables.tables() == (StoredTable(TABLE, options(), b"planned", ONE),)
    hand = await store.hands.hand(TABLE, ONE)
    assert hand is not None and hand.status is HandStatus.BEGAN and hand.result is None and hand.ended_ms is None


async def test_a_finished_hand_its_chips_and_the_room_come_together(store: Store) -> None:
    """The pot account passes everything on."""
    tables = await seated(store)
    await tables.begin_hand(TABLE, ONE, b"planned")
    await tables.finish_hand(TABLE, result(), settled(1), b"after", UNKNOWN)
    assert await tables.tables() == (StoredTable(TABLE, options(), b"after", None),)
    hand = await store.hands.hand(TABLE, ONE)
    assert hand is not None and hand.status is HandStatus.FINISHED
    assert hand.result is not None and hand.result.over == result().over
    assert hand.ended_ms is not None and hand.ended_ms > hand.began_ms
    assert [await store.ledger.balance_chips(seat_account(player)) for player in (ALICES, BOBS)] == [110, 90]
    assert await store.ledger.balance_chips(PotAccount(TABLE)) == 0


async def test_a_cancelled_hand_keeps_its_number_and_no_record(store: Store) -> None:
    """The next one has a higher number."""
    tables = await seated(store)
    await tables.begin_hand(TABLE, ONE, b"planned")
    await tables.cancel_hand(TABLE, ONE, [move(seat_account(BOBS), Bankroll(BOB), 100, Reason.REFUND, 1)], b"after")
    hand = await store.hands.hand(TABLE, ONE)
    assert hand is not None and hand.status is HandStatus.CANCELLED and hand.result is None
    with pytest.raises(Bug, match="given out before"):
        await tables.begin_hand(TABLE, ONE, b"again")
    await tables.begin_hand(TABLE, TWO, b"next")
    assert await tables.tables() == (StoredTable(TABLE, options(), b"next", TWO),)


async def test_a_hand_ends_once(store: Store) -> None:
    """What ends without a beginning, or ends again, is a Bug and changes nothing."""
    tables = await seated(store)
    with pytest.raises(Bug, match="did not begin or has ended"):
        await tables.finish_hand(TABLE, result(), [], b"wrong", UNKNOWN)
    with pytest.raises(Bug, match="did not begin or has ended"):
        await tables.cancel_hand(TABLE, ONE, [], b"wrong")
    await tables.begin_hand(TABLE, ONE, b"planned")
    await tables.finish_hand(TABLE, result(), settled(1), b"after", UNKNOWN)
    with pytest.raises(Bug, match="did not begin or has ended"):
        await tables.finish_hand(TABLE, result(), settled(1), b"wrong", UNKNOWN)
    with pytest.raises(Bug, match="did not begin or has ended"):
        await tables.cancel_hand(TABLE, ONE, [], b"wrong")
    assert (await tables.tables())[0].memory == b"after"
    assert await store.ledger.balance_chips(seat_account(ALICES)) == 110


async def test_one_hand_at_a_time(store: Store) -> None:
    """A second one that begins, and a table that closes under it, are Bugs; another table is not concerned."""
    tables = await seated(store)
    await tables.begin_hand(TABLE, ONE, b"planned")
    with pytest.raises(Bug, match="another one is open"):
        await tables.begin_hand(TABLE, TWO, b"wrong")
    with pytest.raises(Bug, match="while a hand is open"):
        await tables.close_table(TABLE, [], b"wrong")
    assert (await tables.tables())[0].memory == b"planned"
    await tables.create_table(TableId("t_2"), options(), b"")
    await tables.begin_hand(TableId("t_2"), ONE, b"its own first")
    assert [table.open_hand for table in await tables.tables()] == [ONE, ONE]


async def test_a_closed_or_unknown_table_does_not_change(store: Store) -> None:
    """It is a Bug, and no chip moves."""
    tables = await seated(store)
    back = [move(seat_account(p), Bankroll(p.owner), 100, Reason.CASH_OUT) for p in (ALICES, BOBS)]
    await tables.close_table(TABLE, back, b"closed")
    for table_id in (TABLE, TableId("t_unknown")):
        with pytest.raises(Bug, match="no such open table"):
            await tables.change_table(table_id, [buy_in(ALICES, 10)], b"wrong")
        with pytest.raises(Bug, match="no such open table"):
            await tables.take_chips(table_id, [buy_in(ALICES, 10)], lambda: (b"wrong", []))
        with pytest.raises(Bug, match="no such open table"):
            await tables.begin_hand(table_id, ONE, b"wrong")
    assert await tables.bankroll_chips(ALICE) == STARTING_CHIPS


async def test_a_table_is_created_once(store: Store) -> None:
    """An id that is taken is refused, and the first one stays."""
    await store.tables.create_table(TABLE, options(), b"first")
    with pytest.raises(Bug, match="id is taken"):
        await store.tables.create_table(TABLE, options(), b"second")
    assert [table.memory for table in await store.tables.tables()] == [b"first"]


async def test_chips_are_taken_before_the_room_changes(store: Store) -> None:
    """The room is asked once the chips are there; what it gives back goes with the rest."""
    tables = await seated(store)
    asked = []

    def then() -> tuple[bytes, list]:  # type: ignore[type-arg]
        asked.append(True)
        return b"rebought", [move(seat_account(ALICES), Bankroll(ALICE), 20, Reason.REBUY_RETURNED)]

    await tables.take_chips(TABLE, [move(Bankroll(ALICE), seat_account(ALICES), 50, Reason.REBUY)], then)
    assert asked == [True]
    assert (await tables.tables())[0].memory == b"rebought"
    assert await store.ledger.balance_chips(seat_account(ALICES)) == 130


async def test_the_room_is_not_asked_where_a_bankroll_is_too_small(store: Store) -> None:
    """So it cannot have changed."""
    tables = await seated(store)

    def then() -> tuple[bytes, list]:  # type: ignore[type-arg]
        raise AssertionError("asked")

    with pytest.raises(Refusal) as refused:
        await tables.take_chips(TABLE, [buy_in(ALICES, STARTING_CHIPS)], then)
    assert refused.value.code is ErrorCode.NO_CHIPS


async def test_a_room_that_refuses_gives_the_chips_back(store: Store) -> None:
    """Its own refusal comes through, and nothing was taken."""
    tables = await seated(store)

    def then() -> tuple[bytes, list]:  # type: ignore[type-arg]
        raise Refusal(ErrorCode.SEAT_TAKEN)

    with pytest.raises(Refusal) as refused:
        await tables.take_chips(TABLE, [buy_in(ALICES, 50)], then)
    assert refused.value.code is ErrorCode.SEAT_TAKEN
    assert await tables.bankroll_chips(ALICE) == STARTING_CHIPS - 100
    assert (await tables.tables())[0].memory == b"seated"


@pytest.mark.parametrize("kind", [TableKind.HUMAN, TableKind.MIXED])
async def test_a_stored_reveal_is_folded_off_where_people_can_sit(store: Store, kind: TableKind) -> None:
    """Whatever the row says; at an agent table it stays."""
    await store.tables.create_table(TABLE, options(kind, show_hands=True), b"")
    await store.tables.create_table(TableId("t_2"), options(show_hands=True), b"")
    folded, open_one = await store.tables.tables()
    assert folded.options.reveal == CLOSED
    assert open_one.options.reveal == RevealOptions(show_hands=True, show_thoughts=False)
