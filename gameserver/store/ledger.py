"""The chip ledger as others ask it: balances, grants, an account's statement, and whether the books are right.

It changes a balance by `gameserver.store.posting` and in no other way. Who may ask is decided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, select

from gameserver.store import schema
from gameserver.store.accounts import Account, Bankroll, ChipMove, Reason
from gameserver.store.engine import Database
from gameserver.store.posting import Bookkeeping, account_key, grant_move, post, see
from policy.ids import HandNumber, TableId, UserId


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an account's statement. `amount_chips`: above zero what came, below zero what went."""

    transaction_id: int
    amount_chips: int
    reason: Reason
    table_id: TableId | None
    hand_number: HandNumber | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the books are wrong: `where` names an account, a transaction or the whole; what is there and what should be."""

    where: str
    found_chips: int
    expected_chips: int


_STATEMENT_LIMIT: Final = 100


class Ledger:
    """The ledger as others ask it. Each method is one transaction."""

    def __init__(self, database: Database, books: Bookkeeping) -> None:
        self._database = database
        self._books = books

    async def bankroll_chips(self, user_id: UserId) -> int:
        """A person's balance; a new person is granted the starting chips first."""
        seen = select(schema.users.c.user_id).where(schema.users.c.user_id == user_id)
        if await self._database.value(seen) is not None:  # a look, before a writer's turn is asked for
            return await self.balance_chips(Bankroll(user_id))

        def work(connection: Connection) -> int:
            see(connection, user_id, self._books)
            return _balance(connection, Bankroll(user_id))

        return await self._database.write(work)

    async def balance_chips(self, account: Account) -> int:
        """An account's balance; 0 for one that was never used."""
        return await self._database.read(lambda connection: _balance(connection, account))

    async def grant(self, user_id: UserId, amount_chips: int) -> int:
        """Give a person new play chips, and return the balance. An operator's act; who may ask is decided before."""

        def work(connection: Connection) -> int:
            post(connection, [grant_move(user_id, amount_chips)], self._books)
            return _balance(connection, Bankroll(user_id))

        return await self._database.write(work)

    async def move(self, moves: Sequence[ChipMove]) -> None:
        """Post moves that belong to no change of a table; see `post` for what it raises."""
        await self._database.write(lambda connection: post(connection, moves, self._books))

    async def statement(self, account: Account, limit: int = _STATEMENT_LIMIT) -> Sequence[Entry]:
        """An account's entries, newest first."""
        line, transaction = schema.entries.c, schema.transactions.c
        columns = (
            line.transaction_id,
            line.amount_chips,
            line.reason,
            line.table_id,
            line.hand_number,
            transaction.at_ms,
        )
        wanted = select(*columns).join(schema.transactions).where(line.account == account_key(account))
        newest = wanted.order_by(line.transaction_id.desc(), line.line.desc()).limit(limit)
        rows = await self._database.rows(newest)
        return tuple(Entry(i, amount, Reason(why), table, hand, at) for i, amount, why, table, hand, at in rows)

    async def verify_ledger(self) -> tuple[Difference, ...]:
        """Add everything up anew and say what is wrong; nothing is right."""

        def work(connection: Connection) -> tuple[Difference, ...]:
            return (*_wrong_balances(connection), *_wrong_sums(connection))

        return await self._database.read(work)


def _balance(connection: Connection, account: Account) -> int:
    wanted = select(schema.accounts.c.balance_chips).where(schema.accounts.c.account == account_key(account))
    return connection.execute(wanted).scalar_one_or_none() or 0


def _wrong_balances(connection: Connection) -> list[Difference]:
    """Accounts whose balance is not the sum of their entries, or that are below zero and may not be."""
    line, account = schema.entries.c, schema.accounts.c
    sums = select(line.account, func.sum(line.amount_chips).label("chips")).group_by(line.account).subquery()
    joined = schema.accounts.outerjoin(sums, account.account == sums.c.account)
    wanted = select(account.account, account.balance_chips, func.coalesce(sums.c.chips, 0)).select_from(joined)
    wrong = []
    for key, balance, expected in connection.execute(wanted.order_by(account.account)):
        if balance != expected or (balance < 0 and key != "issued"):
            wrong.append(Difference(key, balance, max(int(expected), 0) if key != "issued" else int(expected)))
    return wrong


def _wrong_sums(connection: Connection) -> list[Difference]:
    """Transactions that made or lost chips, and the sum over all accounts."""
    line = schema.entries.c
    chips = func.sum(line.amount_chips)
    wanted = select(line.transaction_id, chips).group_by(line.transaction_id).having(chips != 0)
    wrong = [Difference(f"transaction {i}", int(s), 0) for i, s in (connection.execute(wanted))]
    total = connection.execute(select(func.coalesce(func.sum(schema.accounts.c.balance_chips), 0))).scalar_one()
    return [*wrong, *([Difference("all accounts", int(total), 0)] if total else [])]
