"""How the interpreter runs a server: long pauses seldom, and the store's thread not behind the tables' by much.

What is no cycle is freed at once, as ever. To find cycles the collector looks at objects, and stops all tables meanwhile: for more
than a second where it looks at everything that a thousand tables and their sockets are, and for 20 to 200 ms where it looks at what
is young, which is much at any time, since play keeps replacing what is old. With a move each two seconds at each table, collections
of the young were the slowest hundredth of all moves. So the collector looks at everything by the clock alone, or when very much was
made; and what is alive each second is set aside until then, for nothing. The cycles that connections leave behind wait for it.

A thread that waits for the interpreter gets it after the switch interval at the latest. The store's thread gives it up at each
statement, so with the usual 5 ms a hand's end would take fifty times as long as its work while the tables are busy.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

SWITCH_INTERVAL_S: Final = 0.0002
COLLECT_ALL_EVERY_S: Final = 600.0
LEAST_TO_COLLECT: Final = 500_000
"""Objects: what some 7,000 connections leave behind that came and went, less than 100 MB."""
_MADE_TO_ALIVE: Final = 4
_SET_ASIDE_EVERY_S: Final = 1.0
_YOUNG: Final = 100_000
"""Objects more than were freed within one such time, before the collector looks at them by itself."""
_NOT_BY_ITSELF: Final = 1_000_000_000


@asynccontextmanager
async def tuned(collect_all_every_s: float = COLLECT_ALL_EVERY_S) -> AsyncIterator[None]:
    """Within the block the interpreter runs a server; then everything is as it was."""
    thresholds, interval_s = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(_YOUNG, _NOT_BY_ITSELF, _NOT_BY_ITSELF)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    collecting = asyncio.create_task(_collect(collect_all_every_s), name="collector")
    try:
        yield
    finally:
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting
        gc.unfreeze()
        sys.setswitchinterval(interval_s)
        gc.set_threshold(*thresholds)


def is_much(made: int, alive: int) -> bool:
    """Whether to look at everything before its time. `made`: objects more than were freed since the last time, after which there
    were `alive`.
    """
    return made > max(LEAST_TO_COLLECT, _MADE_TO_ALIVE * alive)


async def _collect(every_s: float) -> None:
    due_s, made, alive = time.monotonic() + every_s, 0, 0
    while True:
        await asyncio.sleep(min(every_s, _SET_ASIDE_EVERY_S))
        made += gc.get_count()[0]
        if time.monotonic() < due_s and not is_much(made, alive):
            gc.freeze()
            continue
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        due_s, made, alive = time.monotonic() + every_s, 0, gc.get_freeze_count()
