"""What the history asks of others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from gameserver.identity.who import Identity
from gameserver.store.stored import StoredHand, StoredTable
from gameserver.table.options import TableOptions
from policy.ids import HandNumber, TableId


class TableShelf(Protocol):
    """Tables as they are stored."""

    async def table(self, table_id: TableId) -> StoredTable | None:
        """One table, closed ones too, or None."""


class HandShelf(Protocol):
    """Hands as they are stored: everything of them, to be asked about and not to be sent."""

    async def hand(self, table_id: TableId, hand_number: HandNumber) -> StoredHand | None:
        """One hand, or None where no such hand began."""

    async def ended_hands(
        self, table_id: TableId, hand_number: HandNumber | None, limit: int, *, by_ms: int | None
    ) -> Sequence[StoredHand]:
        """The hands before this number that ended by this time, newest first."""


@dataclass(frozen=True, slots=True)
class HistoryPorts:
    """`identify`: who asks; raises `Refusal` (`bad_token`). `admit`: raises `Refusal` (`not_found`) for who may not know of a table.

    `now_ms`: Unix time.
    """

    tables: TableShelf
    hands: HandShelf
    identify: Callable[[Request], Awaitable[Identity]]
    admit: Callable[[Identity, TableId, TableOptions], None]
    now_ms: Callable[[], int]
