"""One turn's time: turn clock, then the bank of the line as it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gameserver.table import clock
from gameserver.table.clock import Banks

BANKS = Banks(time_bank_ms=30_000, disconnect_bank_ms=60_000)


def test_the_last_instant_still_counts() -> None:
    """Turn clock and time bank to their last millisecond; then the time is over."""
    running = clock.start(1_000, 15_000, connected=True, banks=BANKS)
    assert clock.acts_for_at_ms(running) == 46_000
    assert not clock.is_over(running, 46_000)
    assert clock.is_over(running, 46_001)


def test_at_the_end_of_the_turn_clock_the_bank_is_shown() -> None:
    """With all that is in it."""
    running = clock.start(0, 15_000, connected=True, banks=BANKS)
    assert clock.phase(running, 14_999) == ("turn", 1)
    assert clock.phase(running, 15_000) == ("time_bank", 30_000)
    assert clock.phase(running, 15_001) == ("time_bank", 29_999)


def test_within_the_turn_clock_nothing_is_used() -> None:
    """Whatever the line does."""
    running = clock.start(0, 15_000, connected=True, banks=BANKS)
    running = clock.line_changed(running, 5_000, connected=False)
    running = clock.line_changed(running, 10_000, connected=True)
    assert clock.banks_at(running, 15_000) == BANKS
    assert clock.acts_for_at_ms(running) == 45_000


def test_a_bank_does_not_pay_for_the_other() -> None:
    """An empty disconnect bank ends the turn, with a full time bank beside it."""
    running = clock.start(0, 1_000, connected=False, banks=Banks(30_000, 2_000))
    assert clock.acts_for_at_ms(running) == 3_000
    running = clock.line_changed(running, 2_000, connected=True)
    assert clock.banks_at(running, 2_000) == Banks(30_000, 1_000)
    assert clock.acts_for_at_ms(running) == 32_000
    running = clock.line_changed(running, 12_000, connected=False)
    assert clock.banks_at(running, 13_500) == Banks(20_000, 0)
    assert clock.acts_for_at_ms(running) == 13_000


def test_the_bank_is_refilled_after_so_many_hands_up_to_its_cap() -> None:
    """Ten hands, five seconds; a bank that is fuller than the cap loses nothing."""
    after = [clock.refilled(10_000, hands, every_hands=10, refill_ms=5_000, cap_ms=30_000) for hands in (9, 10, 11, 20)]
    assert after == [10_000, 15_000, 10_000, 15_000]
    assert clock.refilled(28_000, 10, every_hands=10, refill_ms=5_000, cap_ms=30_000) == 30_000
    assert clock.refilled(40_000, 10, every_hands=10, refill_ms=5_000, cap_ms=30_000) == 40_000
    assert clock.refilled(10_000, 10, every_hands=0, refill_ms=5_000, cap_ms=30_000) == 10_000


@given(steps=st.lists(st.tuples(st.integers(0, 5_000), st.booleans()), max_size=20))
def test_what_is_used_is_the_time_that_passed(steps: list[tuple[int, bool]]) -> None:
    """However often the line changes, both banks together lose what passed after the turn clock, as long as it is not over."""
    now_ms, running = 0, clock.start(0, 3_000, connected=True, banks=BANKS)
    for passed_ms, connected in steps:
        now_ms += passed_ms
        if clock.is_over(running, now_ms):
            return
        running = clock.line_changed(running, now_ms, connected=connected)
        left = clock.banks_at(running, now_ms)
        used = BANKS.time_bank_ms + BANKS.disconnect_bank_ms - left.time_bank_ms - left.disconnect_bank_ms
        assert used == max(0, now_ms - 3_000)
        assert left.time_bank_ms >= 0 and left.disconnect_bank_ms >= 0
