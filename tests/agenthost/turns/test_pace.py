"""How much of its clock a turn uses."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railbird.agenthost.turns.pace import Clock, Pace, clock_of
from tests.agenthost.story import asked
from tests.client.frames import NOW_MS


def clock(left_ms: int, pace: Pace = Pace(), seed: int = 1) -> Clock:  # noqa: B008 - frozen
    turn = asked(ends_at=NOW_MS + left_ms)
    return clock_of(turn, pace, server_now_ms=NOW_MS, now=100.0, rng=random.Random(seed))


@given(st.integers(101, 120_000), st.integers(0, 60_000), st.integers(0, 1_000))
def test_model_and_move_are_done_before_the_clock_is(left_ms: int, least_ms: int, seed: int) -> None:
    """With room for the way to the table: a second of it, or a fifth where the clock is short."""
    times = clock(left_ms, Pace(least_ms=least_ms), seed)
    ends_at = 100.0 + left_ms / 1000
    assert times.asked_at == 100.0
    assert ends_at - times.model_ends_at == pytest.approx(min(1.0, left_ms / 5_000))
    assert times.acts_at <= 100.0 + left_ms / 2_000 + 1e-9


@given(st.integers(0, 1_000))
def test_a_turn_takes_its_least_time_and_by_chance_some_more(seed: int) -> None:
    assert 100.8 <= clock(15_000, seed=seed).acts_at <= 100.8 + 0.64 + 1e-9


def test_a_clock_that_has_run_out_leaves_half_of_the_bank() -> None:
    """The table waits as long as the bank of 30 s lasts."""
    assert clock(-20_000).model_ends_at == pytest.approx(114.0)
