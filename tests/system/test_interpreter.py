"""How the interpreter is set while a server runs."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref

import pytest

from railbird.interpreter import LEAST_TO_COLLECT, SWITCH_INTERVAL_S, is_much, tuned


class Knot:
    """Refers to itself: nothing but a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


async def test_full_collections_come_by_the_clock() -> None:
    """None by itself, however much is made; one after the time that was asked for, and it frees what is old."""
    knot = Knot()
    gc.collect()  # it is of the oldest generation now
    gone = weakref.ref(knot)
    del knot
    async with tuned(collect_all_every_s=0.05):
        full = gc.get_stats()[2]["collections"]
        kept = [[number] for number in range(200_000)]
        assert gc.get_stats()[2]["collections"] == full and gone() is not None and len(kept) == 200_000
        async with asyncio.timeout(30):
            while gone() is not None:  # noqa: ASYNC110 - a collection has no event
                await asyncio.sleep(0.01)


async def test_a_cycle_that_was_set_aside_is_freed_all_the_same() -> None:
    """No collection of the moment finds it; the next full one by the clock does."""
    async with tuned(collect_all_every_s=0.5):
        knot = Knot()
        gone = weakref.ref(knot)
        async with asyncio.timeout(30):
            while not gc.get_freeze_count():  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.01)
            del knot
            gc.collect()
            assert gone() is not None
            while gone() is not None:  # noqa: ASYNC110 - a collection has no event
                await asyncio.sleep(0.01)
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize(
    ("made", "alive", "much"),
    [
        (LEAST_TO_COLLECT, 0, False),
        (LEAST_TO_COLLECT + 1, 0, True),
        (4_000_000, 1_000_000, False),
        (4_000_001, 1_000_000, True),
    ],
)
def test_very_much_is_looked_at_before_its_time(made: int, alive: int, *, much: bool) -> None:
    """Whoever connects again and again fills no memory until the clock strikes; a server that fills up is not stopped over and over."""
    assert is_much(made, alive) is much


async def test_everything_is_as_it_was_afterwards() -> None:
    """The process is not ours alone."""
    before = gc.get_threshold(), sys.getswitchinterval()
    async with tuned():
        assert sys.getswitchinterval() <= 2 * SWITCH_INTERVAL_S
        assert gc.get_threshold() != before[0]
    assert (gc.get_threshold(), sys.getswitchinterval()) == before
