"""How the interpreter runs a server: long pauses seldom, and the store's thread not behind the tables' by much.

Full collections look at every object of the process, which takes a third of a second with a thousand tables; left to themselves
they come whenever the heap has grown by a quarter. Here they come by the clock. What is no cycle is freed at once, as ever.

A thread that waits for the interpreter gets it after the switch interval at the latest. The store's thread gives it up at each
statement, so with the usual 5 ms a hand's end would take fifty times as long as its work while the tables are busy.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

SWITCH_INTERVAL_S: Final = 0.0002
COLLECT_ALL_EVERY_S: Final = 600.0
_YOUNG: Final = (5_000, 10)
"""Objects more than were freed, and collections of these, before the next generation is looked at too: about 10 ms at most."""
_NOT_BY_ITSELF: Final = 1_000_000_000


@asynccontextmanager
async def tuned(collect_all_every_s: float = COLLECT_ALL_EVERY_S) -> AsyncIterator[None]:
    """Within the block the interpreter runs a server; then everything is as it was."""
    thresholds, interval_s = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*_YOUNG, _NOT_BY_ITSELF)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    collecting = asyncio.create_task(_collect_all(collect_all_every_s), name="collector")
    try:
        yield
    finally:
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting
        sys.setswitchinterval(interval_s)
        gc.set_threshold(*thresholds)


async def _collect_all(every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        gc.collect()
