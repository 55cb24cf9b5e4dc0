"""A table's bounded inbox: whoever puts never waits, and learns at once where there is no room left."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from gameserver.floor.requests import Attach, Detach, Operate, Request, Say, Stop


class Inbox:
    """Requests in the order of arrival. The bound holds for what strangers can cause; leaving and stopping always fit
    (test_a_full_inbox_still_takes_a_detach).
    """

    def __init__(self, *, max_requests: int) -> None:
        self._requests: deque[Request] = deque()
        self._max = max_requests
        self._waiting: asyncio.Future[None] | None = None
        self.closed = False

    def put(self, request: Request) -> bool:
        """False where the inbox is full or closed: the request was not taken."""
        if self.closed:
            return False
        match request:
            case Attach() | Say():
                if len(self._requests) >= self._max:
                    return False
            case Detach() | Operate() | Stop():
                pass
        self._requests.append(request)
        self._wake()
        return True

    async def get(self, timeout_s: float | None) -> Request | None:
        """The next request, or None when `timeout_s` has passed without one. What has arrived comes first, however late it is."""
        if not self._requests:
            await self._wait(timeout_s)
        return self._requests.popleft() if self._requests else None

    async def _wait(self, timeout_s: float | None) -> None:
        """Until something arrives or the time has passed. One future and one timer: this is done before nearly each request."""
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = None if timeout_s is None else loop.call_later(timeout_s, self._wake)
        try:
            await self._waiting
        finally:
            self._waiting = None
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def close(self) -> Sequence[Request]:
        """Nobody reads it any more. What is left in it, for whoever has to be told so."""
        self.closed = True
        left, self._requests = tuple(self._requests), deque()
        return left
