"""What agents' turns cost: written behind the turn and in batches, read exactly.

    async with Ledger(database) as ledger:
        ledger.charge(turn)                         at once; a turn never waits
        await ledger.spent_usd(agent_id, day)       with all that was charged before

A clean stop loses nothing. What cannot be kept is counted and told in the log, in few lines
(test_what_the_ledger_cannot_keep_is_counted). Prices are not known here: a call comes with its cost.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from types import TracebackType
from typing import Final, Self

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from capture.durable.database import Database
from capture.durable.schema import charges
from capture.hand import Hand
from capture.ledger import charging, reading_charges
from capture.ledger.charge import Charge, Charged, charges_of
from capture.ledger.charging import ChargeRows
from capture.ledger.reading_charges import RecentHand
from capture.record import FinishedTurn
from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.ids import AgentId, HandNumber, TableId

__all__ = ["Charge", "Charged", "Ledger", "LedgerCounts", "RecentHand"]

_log: Final = logging.getLogger(__name__)
_TOGETHER: Final = 200
_READY_AT_ONCE: Final = 500
"""The rows of so many turns are made in one go: some 5 ms of the event loop."""
_MOST_WAITING: Final = 20_000
"""So many turns wait for a database that is away: some 40 MB."""
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 5.0
_REFUSED_CLASSES: Final = ("22", "23", "54")
"""SQL states of a value that the database will not take, however often it is asked."""


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """Turns: in the database, waiting, and lost for good."""

    written: int
    waiting: int
    lost: int


class Ledger:
    """One process's charges. `charge` is for the event loop's thread."""

    def __init__(self, database: Database, *, most_waiting: int = _MOST_WAITING) -> None:
        self._database, self._most_waiting = database, most_waiting
        self._taken: deque[FinishedTurn] = deque()
        self._waiting: deque[ChargeRows] = deque()
        self._gone = self._written = self._lost = self._told_lost = 0
        self._to_write, self._moved = asyncio.Event(), asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def counts(self) -> LedgerCounts:
        """How it stands. Their sum is the number of turns that were charged."""
        return LedgerCounts(self._written, self._not_yet, self._lost)

    def charge(self, turn: FinishedTurn) -> None:
        """Take a turn's costs down. Returns at once and raises nothing; where too many wait, the newest is lost."""
        if self._not_yet >= self._most_waiting:
            self._lose(1)
            return
        self._taken.append(turn)
        self._to_write.set()

    async def open(self) -> None:
        """Begin to write. `async with` does it, and closes at the end."""
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="ledger")

    async def flush(self) -> None:
        """Wait until what was charged so far is written. As long as the database is away, it is not."""
        until = self._gone + self._not_yet
        while self._gone < until:
            await self._moved.wait()

    async def close(self, *, within_s: float = 10.0) -> None:
        """Write what waits. What a database that is away did not take in time is lost, and counted."""
        if self._writing is None:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), within_s)
        self._writing.cancel()
        with suppress(asyncio.CancelledError):
            await self._writing
        self._writing = None
        self._lose(self._not_yet)
        self._taken.clear()
        self._waiting.clear()

    # --- reading --------------------------------------------------------------------------------------------------------

    async def spent_usd(self, agent_id: AgentId, day: datetime.date) -> Decimal:
        """What an agent's calls of a day (UTC) cost as far as prices are known, with all that this process charged before."""
        await self.flush()
        from_us, to_us = _of_day(day), _of_day(day + datetime.timedelta(days=1))
        wanted = select(func.coalesce(func.sum(charges.c.cost_usd), Decimal(0))).where(
            charges.c.agent_id == agent_id, charges.c.at_us >= from_us, charges.c.at_us < to_us
        )
        return await self._database.read(lambda connection: connection.execute(wanted).scalar_one())

    async def charges_of_hand(self, scope: OwnerScope | OperatorScope) -> Sequence[Charge]:
        """The turns of a hand that were charged, within a scope; by agent and action index."""
        wanted = reading_charges.of_hand(scope)
        return charges_of(await self._database.read(lambda connection: connection.execute(wanted).all()))

    async def recent_hands(self, *, limit: int, before_us: int | None = None) -> Sequence[RecentHand]:
        """Hands with turns of agents, those of the latest turns first. `before_us`: those whose latest turn ended before."""
        return await self._recent(limit, before_us, EveryAgent())

    async def recent_hands_of(
        self, agent_id: AgentId, *, limit: int, before_us: int | None = None
    ) -> Sequence[RecentHand]:
        """As `recent_hands`, with the turns of one agent and nothing of another's."""
        return await self._recent(limit, before_us, agent_id)

    async def _recent(self, limit: int, before_us: int | None, whose: AgentId | EveryAgent) -> Sequence[RecentHand]:
        return await self._database.read(
            lambda connection: reading_charges.recent(connection, limit, before_us, whose=whose)
        )

    async def hands_of(self, agent_id: AgentId, since_us: int) -> Sequence[Hand]:
        """The hands in which an agent was charged for turns since a time."""
        wanted = select(charges.c.table_id, charges.c.hand_number).distinct()
        wanted = wanted.where(charges.c.agent_id == agent_id, charges.c.at_us >= since_us)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [Hand(agent_id, TableId(row.table_id), HandNumber(row.hand_number)) for row in rows]

    async def has_turns(self, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> bool:
        """Whether an agent was charged for a turn of a hand."""
        hand = (charges.c.table_id == table_id, charges.c.hand_number == hand_number)
        wanted = select(charges.c.at_us).where(charges.c.agent_id == agent_id, *hand).limit(1)
        return await self._database.read(lambda connection: connection.execute(wanted).first()) is not None

    # --- writing --------------------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            await self._to_write.wait()
            self._to_write.clear()
            while self._make_ready():
                if await self._write_some():
                    pause_s = _FIRST_PAUSE_S
                else:
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _make_ready(self) -> bool:
        """Make rows of what was taken, beside the turns' own paths: prompts are let go of. Whether anything waits."""
        for _ in range(min(len(self._taken), _READY_AT_ONCE)):
            try:
                self._waiting.append(charging.rows_of(self._taken.popleft()))
            except (ValueError, ArithmeticError):
                self._lose(1)
                self._go(1)
        return bool(self._waiting)

    @property
    def _not_yet(self) -> int:
        return len(self._taken) + len(self._waiting)

    async def _write_some(self) -> bool:
        """Write the oldest that wait. False where the database is away: they wait on."""
        batch = [self._waiting[n] for n in range(min(len(self._waiting), _TOGETHER))]
        try:
            await self._put(batch)
        except Exception as error:  # noqa: BLE001  (whatever a driver raises: the turn's costs are kept or counted)
            if _is_refused(error):
                return await self._write_one_by_one(batch)
            _log.warning("the ledger's database does not answer: %s", type(error).__name__)
            return False
        return True

    async def _write_one_by_one(self, batch: Sequence[ChargeRows]) -> bool:
        """One of them is refused: the others are written all the same."""
        for entry in batch:
            try:
                await self._put([entry])
            except Exception as error:  # noqa: BLE001  (as above)
                if not _is_refused(error):
                    return False
                self._leave(1)
                self._lose(1)
        return True

    async def _put(self, batch: Sequence[ChargeRows]) -> None:
        """Write, and know what became of it though the task be cancelled meanwhile: a transaction runs to its end."""

        def work(connection: Connection) -> None:
            charging.put(connection, batch)

        writing = asyncio.ensure_future(self._database.write(work))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait([writing])
            if writing.cancelled() or writing.exception() is not None:
                raise
            self._wrote(len(batch))
            raise
        self._wrote(len(batch))

    def _wrote(self, turns: int) -> None:
        self._written += turns
        self._leave(turns)

    def _leave(self, turns: int) -> None:
        """The oldest wait no longer; who waits for that looks again."""
        for _ in range(turns):
            self._waiting.popleft()
        self._go(turns)

    def _go(self, turns: int) -> None:
        self._gone += turns
        self._moved.set()
        self._moved = asyncio.Event()

    def _lose(self, turns: int) -> None:
        self._lost += turns
        if turns and self._lost >= 2 * self._told_lost:  # told at 1, 2, 4, 8...: no flood where all are lost
            self._told_lost = self._lost
            _log.error("the ledger lost the costs of %d turns", self._lost)


def _is_refused(error: Exception) -> bool:
    """Whether the database will not take it, however often it is asked."""
    if isinstance(error, DataError | IntegrityError | ValueError | TypeError | ArithmeticError):
        return True
    if isinstance(error, DBAPIError):
        return str(getattr(error.orig, "sqlstate", ""))[:2] in _REFUSED_CLASSES
    return isinstance(error, StatementError)  # a value that the driver could not even send


def _of_day(day: datetime.date) -> int:
    """When a day begins, in microseconds since 1970 UTC."""
    return (day - datetime.date(1970, 1, 1)).days * 86_400_000_000
