"""How a table is set up. Set at creation; only the name and the two reveal options may change later."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from policy.ids import UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind


class AnteKind(enum.StrEnum):
    """Who pays the ante: each player, or the big blind for all."""

    EACH = "each"
    BIG_BLIND = "big_blind"


@dataclass(frozen=True, slots=True)
class Clocks:
    """Times in milliseconds. `sit_out_remove_ms` and `rathole_ms` count from standing up or losing the line."""

    turn_ms: int = 15_000
    time_bank_ms: int = 30_000
    """The time bank at the start, and its cap."""
    refill_every_hands: int = 10
    refill_ms: int = 5_000
    disconnect_bank_ms: int = 60_000
    timeouts_to_sit_out: int = 2
    sit_out_remove_ms: int = 600_000
    rathole_ms: int = 7_200_000


@dataclass(frozen=True, slots=True)
class TableOptions:
    """All rules of one table. Chips are whole numbers above zero, but for `ante_chips`, which may be 0.

    `max_seats`: 2 to 10. `straddle`: whether one is allowed. `min_buy_in_chips` <= `max_buy_in_chips`, both inclusive.
    `powers`: uses that a seat has in a hand, by the power's name (`dealer_peek`).
    `created_by`: the user who made the table; a practice table seats that user, their agents and house agents only.
    """

    name: str
    kind: TableKind
    max_seats: int
    small_blind_chips: int
    big_blind_chips: int
    min_buy_in_chips: int
    max_buy_in_chips: int
    created_by: UserId
    ante_chips: int = 0
    ante_kind: AnteKind = AnteKind.EACH
    straddle: bool = False
    clocks: Clocks = Clocks()
    reveal: RevealOptions = field(default=RevealOptions(show_hands=False, show_thoughts=False))
    spectator_delay_ms: int = 0
    powers: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    agent_chat: bool = False
    house_agents: int = 0
    practice: bool = False
    private: bool = False
