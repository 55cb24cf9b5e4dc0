"""What the pages ask for: the tables that the one who asks may know of."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import HTTPConnection


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One occupied seat. `kind`: `agent` or `human`."""

    name: str
    kind: str
    stack_chips: int


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table as a list shows it. `table_kind`: `agent`, `human` or `mixed`; `status`: `open`, `paused` or `closed`.

    `yours`: an agent of the asker sits there.
    """

    table_id: str
    name: str
    table_kind: str
    status: str
    small_blind_chips: int
    big_blind_chips: int
    ante_chips: int
    max_seats: int
    hands_played: int
    players: tuple[PlayerSummary, ...]
    show_hands: bool
    show_thoughts: bool
    spectator_delay_ms: int
    yours: bool = False


class NoOwner(enum.Enum):
    """Why somebody gets no owner's view. `NOT_YOURS`: also of a table that is not there."""

    NOBODY = "nobody"
    NOT_YOURS = "not_yours"


class LobbyPort(Protocol):
    """The lists as whoever asks may have them: private tables and delayed ones are this port's matter, not the pages'."""

    async def tables(self, asker: HTTPConnection) -> Sequence[TableSummary]:
        """All tables that the asker may know of, in a steady order."""

    async def table(self, asker: HTTPConnection, table_id: str) -> TableSummary | None:
        """One table; `None`: there is none, or not for this asker."""

    async def owned_table(self, asker: HTTPConnection, table_id: str) -> TableSummary | NoOwner:
        """One table, for the owner of an agent that sits there."""
