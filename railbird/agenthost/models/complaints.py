"""Tells an operator that calls fail, and how: in few lines, and without a word of the provider's, which may hold anything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from capture.hooks import MessageSent, TurnStarted
from capture.record import CallOutcome, FellBack, FinishedTurn
from railbird.agenthost.fallback import Fallback

_LOG: Final = logging.getLogger(__name__)
_AGAIN_AFTER_S: Final = 60.0


class Complaints:
    """Of one endpoint. `where`: how the record calls its provider and its model. `now_s`: for how often the same is told."""

    def __init__(self, where: str, now_s: Callable[[], float]) -> None:
        self._where = where
        self._now_s = now_s
        self._told_at: dict[str, float] = {}
        self._since: dict[str, int] = {}

    def hear(self, outcome: CallOutcome, status: int | None, error: BaseException | None) -> None:
        """A call ended. The same way to fail is told once a minute, with how often it was met since."""
        if outcome is not CallOutcome.ANSWERED:
            self._say(f"{outcome.value}, {_cause(error) if status is None else f'HTTP status {status}'}")

    def hear_no_sense(self) -> None:
        """A turn came to nothing since what was answered is no answer."""
        self._say(Fallback.MADE_NO_SENSE.value)

    def _say(self, how: str) -> None:
        self._since[how] = self._since.get(how, 0) + 1
        now_s = self._now_s()
        if now_s - self._told_at.get(how, -_AGAIN_AFTER_S) >= _AGAIN_AFTER_S:
            _LOG.warning("calls to %s fail: %s (x%d)", self._where, how, self._since.pop(how))
            self._told_at[how] = now_s


class TurnsWithoutSense:
    """Listens to a host's turns: whether an answer made sense is known when the turn is over, and not by the endpoint."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._of: dict[tuple[str, str], Complaints] = {}

    def turn_started(self, event: TurnStarted, /) -> None:
        pass

    def message_sent(self, event: MessageSent, /) -> None:
        pass

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        match turn.outcome:
            case FellBack(calls=(*_, call), reason=Fallback.MADE_NO_SENSE.value):
                where = call.provider, call.model
                if where not in self._of:
                    self._of[where] = Complaints(f"{call.provider} ({call.model})", self._now_s)
                self._of[where].hear_no_sense()
            case _:
                pass


def _cause(error: BaseException | None) -> str:
    """The kind of the first error: the SDKs and the transport put theirs around it."""
    while error is not None and (below := error.__cause__ or error.__context__) is not None:
        error = below
    return "no answer" if error is None else type(error).__name__
