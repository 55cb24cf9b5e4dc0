"""How long an agent's turns of a hand are still there: until deleted or a limit, until the buffer lets go of them, or no longer.

By the clock: a turn that the buffer had no room for is told where the turn itself is read (`capture.reads.assembly`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from capture.durable.retention import Retention
from capture.durable.turns import KeptRows
from capture.record import MissingReason


@dataclass(frozen=True, slots=True)
class Kept:
    """So many turns stay. `until_us`: None: until their owner deletes them."""

    turns: int
    until_us: int | None


@dataclass(frozen=True, slots=True)
class Buffered:
    """The last of them is there until about then."""

    until_us: int


@dataclass(frozen=True, slots=True)
class Over:
    """None is there. `why`: `NO_DECISION` (fallbacks only), `REDACTED` (deleted) or `EXPIRED`."""

    why: MissingReason


Lasting: TypeAlias = Kept | Buffered | Over


def lasting(
    rows: KeptRows, *, decided: int, last_at_us: int, ttl_us: int, now_us: int, retention: Retention
) -> Lasting:
    """`decided`: turns with a decision; `last_at_us`: when the latest turn ended."""
    if rows.turns and rows.since_us is not None:
        return Kept(rows.turns, retention.kept_until_us(rows.since_us))
    if not decided:
        return Over(MissingReason.NO_DECISION)
    if rows.erased_us is not None and rows.erased_us >= last_at_us:
        return Over(MissingReason.REDACTED)
    until_us = last_at_us + ttl_us
    return Buffered(until_us) if until_us > now_us else Over(MissingReason.EXPIRED)
