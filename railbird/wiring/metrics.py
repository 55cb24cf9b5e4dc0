"""What is counted of a server, from everywhere. It holds no rule, and reads no card and no name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gameserver.floor.floor import Floor
from gameserver.http.metrics import Metric, single


@dataclass(frozen=True, slots=True)
class Counted:
    """Where the numbers come from. `frames`, `tripwire`, `faults`, `crowded`: so many since the start."""

    floor: Floor
    sockets: Callable[[], int]
    streams: Callable[[], int]
    frames: Callable[[], int]
    tripwire: Callable[[], int]
    crowded: Callable[[], int]
    faults: Callable[[], int]
    refused_tokens: Mapping[str, int]
    refusals: Mapping[str, int]


def metrics_of(counted: Counted) -> Sequence[Metric]:
    """All metrics, now."""
    states = counted.floor.states().values()
    return [
        Metric("railbird_tables", "gauge", "Open tables.", Counter(state.status for state in states), "status"),
        single("railbird_seats_taken", "gauge", "Seats taken at all tables.", sum(len(state.seats) for state in states)),
        single("railbird_hands_live", "gauge", "Hands in play.", sum(state.hand is not None for state in states)),
        single("railbird_websockets", "gauge", "Open WebSockets.", counted.sockets()),
        single("railbird_event_streams", "gauge", "Open event streams.", counted.streams()),
        single("railbird_frames_total", "counter", "Frames that went into streams.", counted.frames()),
        single("railbird_table_faults_total", "counter", "Faults of ours at tables.", counted.faults()),
        single("railbird_tripwire_total", "counter", "Frames that the door refused to send.", counted.tripwire()),
        single(
            "railbird_crowded_total", "counter", "Connections refused since their address has as many as it may.",
            counted.crowded(),
        ),
        Metric(
            "railbird_refused_credentials_total", "counter", "Credentials that were refused.", counted.refused_tokens,
            "reason",
        ),
        Metric("railbird_http_refusals_total", "counter", "Refusals over HTTP.", counted.refusals, "code"),
    ]  # fmt: skip
