"""Who listens to turns, and what is kept of it when listening goes wrong: a number.

Listening changes no turn: what a listener raises is counted and swallowed. A listener returns at once; one that may be slow is put
behind a queue (`railbird.agenthost.plugins`).
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from capture.hooks import MessageSent, TurnHooks, TurnStarted
from capture.record import FinishedTurn

_LOG: Final = logging.getLogger(__name__)
_SAID_AGAIN_AFTER_S: Final = 60.0
AT_ONCE_S: Final = 0.02
"""A listener that takes longer does not return at once, and is counted as slow."""
E = TypeVar("E")

Charge = Callable[[FinishedTurn], None]
"""Enters a turn in the ledger; returns at once."""


class Observers:
    """The listeners of a host, all of its seats together. `charge` is the ledger's.

    `failures`, `slow`: how often a listener raised or took its time, by what was listened to.
    """

    def __init__(
        self,
        hooks: Sequence[TurnHooks] = (),
        charge: Charge | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures: Counter[str] = Counter()
        self.slow: Counter[str] = Counter()
        self._hooks = tuple(hooks)
        self._charge = charge
        self._clock_s = clock_s
        self._said_at: dict[str, float] = {}

    def turn_started(self, event: TurnStarted) -> None:
        for hooks in self._hooks:
            self._tell("turn_started", hooks.turn_started, event)

    def message_sent(self, event: MessageSent) -> None:
        for hooks in self._hooks:
            self._tell("message_sent", hooks.message_sent, event)

    def turn_finished(self, turn: FinishedTurn) -> None:
        if self._charge is not None:
            self._tell("charge", self._charge, turn)
        for hooks in self._hooks:
            self._tell("turn_finished", hooks.turn_finished, turn)

    def _tell(self, what: str, listener: Callable[[E], None], event: E) -> None:
        began = self._clock_s()
        try:
            listener(event)
        except Exception as failed:  # noqa: BLE001 - whatever a listener does, the turn goes on (test_a_listeners_error_changes_no_turn)
            self.failures[what] += 1
            self._say(what, failed)
        if self._clock_s() - began > AT_ONCE_S:
            self.slow[what] += 1

    def _say(self, what: str, failed: Exception) -> None:
        """One line a minute. The error's text is left out: it may hold a prompt."""
        now = self._clock_s()
        if now - self._said_at.get(what, -_SAID_AGAIN_AFTER_S) >= _SAID_AGAIN_AFTER_S:
            self._said_at[what] = now
            _LOG.warning("a listener failed at %s: %s (%d so far)", what, type(failed).__name__, self.failures[what])
