"""A rate with room for a burst: of one connection, or of many by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MOST_NAMES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second, and so many at once."""

    per_second: float
    burst: int


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


class NamedBuckets:
    """A bucket for each name, bounded in number: the name that was here longest ago is forgotten first."""

    def __init__(self, rate: Rate, most: int = _MOST_NAMES) -> None:
        self._rate, self._most = rate, most
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, name: str, now_s: float) -> bool:
        """Take a token of this name's; False where there is none."""
        bucket = self._buckets.pop(name, None) or TokenBucket(self._rate.per_second, self._rate.burst, now_s)
        self._buckets[name] = bucket
        if len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        return bucket.take(now_s)
