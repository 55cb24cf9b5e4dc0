"""An event loop whose time moves when a test says so, and a clock on it. Nothing here waits for real."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from concurrent.futures import Executor, Future
from typing import Any, Final, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

BEGINS_AT_MS: Final = 1_750_000_000_000
"""The wall clock's time at the beginning of every world."""
_NO_TIME_MS: Final = 0.001
_MOST_ROUNDS: Final = 200_000


class NeverSettles(AssertionError):
    """Something runs round and round without waiting for anything."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Timers fire when `pass_ms` comes to them, in their order."""

    def __init__(self) -> None:
        self.now_ms = 0
        super().__init__()
        self._clock_resolution = 2 * _NO_TIME_MS / 1_000

    def time(self) -> float:
        return self.now_ms / 1_000

    def settle(self) -> None:
        """Run until everybody waits for time or for a message."""
        self.run_until_complete(self._settled())

    def pass_ms(self, milliseconds: int) -> None:
        """Let time pass, one timer after the other."""
        ends_ms = self.now_ms + milliseconds
        self.settle()
        while (due_ms := self._next_due_ms()) is not None and due_ms <= ends_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.settle()
        self.now_ms = ends_ms
        self.settle()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of something that needs no time."""
        task = self.create_task(work)
        self.settle()
        if not task.done():
            task.cancel()
            self.settle()
            raise NeverSettles("it waits for something that does not come")
        return task.result()

    async def _settled(self) -> None:
        ready: Any = self._ready  # type: ignore[attr-defined]  # asyncio has no name for "nobody is ready"
        for _ in range(_MOST_ROUNDS):
            await asyncio.sleep(0)
            if not ready and not self._is_anything_due():
                return
        raise NeverSettles("it goes on and on")

    def _is_anything_due(self) -> bool:
        due_ms = self._next_due_ms()
        return due_ms is not None and due_ms <= self.now_ms

    def _next_due_ms(self) -> int | None:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        waiting = [timer.when() for timer in timers if not timer.cancelled()]
        # To the millisecond that we count in, and up: but seconds are fractions, and what is a hair late is not late.
        return math.ceil(min(waiting) * 1_000 - _NO_TIME_MS) if waiting else None


class VirtualClock:
    """`gameserver.floor.ports.Clock` on a virtual loop."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def monotonic_ms(self) -> int:
        return self._loop.now_ms

    def wall_ms(self) -> int:
        return BEGINS_AT_MS + self._loop.now_ms


class AtOnce(Executor):
    """Runs what it is given then and there, in place of a thread: the order of two worlds' work is the same."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - whoever waits for the future gets it
            future.set_exception(error)
        return future
