"""Listeners to turns that somebody has installed: found by entry point, run behind a queue, off every turn's path.

A plug-in sees prompts, and with them its agents' cards, so none is loaded that the operator has not named. It runs on a thread of its
own: one that is slow delays itself, and what it has no room for is dropped and counted.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from importlib.metadata import entry_points
from typing import Final

from capture.hooks import MessageSent, TurnHooks, TurnStarted
from capture.record import FinishedTurn

_LOG: Final = logging.getLogger(__name__)
GROUP: Final = "railbird.turn_hooks"
"""The entry points' group: each is called without arguments and returns `TurnHooks`."""

MOST_WAITING: Final = 1_000
TIME_BOX_S: Final = 1.0
"""A listener that takes longer for one event is counted as slow."""


class UnknownPlugin(Exception):
    """No installed package has a listener of that name."""


def load_plugins(names: Collection[str]) -> list[OffPath]:
    """The named listeners, each behind its queue. Raises UnknownPlugin; what a plug-in raises when it is made goes through."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    for name in names:
        if name not in found:
            raise UnknownPlugin(f"no installed package has an entry point {name!r} in {GROUP}")
    return [OffPath(name, found[name].load()()) for name in names]


class OffPath:
    """A listener behind a queue: `TurnHooks` that return at once. `counts`: `handled`, `dropped`, `failed`, `slow`."""

    def __init__(
        self,
        name: str,
        hooks: TurnHooks,
        *,
        most_waiting: int = MOST_WAITING,
        time_box_s: float = TIME_BOX_S,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.counts: Counter[str] = Counter()
        self._hooks = hooks
        self._time_box_s = time_box_s
        self._clock_s = clock_s
        self._events: queue.Queue[Callable[[], None] | None] = queue.Queue(most_waiting)
        # A daemon: a plug-in that never returns does not hold the process (test_a_plug_in_that_hangs_holds_nobody).
        self._thread = threading.Thread(target=self._work, name=f"turn hooks {name}", daemon=True)
        self._thread.start()

    def turn_started(self, event: TurnStarted, /) -> None:
        self._put(partial(self._hooks.turn_started, event))

    def message_sent(self, event: MessageSent, /) -> None:
        self._put(partial(self._hooks.message_sent, event))

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self._put(partial(self._hooks.turn_finished, turn))

    def close(self, within_s: float) -> bool:
        """Let it handle what waits, for so long. Whether it got to the end."""
        try:
            self._events.put(None, timeout=within_s)
        except queue.Full:
            return False
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def _put(self, event: Callable[[], None]) -> None:
        try:
            self._events.put_nowait(event)
        except queue.Full:
            self.counts["dropped"] += 1

    def _work(self) -> None:
        while (event := self._events.get()) is not None:
            began = self._clock_s()
            try:
                event()
                self.counts["handled"] += 1
            except Exception as failed:  # noqa: BLE001 - whatever a plug-in does (test_a_plug_in_that_raises_is_counted)
                self.counts["failed"] += 1
                _LOG.info("the listener %s failed: %s", self.name, type(failed).__name__)
            if self._clock_s() - began > self._time_box_s:
                self.counts["slow"] += 1
