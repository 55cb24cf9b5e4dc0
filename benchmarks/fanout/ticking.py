"""What every server under measurement does: wait until all are there, send an update every 20 ms, and say what it cost."""

from __future__ import annotations

import asyncio
import json
import resource
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

EVERY_S = 0.02


def cpu_s() -> float:
    """CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def rss_mb() -> float:
    """Memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def tick(ready: Callable[[], bool], update: Callable[[str], Awaitable[None] | None], seconds: float) -> None:
    """Print what it cost, as one line of JSON. `update` is given the mark by which receivers know when it was made.

    A late update is made at once, and none is made up for.
    """
    rss_before_mb = rss_mb()
    while not ready():  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)
    cpu_before_s, began = cpu_s(), time.monotonic()
    next_at, updates = began, 0
    while time.monotonic() - began < seconds:
        waiting = update(f"~T{time.monotonic_ns()}")
        if waiting is not None:
            await waiting
        updates += 1
        next_at += EVERY_S
        left_s = next_at - time.monotonic()
        if left_s < 0:
            next_at = time.monotonic()
        await asyncio.sleep(max(0.0, left_s))
    elapsed_s = time.monotonic() - began
    await asyncio.sleep(0.3)
    cost = {
        "updates": updates,
        "elapsed_s": round(elapsed_s, 3),
        "cpu_s": round(cpu_s() - cpu_before_s, 4),
        "rss_mb": round(rss_mb(), 1),
        "rss_before_mb": round(rss_before_mb, 1),
    }
    print(json.dumps(cost), flush=True)
    await asyncio.sleep(2)  # the receivers hang up first
