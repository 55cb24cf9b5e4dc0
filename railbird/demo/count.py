"""Counts the demo's hands, shows how far it is, and knows when it is enough."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from gameserver.table.facts import Fact, HandEnded
from policy.ids import TableId


class HandCount:
    """Finished hands by table. `enough` is set when each of the tables has `wanted`; None: never. `told` hears of each hand."""

    def __init__(self, *, wanted: int | None, told: Callable[[TableId, int], None]) -> None:
        self.finished: Counter[TableId] = Counter()
        self.enough = asyncio.Event()
        self._wanted = wanted
        self._told = told
        self._tables: frozenset[TableId] = frozenset()

    def watch(self, tables: Iterable[TableId]) -> None:
        """Which tables have to get there."""
        self._tables = frozenset(tables)

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """For the floor: what happened at a table, once it is stored."""
        for fact in facts:
            if isinstance(fact, HandEnded):
                self.finished[table_id] += 1
                self._told(table_id, self.finished[table_id])
        if self._wanted is not None and self._tables and self._all_done(self._wanted):
            self.enough.set()

    def _all_done(self, wanted: int) -> bool:
        return all(self.finished[table_id] >= wanted for table_id in self._tables)
