"""The books: what one account loses another gets, nobody but `issued` is below zero, and what is wrong is found."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.store.accounts import Account, Bankroll, ChipMove, Issued, PotAccount, Reason, SeatAccount
from gameserver.store.engine import Database
from gameserver.store.ledger import Difference, Entry, Ledger
from gameserver.store.posting import Bookkeeping, account_key
from policy.ids import TableId, UserId
from tests.store.conftest import STARTING_CHIPS, Store
from tests.store.looking import meddle, rows_of
from tests.store.stories import ALICE, ALICES, BOB, TABLE, buy_in, move, options, seat_account


async def test_a_new_person_gets_the_starting_chips_once(store: Store) -> None:
    """From `issued`, and however many ask at once."""
    assert await asyncio.gather(*(store.ledger.bankroll_chips(ALICE) for _ in range(20))) == [STARTING_CHIPS] * 20
    assert await store.ledger.balance_chips(Issued()) == -STARTING_CHIPS
    assert [entry.reason for entry in await store.ledger.statement(Bankroll(ALICE))] == [Reason.GRANT]


async def test_without_starting_chips_nobody_is_granted_any(store: Store) -> None:
    """A move of nothing is no move."""
    ledger = Ledger(store.database, Bookkeeping(store.clock.wall_ms, 0))
    assert await ledger.bankroll_chips(ALICE) == 0
    assert await store.ledger.statement(Bankroll(ALICE)) == ()


async def test_an_operators_grant_adds_to_the_starting_chips(store: Store) -> None:
    """Also for a person who was not seen before."""
    assert await store.ledger.grant(ALICE, 5_000) == STARTING_CHIPS + 5_000
    assert await store.ledger.grant(ALICE, 1) == STARTING_CHIPS + 5_001


async def test_a_statement_tells_the_reason_the_table_and_the_hand(store: Store) -> None:
    """Newest first, at most as many as were asked for."""
    await store.tables.create_table(TABLE, options(), b"")
    await store.ledger.bankroll_chips(ALICE)
    granted = store.clock.now_ms
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100)], b"")
    newest, oldest = await store.ledger.statement(Bankroll(ALICE))
    assert newest == Entry(newest.transaction_id, -100, Reason.BUY_IN, TABLE, None, store.clock.now_ms)
    assert oldest == Entry(oldest.transaction_id, STARTING_CHIPS, Reason.GRANT, None, None, granted)
    assert await store.ledger.statement(Bankroll(ALICE), limit=1) == (newest,)


@pytest.mark.parametrize("amount", [0, -5, True, 1.5])
async def test_a_move_is_of_a_whole_number_above_zero(store: Store, amount: int) -> None:
    """Anything else is a Bug."""
    with pytest.raises(Bug, match="above zero"):
        await store.ledger.move([move(Issued(), Bankroll(ALICE), amount, Reason.GRANT, table_id=None)])


async def test_a_move_leads_from_one_account_to_another(store: Store) -> None:
    """To itself it is a Bug."""
    with pytest.raises(Bug, match="one account to another"):
        await store.ledger.move([move(Bankroll(ALICE), Bankroll(ALICE), 1, table_id=None)])


async def test_a_seat_below_zero_and_a_pot_that_keeps_chips_are_bugs(store: Store) -> None:
    """No refusal: nobody asked for it."""
    await store.tables.create_table(TABLE, options(), b"")
    await store.tables.change_table(TABLE, [buy_in(ALICES, 10)], b"")
    with pytest.raises(Bug, match="more than it has"):
        await store.tables.change_table(TABLE, [move(seat_account(ALICES), Bankroll(ALICE), 11)], b"")
    with pytest.raises(Bug, match="keep chips"):
        await store.tables.change_table(TABLE, [move(seat_account(ALICES), PotAccount(TABLE), 1)], b"")


async def test_a_move_names_a_table_and_a_hand_that_exist(store: Store) -> None:
    """The database refuses any other, and nothing changes."""
    await store.tables.create_table(TABLE, options(), b"")
    with pytest.raises(DBAPIError):
        await store.tables.change_table(TABLE, [buy_in(ALICES, 10, TableId("t_unknown"))], b"")
    with pytest.raises(DBAPIError):
        await store.tables.change_table(TABLE, [move(Bankroll(ALICE), seat_account(ALICES), 10, hand_number=7)], b"")
    assert await store.people.user_name(ALICE) is None


def test_no_two_accounts_share_a_key() -> None:
    """Colons in people's ids do no harm, since a table's id has none."""
    accounts: list[Account] = [
        Issued(),
        Bankroll(UserId("issued")),
        Bankroll(UserId("t:a")),
        SeatAccount(TableId("t"), "a"),
        SeatAccount(TableId("t"), "a:b"),
        SeatAccount(TableId("ta"), "b"),
        PotAccount(TableId("t")),
        PotAccount(TableId("ta")),
    ]
    assert len({account_key(account) for account in accounts}) == len(accounts)
    with pytest.raises(Bug, match="colon"):
        account_key(SeatAccount(TableId("t:a"), "b"))


async def test_twenty_buy_in_from_one_bankroll_and_ten_can(store: Store) -> None:
    """Exactly as many as there are chips for, at once and at different tables."""
    for number in range(20):
        await store.tables.create_table(TableId(f"t_{number}"), options(), b"new")
    tries = (
        store.tables.change_table(TableId(f"t_{n}"), [buy_in(ALICES, STARTING_CHIPS // 10, TableId(f"t_{n}"))], b"sat")
        for n in range(20)
    )
    done = await asyncio.gather(*tries, return_exceptions=True)
    refused = [outcome for outcome in done if isinstance(outcome, Refusal)]
    assert len(refused) == 10 and {refusal.code for refusal in refused} == {ErrorCode.NO_CHIPS}
    assert await store.ledger.bankroll_chips(ALICE) == 0
    assert sorted(table.memory for table in await store.tables.tables()) == [b"new"] * 10 + [b"sat"] * 10


async def test_two_that_pay_each_other_do_not_lock_up(store: Store) -> None:
    """Sixty transactions over the same accounts in every order, by two programs at once."""
    people = [UserId(f"u_{letter}") for letter in "edcba"]
    other = Database(store.url)
    ledgers = [store.ledger, Ledger(other, Bookkeeping(store.clock.wall_ms, STARTING_CHIPS))]
    pairs = [(a, b) for a in people for b in people if a != b] * 3
    pay = (ledgers[i % 2].move([move(Bankroll(a), Bankroll(b), 1, table_id=None)]) for i, (a, b) in enumerate(pairs))
    await asyncio.gather(*pay)
    assert [await store.ledger.bankroll_chips(person) for person in people] == [STARTING_CHIPS] * 5
    await other.dispose()


async def test_wrong_books_are_found(store: Store) -> None:
    """A balance that was changed by hand, and chips that came from nowhere; put right again, nothing is found."""
    await store.ledger.bankroll_chips(ALICE)
    await store.ledger.bankroll_chips(BOB)
    await meddle(store.beside, f"UPDATE railbird_accounts SET balance_chips = 1 WHERE account = 'bankroll:{ALICE}'")
    assert await store.ledger.verify_ledger() == (
        Difference(f"bankroll:{ALICE}", 1, STARTING_CHIPS),
        Difference("all accounts", 1 - STARTING_CHIPS, 0),
    )
    await meddle(
        store.beside,
        f"UPDATE railbird_accounts SET balance_chips = {STARTING_CHIPS} WHERE account = 'bankroll:{ALICE}'",
    )
    assert await store.ledger.verify_ledger() == ()


GIVES_TWICE = (
    "INSERT INTO railbird_entries (transaction_id, line, account, amount_chips, reason) "
    "SELECT transaction_id, 2, account, 5, reason FROM railbird_entries WHERE line = 0"
)


async def test_the_database_itself_lets_nobody_but_issued_below_zero(store: Store) -> None:
    """Nor a pot keep chips, nor an even line give, whoever writes."""
    await store.ledger.bankroll_chips(ALICE)
    for statement in (
        "UPDATE railbird_accounts SET balance_chips = -1 WHERE account LIKE 'bankroll:%'",
        "INSERT INTO railbird_accounts (account, kind, balance_chips) VALUES ('seat:t:a', 'seat', -1)",
        "INSERT INTO railbird_accounts (account, kind, balance_chips) VALUES ('pot:t', 'pot', 1)",
        "INSERT INTO railbird_accounts (account, kind, balance_chips) VALUES ('mine', 'issued', -1)",
        GIVES_TWICE,
    ):
        with pytest.raises(DBAPIError):
            await meddle(store.beside, statement)


PLACES = ("issued", "anna", "ben", "cleo", "seat1", "seat2", "pot")
MOVES = st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES), st.integers(1, 700)).filter(lambda m: m[0] != m[1])
POSTINGS = st.lists(st.lists(MOVES, min_size=1, max_size=4), min_size=1, max_size=8)
worlds = count()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(postings=POSTINGS)
async def test_the_sum_of_all_accounts_is_zero(store: Store, postings: list[list[tuple[str, str, int]]]) -> None:
    """Whatever is posted, done or refused: zero in all, nobody but `issued` below it, no pot that keeps chips."""
    table_id = TableId(f"t_{next(worlds)}")  # people, table and seats of this example's own
    await store.tables.create_table(table_id, options(), b"")
    accounts = {place: account_of(place, table_id) for place in PLACES}
    for person in ("anna", "ben", "cleo"):
        await store.ledger.bankroll_chips(UserId(f"{person}_{table_id}"))
    expected = Counter({"anna": STARTING_CHIPS, "ben": STARTING_CHIPS, "cleo": STARTING_CHIPS})
    issued = await store.ledger.balance_chips(Issued())
    for posting in postings:
        after = expected.copy()
        for source, target, amount in posting:
            after[source] -= amount
            after[target] += amount
        moves = [ChipMove(accounts[a], accounts[b], n, Reason.BET, table_id, None) for a, b, n in posting]
        if after["pot"] == 0 and all(chips >= 0 for place, chips in after.items() if place != "issued"):
            await store.ledger.move(moves)
            expected = after
        else:
            with pytest.raises((Refusal, Bug)):
                await store.ledger.move(moves)
    assert await store.ledger.verify_ledger() == ()
    balances = {key: balance for key, _, balance in (await rows_of(store.beside))["railbird_accounts"]}
    found = {place: balances.get(account_key(account), 0) for place, account in accounts.items()}
    assert found == {place: expected[place] + (issued if place == "issued" else 0) for place in PLACES}
    assert sum(balances.values()) == 0
    assert all(balance >= 0 for key, balance in balances.items() if key != "issued")


def account_of(place: str, table_id: TableId) -> Account:
    match place:
        case "issued":
            return Issued()
        case "pot":
            return PotAccount(table_id)
        case "seat1" | "seat2":
            return SeatAccount(table_id, place)
        case _:
            return Bankroll(UserId(f"{place}_{table_id}"))
