"""What a server says of its store while it runs: one short line for each step, written whole before the step goes on."""

from __future__ import annotations

import asyncio
import enum
import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gameserver.store.tables import SqlTableStore
from gameserver.table.facts import HandResult
from policy.ids import HandNumber, TableId

Work: TypeAlias = Callable[..., Awaitable[None]]


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


SLOW_S = 0.004
"""A marked store is slow, as one on a busy disk is: there is some time between a mark and its transaction, on either side. Otherwise
hardly any kill would come there."""


def mark_the_store(pipe: int) -> None:
    """From now on the store of this process says what it is about to do to a hand and what it has done; `pipe`: where to."""

    async def take_time() -> None:
        await asyncio.sleep(random.uniform(0, SLOW_S))

    def marked(work: Work, before: Step | None, after: Step) -> Work:
        async def both(store: SqlTableStore, table_id: TableId, hand: HandResult | HandNumber, *rest: Any) -> None:
            number = hand.hand_number if isinstance(hand, HandResult) else hand
            if before is not None:
                Mark(table_id, number, before).write(pipe)
                await take_time()
            await work(store, table_id, hand, *rest)
            await take_time()
            Mark(table_id, number, after).write(pipe)

        return both

    marks: dict[str, tuple[Step | None, Step]] = {
        "begin_hand": (Step.BEGIN, Step.BEGUN),
        "finish_hand": (Step.END, Step.ENDED),
        "cancel_hand": (None, Step.CANCELLED),
    }
    for name, (before, after) in marks.items():
        setattr(SqlTableStore, name, marked(getattr(SqlTableStore, name), before, after))
