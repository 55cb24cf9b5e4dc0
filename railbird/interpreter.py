"""How the interpreter runs a server: long pauses seldom, and the store's thread not behind the tables' by much.

Full collections look at every object of the process, which takes a second with a thousand tables and their sockets; left to themselves
they come whenever the heap has grown by a quarter. Here they come by the clock. What is no cycle is freed at once, as ever.

Collections of the young stop the tables too: what is played keeps replacing what is old, so that the young are many whenever one
comes. With a move each two seconds at a thousand tables, one each 5,000 objects took 20 ms and one of the next generation 160 ms, and
these were the slowest hundredth of all moves. So they are seldom as well, and the next generation waits for the clock.

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
_YOUNG: Final = 200_000
"""Objects more than were freed before these are looked at, for about 0.1 s: some 3,000 connections that came and went."""
_NOT_BY_ITSELF: Final = 1_000_000_000


@asynccontextmanager
async def tuned(collect_all_every_s: float = COLLECT_ALL_EVERY_S) -> AsyncIterator[None]:
    """Within the block the interpreter runs a server; then everything is as it was."""
    thresholds, interval_s = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(_YOUNG, _NOT_BY_ITSELF, _NOT_BY_ITSELF)
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
