"""What is counted of the record in this process: turns that were written, wait, or were lost. No id, no text."""

from __future__ import annotations

from collections.abc import Sequence

from capture.ledger.ledger import Ledger
from capture.recorder import Recorder
from gameserver.http.metrics import Metric


def record_metrics(ledger: Ledger, recorder: Recorder | None) -> Sequence[Metric]:
    """Of the ledger, and of the buffer's recorder where there is one."""
    charged = ledger.counts
    counted = {"written": charged.written, "waiting": charged.waiting, "lost": charged.lost}
    return [
        *([] if recorder is None else _of_the_recorder(recorder)),
        Metric(
            "railbird_charged_turns", "gauge", "Turns that were charged here, by what became of it.", counted, "state"
        ),
    ]


def _of_the_recorder(recorder: Recorder) -> Sequence[Metric]:
    counts = recorder.counts
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
