"""The end of a credential, while what was opened with it is still open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from gameserver.floor.ports import Clock
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity

_LOOK_AGAIN_MS: Final = 3_600_000


class Expiry:
    """Calls `expired` when the identity that is watched has run out. Nobody runs out of nothing."""

    def __init__(self, clock: Clock, expired: Callable[[], None]) -> None:
        self._clock, self._expired = clock, expired
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, identity: Identity) -> None:
        """This identity from now on, and no other."""
        self.stop()
        if not isinstance(identity, Nobody):
            left_ms = max(0, identity.expires_at_ms - self._clock.wall_ms())
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(min(left_ms, _LOOK_AGAIN_MS) / 1000, self._check, identity)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, identity: AgentIdentity | UserIdentity) -> None:
        if self._clock.wall_ms() < identity.expires_at_ms:  # the wall clock may be set, so it is asked again
            self.watch(identity)
        else:
            self._expired()
