"""Posting chips: double entry, in the caller's transaction.

    post   moves between accounts, all or none
    see    a person who was not seen before gets the starting chips

Each move is two entries, one takes what the other gives, and an account's balance is the sum of its entries. Nothing else changes
a balance. This module knows nothing of why chips move; the floor says so (`Reason`).

Locks are taken in one order by everybody: tables, then users, then accounts by key. So no two transactions wait for each other
(test_two_that_pay_each_other_do_not_lock_up).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from sqlalchemy import Connection, bindparam, insert, select, update

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.store import schema
from gameserver.store.accounts import Account, Bankroll, ChipMove, Issued, PotAccount, Reason, SeatAccount
from gameserver.store.engine import insert_new
from policy.ids import TableId, UserId

_account: Final = schema.accounts.c

# Built once: building a statement costs more than running it.
_LOCK: Final = (
    select(_account.account, _account.balance_chips)
    .where(_account.account.in_(bindparam("keys", expanding=True)))
    .order_by(_account.account)
    .with_for_update()
)
_SET: Final = (
    update(schema.accounts).where(_account.account == bindparam("key")).values(balance_chips=bindparam("balance"))
)
_START: Final = insert(schema.transactions).returning(schema.transactions.c.transaction_id)
_WRITE: Final = insert(schema.entries)


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """What every posting needs. `wall_ms`: the Unix time; `starting_chips`: what a new person gets (0: nothing)."""

    wall_ms: Callable[[], int]
    starting_chips: int


def post(connection: Connection, moves: Iterable[ChipMove], books: Bookkeeping) -> None:
    """Move chips, in the caller's transaction.

    Raises Refusal `no_chips` where a bankroll has too little, and Bug for a move that cannot be, a seat below zero or a pot
    that keeps chips. After either the caller's transaction has to end without a commit.
    """
    wanted = _checked(moves)
    granted = _first_sight(connection, _people(wanted), books)
    _post(connection, [*granted, *wanted], books.wall_ms())


def _first_sight(connection: Connection, people: Iterable[UserId], books: Bookkeeping) -> list[ChipMove]:
    """Note people, and give the grants of those who are new; the caller posts these in the same transaction."""
    rows = [{"user_id": user, "name": user, "first_seen_ms": books.wall_ms()} for user in sorted(set(people))]
    if not rows:
        return []
    statement = insert_new(connection, schema.users).returning(schema.users.c.user_id)
    new = sorted(connection.execute(statement, rows).scalars())
    return [grant_move(UserId(user), books.starting_chips) for user in new if books.starting_chips > 0]


def see(connection: Connection, user_id: UserId, books: Bookkeeping) -> None:
    """Note a person, and give one who is new the starting chips, in the caller's transaction."""
    _post(connection, _first_sight(connection, [user_id], books), books.wall_ms())


def grant_move(user_id: UserId, amount_chips: int) -> ChipMove:
    """New play chips for a person."""
    return ChipMove(Issued(), Bankroll(user_id), amount_chips, Reason.GRANT, None, None)


def account_key(account: Account) -> str:
    """The account's name in the database; two accounts never share one (test_no_two_accounts_share_a_key)."""
    match account:
        case Issued():
            return "issued"
        case Bankroll(user_id):
            return f"bankroll:{user_id}"
        case SeatAccount(table_id, player_id):
            return f"seat:{_plain(table_id)}:{player_id}"
        case PotAccount(table_id):
            return f"pot:{_plain(table_id)}"
        case _:
            assert_never(account)


def _plain(table_id: TableId) -> str:
    if ":" in table_id:
        raise Bug("a table's id has a colon")
    return table_id


def _kind(account: Account) -> str:
    return account_key(account).partition(":")[0]


def _checked(moves: Iterable[ChipMove]) -> list[ChipMove]:
    wanted = list(moves)
    for move in wanted:
        if type(move.amount_chips) is not int or move.amount_chips <= 0:
            raise Bug("a move of chips has to be of a whole number above zero")
        if move.source == move.target:
            raise Bug("a move of chips has to lead from one account to another")
    return wanted


def _people(moves: Iterable[ChipMove]) -> set[UserId]:
    return {side.user_id for move in moves for side in (move.source, move.target) if isinstance(side, Bankroll)}


def _post(connection: Connection, moves: Sequence[ChipMove], now_ms: int) -> None:
    if not moves:
        return
    changes: Counter[Account] = Counter()
    for move in moves:
        changes[move.source] -= move.amount_chips
        changes[move.target] += move.amount_chips
    balances = _locked(connection, changes)
    _write_balances(connection, {account: balances[account] + change for account, change in changes.items()})
    _write_entries(connection, moves, now_ms)


def _locked(connection: Connection, wanted: Iterable[Account]) -> dict[Account, int]:
    """The balances, locked until the end of the transaction; accounts that were not there begin with 0.

    All that are missing are made before the first lock. In the other order two who wait for each other are possible.
    """
    keys = {account_key(account): account for account in wanted}
    rows = [{"account": key, "kind": _kind(keys[key]), "balance_chips": 0} for key in sorted(keys)]
    connection.execute(insert_new(connection, schema.accounts), rows)
    return {keys[key]: balance for key, balance in connection.execute(_LOCK, {"keys": list(keys)})}


def _write_balances(connection: Connection, balances: dict[Account, int]) -> None:
    for account, balance in balances.items():
        _allow(account, balance)
    connection.execute(_SET, [{"key": account_key(account), "balance": chips} for account, chips in balances.items()])


def _allow(account: Account, balance: int) -> None:
    match account:
        case Issued():
            return
        case Bankroll():
            if balance < 0:
                raise Refusal(ErrorCode.NO_CHIPS, "the bankroll has too few chips")
        case SeatAccount():
            if balance < 0:
                raise Bug("a seat would pay more than it has")
        case PotAccount():
            if balance != 0:
                raise Bug("a pot would keep chips")
        case _:
            assert_never(account)


def _write_entries(connection: Connection, moves: Sequence[ChipMove], now_ms: int) -> None:
    transaction_id = connection.execute(_START, {"at_ms": now_ms}).scalar_one()
    rows = [
        {
            "transaction_id": transaction_id,
            "line": 2 * number + side,
            "account": account_key(account),
            "amount_chips": amount,
            "reason": str(move.reason),
            "table_id": move.table_id,
            "hand_number": move.hand_number,
        }
        for number, move in enumerate(moves)
        for side, account, amount in ((0, move.source, -move.amount_chips), (1, move.target, move.amount_chips))
    ]
    connection.execute(_WRITE, rows)
