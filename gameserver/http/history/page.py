"""A page of a table's hands for one reader: the newest ones that are there for them.

A hand that is not there yet leaves no trace: it takes no place in a page, and no page ends because of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from gameserver.http.history.disclosed import STREAM_LAG_MS, PublicHand, disclose
from gameserver.http.history.ports import HandShelf
from gameserver.store.stored import StoredTable
from policy.errors import PolicyRefusal
from policy.history_policy import Reader, Stranger
from policy.ids import HandNumber

LARGEST: Final = 100
USUAL: Final = 20


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `before`: where the next page goes on; None: there is no hand before these."""

    hands: tuple[PublicHand, ...]
    before: HandNumber | None


async def page_of_hands(
    shelf: HandShelf, *, table: StoredTable, reader: Reader, before: HandNumber | None, limit: int, now_ms: int
) -> Page:
    """At most `limit` hands before the number `before`; None: the newest."""
    found: list[PublicHand] = []
    async for hand in _visible(shelf, table, reader, before, limit + 1, now_ms):
        found.append(hand)
        if len(found) > limit:
            break
    hands = tuple(found[:limit])
    return Page(hands, hands[-1].hand_number if len(found) > limit else None)


async def _visible(
    shelf: HandShelf, table: StoredTable, reader: Reader, before: HandNumber | None, size: int, now_ms: int
) -> AsyncIterator[PublicHand]:
    """Everything that is there for the reader, read in pieces of `size`."""
    by_ms = _ended_by_ms(table, reader, now_ms)
    while True:
        stored = await shelf.ended_hands(table.table_id, before, size, by_ms=by_ms)
        for hand in stored:
            try:
                yield disclose(table=table, hand=hand, reader=reader, now_ms=now_ms)
            except PolicyRefusal:
                continue
        if len(stored) < size:
            return
        before = stored[-1].hand_number


def _ended_by_ms(table: StoredTable, reader: Reader, now_ms: int) -> int | None:
    """Spares a stranger's page the reading of hands that the gate would refuse; the gate is asked of the others all the same."""
    delay_ms = table.options.spectator_delay_ms
    return now_ms - delay_ms - STREAM_LAG_MS if delay_ms and isinstance(reader, Stranger) else None
