"""What a server says of its store while it runs: one short line for each step, written whole before the step goes on."""

from __future__ import annotations

import asyncio
import enum
import os
import random
from dataclasses import dataclass
from typing import Any

from gameserver.store.tables import SqlTableStore
from gameserver.table.facts import HandResult
from policy.ids import HandNumber, TableId


class Step(enum.StrEnum):
    """Where a table is. A mark that names the beginning of a transaction comes before it, one of its end after the commit."""

    BEGIN = "begin"
    BEGUN = "begun"
    END = "end"
    ENDED = "ended"
    CANCELLED = "cancelled"


class Phase(enum.StrEnum):
    """When a kill came, as the table that was aimed at had it."""

    BEFORE = "before the hand is stored"
    IN = "in the hand"
    AFTER = "after it is over"


PHASES = {
    Step.BEGIN: Phase.BEFORE,
    Step.BEGUN: Phase.IN,
    Step.END: Phase.AFTER,
    Step.ENDED: Phase.AFTER,
    Step.CANCELLED: Phase.AFTER,
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One line."""

    table_id: TableId
    hand_number: HandNumber
    step: Step

    @classmethod
    def read(cls, line: str) -> Mark:
        table_id, number, step = line.split()
        return cls(TableId(table_id), HandNumber(int(number)), Step(step))

    def write(self, pipe: int) -> None:
        os.write(pipe, f"mark {self.table_id} {self.hand_number} {self.step}\n".encode())


class MarkedStore(SqlTableStore):
    """The real store, which says what it is about to do to a hand and what it has done. `pipe`: where to.

    It is slow, as a store on a busy disk is: between a mark and its transaction there is some time, on either side. Otherwise hardly
    any kill would come there.
    """

    pipe = 1
    slow_s = 0.004

    async def begin_hand(self, table_id: TableId, hand_number: HandNumber, memory: bytes) -> None:
        await self._mark(table_id, hand_number, Step.BEGIN)
        await super().begin_hand(table_id, hand_number, memory)
        await self._mark_later(table_id, hand_number, Step.BEGUN)

    async def finish_hand(self, table_id: TableId, result: HandResult, *rest: Any) -> None:
        await self._mark(table_id, result.hand_number, Step.END)
        await super().finish_hand(table_id, result, *rest)
        await self._mark_later(table_id, result.hand_number, Step.ENDED)

    async def cancel_hand(self, table_id: TableId, hand_number: HandNumber, *rest: Any) -> None:
        await super().cancel_hand(table_id, hand_number, *rest)
        await self._mark_later(table_id, hand_number, Step.CANCELLED)

    async def _mark(self, table_id: TableId, hand_number: HandNumber, step: Step) -> None:
        Mark(table_id, hand_number, step).write(self.pipe)
        await self._take_time()

    async def _mark_later(self, table_id: TableId, hand_number: HandNumber, step: Step) -> None:
        await self._take_time()
        Mark(table_id, hand_number, step).write(self.pipe)

    async def _take_time(self) -> None:
        await asyncio.sleep(random.uniform(0, self.slow_s))
