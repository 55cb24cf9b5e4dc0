"""The system's clocks. Rooms count in the monotonic one, so a wall clock that jumps changes nothing at a table."""

from __future__ import annotations

import time


class SystemClock:
    """`Clock` over the operating system."""

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000
