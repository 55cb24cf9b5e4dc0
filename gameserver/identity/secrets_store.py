"""Random secrets that stand for something for a while: tickets, sessions, sign-in codes.

A store keeps digests, so that whoever reads it cannot use what is in it (test_a_store_does_not_hold_what_it_gave_out).
`MemorySecrets` is for one process; several share a store of the same form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

T = TypeVar("T")

MAX_SECRET_CHARACTERS: Final = 128
"""What is longer was not given out, and is not looked up."""


class SecretStore(Protocol[T]):
    """Secrets by what they stand for. Times are Unix time; what has run out is not there."""

    async def put(self, value: T, *, expires_at_ms: int, now_ms: int) -> str:
        """A new secret for this value, until then."""

    async def find(self, secret: str, *, now_ms: int) -> T | None:
        """What it stands for."""

    async def take(self, secret: str, *, now_ms: int) -> T | None:
        """What it stood for; of two who ask at the same time, one gets it."""

    async def drop_where(self, stands_for: Callable[[T], bool]) -> None:
        """Forget every secret whose value is such a one."""


class MemorySecrets(Generic[T]):
    """A bounded store in memory; the oldest secret goes first. `new_secret`: at least 128 random bits in text.

    `holder`: whose a value is; of one holder there are `most_each`, so that nobody's many push out another's
    (test_one_holders_many_push_out_nobody_elses).
    """

    def __init__(
        self,
        *,
        new_secret: Callable[[], str],
        most: int = 10_000,
        holder: Callable[[T], str] | None = None,
        most_each: int = 256,
    ) -> None:
        self._new_secret, self._most, self._holder, self._most_each = new_secret, most, holder, most_each
        self._kept: dict[bytes, tuple[T, int]] = {}

    def __repr__(self) -> str:
        return f"<{len(self._kept)} secrets>"

    async def put(self, value: T, *, expires_at_ms: int, now_ms: int) -> str:
        """See `SecretStore`."""
        if self._holder is not None:
            self._make_room_of(self._holder, self._holder(value))
        if len(self._kept) >= self._most:
            self._make_room(now_ms)
        secret = self._new_secret()
        self._kept[_digest(secret)] = (value, expires_at_ms)
        return secret

    async def find(self, secret: str, *, now_ms: int) -> T | None:
        """See `SecretStore`."""
        return self._valid(self._kept.get(_digest(secret)), now_ms)

    async def take(self, secret: str, *, now_ms: int) -> T | None:
        """See `SecretStore`."""
        return self._valid(self._kept.pop(_digest(secret), None), now_ms)

    async def drop_where(self, stands_for: Callable[[T], bool]) -> None:
        """See `SecretStore`."""
        self._kept = {digest: kept for digest, kept in self._kept.items() if not stands_for(kept[0])}

    def _make_room_of(self, holder: Callable[[T], str], name: str) -> None:
        theirs = [digest for digest, (value, _) in self._kept.items() if holder(value) == name]
        for digest in theirs[: max(0, len(theirs) - self._most_each + 1)]:
            del self._kept[digest]

    def _make_room(self, now_ms: int) -> None:
        self._kept = {digest: kept for digest, kept in self._kept.items() if kept[1] > now_ms}
        while len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]

    def _valid(self, kept: tuple[T, int] | None, now_ms: int) -> T | None:
        return None if kept is None or kept[1] <= now_ms else kept[0]


def _digest(secret: str) -> bytes:
    if len(secret) > MAX_SECRET_CHARACTERS:
        return b""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
