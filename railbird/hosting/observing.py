"""Who listens to the turns of a host: counters for its metrics, the ledger, and the plug-ins that its operator names."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from capture.hooks import MessageSent, TurnHooks, TurnStarted
from capture.record import Decided, FellBack, FinishedTurn
from gameserver.http.metrics import Metric, single
from railbird.agenthost.models.complaints import TurnsWithoutSense
from railbird.agenthost.observers import Charge, Observers
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.visit import Phase


class TurnCounts:
    """Numbers of a host's turns: no id, no card, no text (test_the_agents_of_a_file_play)."""

    def __init__(self) -> None:
        self.turns: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.open = 0
        self.latency_ms = 0

    def turn_started(self, event: TurnStarted, /) -> None:
        self.open += 1

    def message_sent(self, event: MessageSent, /) -> None:
        pass

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self.open -= 1
        self.latency_ms += turn.latency_ms
        match turn.outcome:
            case Decided(why=why):
                self.turns["as_chosen" if why is None else "changed"] += 1
            case FellBack():
                self.turns["fallback"] += 1
        for call in turn.outcome.calls:
            self.calls[call.outcome.value] += 1
            self.tokens["input"] += call.input_tokens or 0
            self.tokens["output"] += call.output_tokens or 0


def observers_of(counts: TurnCounts, charge: Charge | None, listeners: Sequence[TurnHooks] = ()) -> Observers:
    """All that a host's seats tell their turns to."""
    return Observers([counts, TurnsWithoutSense(time.monotonic), *listeners], charge)


def host_metrics(services: Sequence[Service], counts: TurnCounts, observers: Observers) -> Sequence[Metric]:
    """Of one host, now."""
    phases = {phase.value: sum(service.phases[phase] for service in services) for phase in Phase}
    return [
        Metric("railbird_host_seats", "gauge", "Seats of this host.", phases, "phase"),
        single("railbird_host_turns_open", "gauge", "Turns that are being taken.", counts.open),
        Metric("railbird_host_turns_total", "counter", "Turns that are over.", counts.turns, "outcome"),
        Metric("railbird_host_calls_total", "counter", "Calls to models.", counts.calls, "outcome"),
        Metric("railbird_host_tokens_total", "counter", "Tokens that providers told of.", counts.tokens, "kind"),
        single("railbird_host_latency_ms_total", "counter", "Time from being asked to the reply.", counts.latency_ms),
        Metric("railbird_host_listener_failures_total", "counter", "Listeners that failed.", observers.failures, "at"),
    ]
