"""How often one person may change something: a bucket of tokens for each, bounded in number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gameserver.errors import ErrorCode, Refusal
from policy.ids import UserId

CHANGES_PER_SECOND: Final = 10
CHANGES_BURST: Final = 60
_MOST_PEOPLE: Final = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_ms: int


class Rates:
    """`per_second` changes a person, and `burst` at once. `now_ms`: any clock that goes on."""

    def __init__(
        self, now_ms: Callable[[], int], *, per_second: float = CHANGES_PER_SECOND, burst: int = CHANGES_BURST
    ) -> None:
        self._now_ms, self._per_second, self._burst = now_ms, per_second, burst
        self._buckets: dict[UserId, _Bucket] = {}

    def take(self, user_id: UserId) -> None:
        """One more change. Raises Refusal `rate_limited`."""
        now_ms = self._now_ms()
        bucket = self._buckets.pop(user_id, None) or _Bucket(self._burst, now_ms)
        gained = (now_ms - bucket.at_ms) * self._per_second / 1_000
        bucket.tokens, bucket.at_ms = min(float(self._burst), bucket.tokens + gained), now_ms
        self._buckets[user_id] = bucket  # the one who was here longest ago goes first
        if len(self._buckets) > _MOST_PEOPLE:
            del self._buckets[next(iter(self._buckets))]
        if bucket.tokens < 1:
            raise Refusal(ErrorCode.RATE_LIMITED, "too many changes; wait a moment")
        bucket.tokens -= 1
