"""Where a recorder takes hold of an agent program. It says when something happened; what becomes of it is the listener's matter.

A hook returns at once and waits for nothing: an agent program calls it on a turn's own path. What a hook raises is counted and
swallowed by the caller, so that listening changes no turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from capture.record import FinishedTurn, TurnKey


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """An agent was asked to act."""

    key: TurnKey
    at_us: int


@dataclass(frozen=True, slots=True)
class MessageSent:
    """A message left by the door within a turn: JSON bytes, credentials redacted."""

    key: TurnKey
    message: bytes


class TurnHooks(Protocol):
    """Listens to the turns of an agent program."""

    def turn_started(self, event: TurnStarted, /) -> None: ...

    def message_sent(self, event: MessageSent, /) -> None: ...

    def turn_finished(self, turn: FinishedTurn, /) -> None: ...
