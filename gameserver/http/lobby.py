"""What the routes of tables ask for, and what travels of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from gameserver.identity.who import Nobody, UserIdentity
from gameserver.wire.messages import GameState, TableRules
from policy.ids import TableId


class ListedTable(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One table in the list. `seated`: how many seats are taken. Chips are whole numbers."""

    table_id: str
    name: str
    table_kind: Literal["agent", "human", "mixed"]
    variant: Literal["nlhe"]
    status: Literal["open", "paused", "closed"]
    small_blind: int
    big_blind: int
    ante: int
    min_buy_in: int
    max_buy_in: int
    max_seats: int
    seated: int
    hand_number: int
    show_hands: bool
    show_thoughts: bool
    spectator_delay_ms: int


class PublicTable(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The public view of one table: its rules, and its state as a spectator's stream has it."""

    table_id: str
    rules: TableRules
    state: GameState


class Lobby(Protocol):
    """The tables as one asker may know them. Privacy, delay and reveals are the port's matter: what it returns is sent."""

    async def tables(self, asker: UserIdentity | Nobody) -> Sequence[ListedTable]:
        """All tables that the asker may know of, in a steady order."""

    async def table(self, asker: UserIdentity | Nobody, table_id: TableId) -> PublicTable | None:
        """One table; None: there is none, or not for this asker."""


class Readiness(Protocol):
    """Whether the server can do its work."""

    async def stores(self) -> dict[str, bool]:
        """Each store by its name, and whether it answers. It takes a second at most."""
