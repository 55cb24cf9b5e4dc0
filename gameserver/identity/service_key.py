"""The key of the operator's own programs, on `/internal/*`. Compared in constant time, and kept as a digest."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from gameserver.errors import RailbirdError

LEAST_SERVICE_KEY_CHARACTERS: Final = 16


class WeakServiceKey(RailbirdError):
    """The configured key is too short to be one."""


class ServiceKey:
    """What `x-service-key` must be. It does not print, and the key itself is not kept."""

    __slots__ = ("_digest",)

    def __init__(self, key: str) -> None:
        if len(key) < LEAST_SERVICE_KEY_CHARACTERS:
            raise WeakServiceKey(f"a service key has at least {LEAST_SERVICE_KEY_CHARACTERS} characters")
        self._digest: Final = _digest(key)

    def matches(self, headers: Sequence[str]) -> bool:
        """`headers`: every `x-service-key` of the request; exactly one must be there. The time tells nothing of the key."""
        shown = headers[0] if len(headers) == 1 else ""
        return hmac.compare_digest(_digest(shown), self._digest)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
