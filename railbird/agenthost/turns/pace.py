"""How much time a turn has, and how much of it is used: a person can follow, and the clock does not run out."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from gameserver.wire.messages import YourTurn

_RUN_OUT_MS: Final = 100


@dataclass(frozen=True, slots=True)
class Pace:
    """`least_ms`: from being asked to the move, and by chance up to `longest` times as much; no more than `most_of_the_clock`.

    `margin_ms`, `margin_share`: what is left of the clock for the way to the table when a model has to be done; the lesser one.
    `speaks_from_ms`: a shorter turn is played without a word; nobody could read it, and it would come near the table's limits.
    """

    least_ms: int = 800
    longest: float = 1.8
    most_of_the_clock: float = 0.5
    margin_ms: int = 1_000
    margin_share: float = 0.2
    speaks_from_ms: int = 100


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds of the loop's clock. `model_ends_at`: when a model has to be done. `acts_at`: not to act before."""

    asked_at: float
    acts_at: float
    model_ends_at: float


def clock_of(turn: YourTurn, pace: Pace, *, server_now_ms: int, now: float, rng: random.Random) -> Clock:
    """The times of one turn, from `now` on."""
    left_ms = _left_ms(turn, server_now_ms)
    wanted_ms = pace.least_ms * rng.uniform(1.0, pace.longest)
    return Clock(
        asked_at=now,
        acts_at=now + min(wanted_ms, left_ms * pace.most_of_the_clock) / 1000,
        model_ends_at=now + (left_ms - min(pace.margin_ms, left_ms * pace.margin_share)) / 1000,
    )


def _left_ms(turn: YourTurn, server_now_ms: int) -> float:
    """Where the clock has run out, as after a lost line, the table waits as long as the time bank lasts: half of it is used."""
    left_ms = max(0, turn.turn_ends_at - server_now_ms)
    return left_ms if left_ms > _RUN_OUT_MS else left_ms + turn.time_bank_ms / 2
