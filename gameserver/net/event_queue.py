"""The way out of an event stream under a server that is not ours: a bounded queue, which sse-starlette's response empties.

The bounds are those of every outlet (`gameserver.net.outlet`). A reader that has not caught up after `patience_s` is given up; the
send that it holds up ends by the response's own timeout.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from gameserver.errors import Bug
from gameserver.net.batch import Batch
from gameserver.net.outlet import NOBODY_LISTENS, SLOW_READER, Listener, Outcome, OutletLimits


class EventQueue:
    """`gameserver.net.outlet.Outlet` whose bytes are fetched."""

    def __init__(self, limits: OutletLimits) -> None:
        self._limits = limits
        self._listener: Listener = NOBODY_LISTENS
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._closing = False
        self._wake = asyncio.Event()
        self._patience: asyncio.TimerHandle | None = None

    def write(self, batch: Batch) -> Outcome:
        if self._closing:
            return Outcome.CLOSED
        if self._patience is not None or self._queued_bytes > self._limits.max_queued_bytes:
            self._be_patient()
            return Outcome.BEHIND
        self._put(batch.event_bytes)
        return Outcome.WRITTEN

    def insist(self, batch: Batch) -> None:
        if self._closing:
            return
        if self._queued_bytes > 2 * self._limits.max_queued_bytes:
            self.close(*SLOW_READER)
            return
        self._put(batch.event_bytes)

    def carry_for(self, listener: Listener) -> None:
        self._listener = listener

    def direct_line(self) -> None:
        return None

    def write_rest(self, data: bytes) -> None:
        raise Bug("there is no direct line here")

    def close(self, code: int, reason: str) -> None:
        self.forget()
        self._closing = True
        if (code, reason) == SLOW_READER:
            self._queue.clear()
            self._queued_bytes = 0
        self._wake.set()

    async def events(self) -> AsyncIterator[bytes]:
        """What is written, until it is closed. What was given out counts as queued until the next one is asked for."""
        while True:
            while self._queue:
                data = self._queue.popleft()
                yield data
                self._queued_bytes = max(0, self._queued_bytes - len(data))
            if self._closing:
                return
            if self._patience is not None:
                self.forget()
                self._listener.caught_up()
                continue
            self._wake.clear()
            await self._wake.wait()

    def forget(self) -> None:
        """Nobody is behind any more."""
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _put(self, data: bytes) -> None:
        self._queue.append(data)
        self._queued_bytes += len(data)
        self._wake.set()

    def _be_patient(self) -> None:
        if self._patience is None:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(self._limits.patience_s, self.close, *SLOW_READER)
