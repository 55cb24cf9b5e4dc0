"""One instant in both clocks: rooms count in the monotonic one, and what is told outside is Unix time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Now:
    """The same instant twice, in milliseconds."""

    monotonic_ms: int
    wall_ms: int

    def unix_ms(self, instant_ms: int) -> int:
        """A monotonic instant as Unix time."""
        return self.wall_ms + instant_ms - self.monotonic_ms
