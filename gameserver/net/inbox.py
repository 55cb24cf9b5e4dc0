"""What came in on one connection and was not taken yet: the part of `asyncio.Queue` that one reader needs, at a tenth of its memory."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

_Event = TypeVar("_Event")


class Inbox(Generic[_Event]):
    """In order, for one reader. Its bound is its writer's matter."""

    __slots__ = ("_events", "_waiting")

    def __init__(self) -> None:
        self._events: list[_Event] = []
        self._waiting: asyncio.Future[None] | None = None

    def put_nowait(self, event: _Event) -> None:
        """Behind what is there."""
        self._events.append(event)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def get(self) -> _Event:
        """The oldest; waits where there is none."""
        while not self._events:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._events.pop(0)

    def empty(self) -> bool:
        return not self._events

    def qsize(self) -> int:
        """How many wait."""
        return len(self._events)
