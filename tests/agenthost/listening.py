"""A listener that keeps what it hears, and a turn for it to hear."""

from __future__ import annotations

from dataclasses import dataclass, field

from capture.hooks import MessageSent, TurnStarted
from capture.record import FellBack, FinishedTurn, TurnKey


@dataclass(slots=True)
class Heard:
    started: list[TurnStarted] = field(default_factory=list)
    sent: list[MessageSent] = field(default_factory=list)
    finished: list[FinishedTurn] = field(default_factory=list)

    def turn_started(self, event: TurnStarted, /) -> None:
        self.started.append(event)

    def message_sent(self, event: MessageSent, /) -> None:
        self.sent.append(event)

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self.finished.append(turn)


def a_turn(key: TurnKey) -> FinishedTurn:
    return FinishedTurn(
        key=key,
        agent_version_id=None,
        at_us=2,
        knowledge={},
        messages=(),
        prompt_version="1",
        temperature=None,
        seed=None,
        max_tokens=None,
        history_gap=False,
        latency_ms=0,
        outcome=FellBack((), None, "timed_out"),
    )
