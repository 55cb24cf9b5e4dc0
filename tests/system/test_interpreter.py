"""How the interpreter is set while a server runs."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref

from railbird.interpreter import SWITCH_INTERVAL_S, tuned


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


async def test_everything_is_as_it_was_afterwards() -> None:
    """The process is not ours alone."""
    before = gc.get_threshold(), sys.getswitchinterval()
    async with tuned():
        assert sys.getswitchinterval() <= 2 * SWITCH_INTERVAL_S
        assert gc.get_threshold() != before[0]
    assert (gc.get_threshold(), sys.getswitchinterval()) == before
