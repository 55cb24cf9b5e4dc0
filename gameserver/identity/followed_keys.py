"""The keys of whoever signs users in for us, followed by a clock: their rotation becomes ours.

No token can cause a fetch, so nobody can make us ask, or make us ask somebody else: a key that is new is known after the next
refresh. A set that cannot be had or read leaves the last good one in place until it is too old
(test_a_failing_issuer_leaves_the_last_good_keys).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from gameserver.identity.jwks import user_keys
from gameserver.identity.keys import KeyRing, UnusableKey, VerifyingKey

REFRESH_EVERY_MS: Final = 60_000
KEPT_FOR_MS: Final = 24 * 3_600_000
MAX_SET_BYTES: Final = 256 * 1024


class FollowedKeys:
    """`own`: our own keys now. `fetch`: the set as bytes, raising OSError where it cannot be had. Times in milliseconds."""

    def __init__(
        self,
        *,
        own: Callable[[], KeyRing],
        fetch: Callable[[], Awaitable[bytes]],
        issuer: str,
        audience: str | None = None,
        kept_for_ms: int = KEPT_FOR_MS,
    ) -> None:
        self._own, self._fetch, self._kept_for_ms = own, fetch, kept_for_ms
        self._issuer, self._audience = issuer, audience
        self._theirs: Sequence[VerifyingKey] = ()
        self._good_until_ms = 0

    async def refresh(self, *, now_ms: int) -> bool:
        """Fetch the set once; whether it was good. Call it every `REFRESH_EVERY_MS`."""
        try:
            document = await self._fetch()
            if len(document) > MAX_SET_BYTES:
                return False
            self._theirs = user_keys(json.loads(document), issuer=self._issuer, audience=self._audience)
        except (OSError, ValueError, RecursionError, UnusableKey):
            return False
        self._good_until_ms = now_ms + self._kept_for_ms
        return True

    def ring(self, *, now_ms: int) -> KeyRing:
        """All keys that verify now. A name that is ours stays ours, whatever their set says."""
        own = list(self._own())
        names = {key.key_id for key in own}
        theirs = [key for key in self._theirs if key.key_id not in names] if now_ms < self._good_until_ms else []
        return KeyRing([*own, *theirs])
