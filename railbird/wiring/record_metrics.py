"""What is counted of the record in this process: turns that were written, wait, or were lost. No id, no text."""

from __future__ import annotations

from collections.abc import Sequence

from gameserver.http.metrics import Metric
from railbird.wiring.record import Record


def record_metrics(record: Record) -> Sequence[Metric]:
    """Of the buffer's recorder, where there is one, and of the ledger."""
    charged = record.ledger.counts
    counted = {"written": charged.written, "waiting": charged.waiting, "lost": charged.lost}
    return [
        *_of_the_recorder(record),
        Metric(
            "railbird_charged_turns", "gauge", "Turns that were charged here, by what became of it.", counted, "state"
        ),
    ]


def _of_the_recorder(record: Record) -> Sequence[Metric]:
    if record.recorder is None:
        return []
    counts = record.recorder.counts
    lost = {reason.value: number for reason, number in counts.lost.items()}
    return [
        Metric(
            "railbird_captured_turns",
            "gauge",
            "Turns that were decided here, by what became of the record.",
            {"stored": counts.stored, "waiting": counts.waiting, "lost": sum(lost.values())},
            "state",
        ),
        Metric("railbird_lost_turns_total", "counter", "Records that were lost.", lost, "reason"),
    ]
