"""A rate with room for a burst."""

from __future__ import annotations


class TokenBucket:
    """`per_second` tokens come in, up to `burst`; a message takes one. It is full at first. Times are in seconds."""

    __slots__ = ("_at_s", "_burst", "_per_second", "_tokens")

    def __init__(self, per_second: float, burst: float, now_s: float) -> None:
        self._per_second, self._burst, self._tokens, self._at_s = per_second, burst, burst, now_s

    def take(self, now_s: float) -> bool:
        """Take a token; False where there is none."""
        self._tokens = min(self._burst, self._tokens + (now_s - self._at_s) * self._per_second)
        self._at_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
