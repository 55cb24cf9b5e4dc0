"""What the store gives back, as values."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.table.facts import HandResult
from gameserver.table.options import TableOptions
from policy.ids import AgentId, AgentVersionId, HandNumber, Seat, TableId, UserId


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table as it was stored. `memory`: the room's own bytes. `open_hand`: a hand that began and never ended.

    `memory_ms`: Unix time of the memory, from which the times in it count on; when it was is no part of what is compared.
    `show_hands_off_ms`: Unix time from which on the public stream shows no live cards; None: nobody has switched it off.
    """

    table_id: TableId
    options: TableOptions
    memory: bytes
    open_hand: HandNumber | None
    closed: bool = False
    memory_ms: int = field(default=0, compare=False)
    show_hands_off_ms: int | None = field(default=None, compare=False)


class HandStatus(enum.StrEnum):
    BEGAN = "began"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StoredHand:
    """A hand as it was stored. `result`: of a finished hand. Times are Unix milliseconds; `ended_ms`: None while it runs.

    `disclosure`: what the public stream showed of it. `shown_after`: who showed their cards once it was over, and when.
    """

    table_id: TableId
    hand_number: HandNumber
    status: HandStatus
    result: HandResult | None
    began_ms: int
    ended_ms: int | None
    disclosure: Disclosure = UNKNOWN
    shown_after: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """An agent and who owns it now."""

    agent_id: AgentId
    name: str
    owner: UserId
    created_ms: int


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A published version of an agent. `content`: its maker's own bytes, as they were published. `number` counts from 1."""

    version_id: AgentVersionId
    agent_id: AgentId
    number: int
    content: bytes
    created_ms: int
