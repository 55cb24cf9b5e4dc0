"""One stream: the frames of one audience of a table, numbered without gaps, and a ring of them to resume from.

Frames come gated and encoded; the ring holds these bytes and nothing else. A reader that is behind is skipped, and begins anew
from a snapshot when it has caught up: no frame of a stream is left out in silence (test_a_slow_reader_gets_a_resync).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from gameserver.floor import faults
from gameserver.floor.ports import ConnectionId
from gameserver.net.batch import Batch, EventIds
from gameserver.net.connection import OpenConnection
from gameserver.net.encoding import Pieces, numbered
from gameserver.net.event_names import Place
from gameserver.net.outlet import Outcome
from gameserver.net.sessions import Session
from gameserver.views.audience import Audience
from gameserver.wire.messages import Snapshot

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Bounds of one stream. `idle_ms`: how long a stream without a listener waits for one to resume it."""

    ring_frames: int = 512
    ring_bytes: int = 256 * 1024
    idle_ms: int = 120_000


class Ring:
    """The last frames of a stream, bounded in number and in bytes."""

    def __init__(self, limits: StreamLimits) -> None:
        self._limits = limits
        self._payloads: deque[bytes] = deque()
        self._bytes = 0
        self._last_seq = 0

    def put(self, seq: int, payload: bytes) -> None:
        """The next frame."""
        self._payloads.append(payload)
        self._bytes += len(payload)
        self._last_seq = seq
        while len(self._payloads) > self._limits.ring_frames or self._bytes > self._limits.ring_bytes:
            self._bytes -= len(self._payloads.popleft())

    def after(self, seq: int) -> list[bytes] | None:
        """All frames after this one; None where that cannot be told from what is kept."""
        missed = self._last_seq - seq
        if not 0 <= missed <= len(self._payloads):
            return None
        return list(self._payloads)[len(self._payloads) - missed :]


@dataclass(slots=True, eq=False)
class Subscriber:
    """A connection in a stream. `snapshot`: the whole state for this audience, whenever it is asked."""

    connection: OpenConnection
    snapshot: Callable[[], Snapshot]
    session: Session
    behind: bool = False


class Stream:
    """The frames of one audience. `epoch` names this numbering; `seq` is the number of the last frame.

    `event_name`: the id of this stream's event at a place.
    """

    def __init__(
        self, audience: Audience, epoch: str, event_name: Callable[[Place], bytes], limits: StreamLimits
    ) -> None:
        self.audience = audience
        self._event_name = event_name
        self.epoch = epoch
        self.seq = 0
        self.idle_since_ms: int | None = None
        self._limits = limits
        self._ring = Ring(limits)
        self._subscribers: dict[ConnectionId, Subscriber] = {}

    def publish(self, frames: Iterable[Pieces]) -> list[Subscriber]:
        """Number these frames, keep them, and write them to everybody who keeps up. Returns whose connection is gone."""
        event_ids = self.event_ids_from(self.seq + 1)
        batch = Batch([self._keep(frame) for frame in frames], event_ids)
        gone = []
        for subscriber in tuple(self._subscribers.values()):
            if subscriber.behind:
                continue
            try:
                outcome = subscriber.connection.write(batch)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one connection, the others get their frame
                _log.error("a connection broke in mid-broadcast: %s", faults.in_words(error))
                outcome = Outcome.CLOSED
            if outcome is not Outcome.WRITTEN:
                subscriber.behind = outcome is Outcome.BEHIND
                if not subscriber.behind:
                    gone.append(subscriber)
        return gone

    def _keep(self, frame: Pieces) -> bytes:
        self.seq += 1
        payload = numbered(frame, self.seq)
        self._ring.put(self.seq, payload)
        return payload

    def event_ids_from(self, seq: int) -> EventIds:
        """The ids of frames that follow one another, the first of which has this number in the present epoch."""
        epoch = self.epoch
        return lambda index: self._event_name(Place(epoch, seq + index))

    def missed_since(self, place: Place) -> list[bytes] | None:
        """What somebody at this place has missed; None where only a snapshot helps."""
        return self._ring.after(place.seq) if place.epoch == self.epoch else None

    def begin_epoch(self, epoch: str) -> None:
        """From here on nothing before can be resumed."""
        self.epoch, self.seq, self._ring = epoch, 0, Ring(self._limits)

    def add(self, subscriber: Subscriber) -> None:
        self._subscribers[subscriber.connection.connection_id] = subscriber
        self.idle_since_ms = None

    def remove(self, connection_id: ConnectionId, now_ms: int) -> None:
        self._subscribers.pop(connection_id, None)
        if not self._subscribers:
            self.idle_since_ms = now_ms

    def is_abandoned(self, now_ms: int) -> bool:
        """Nobody has listened for so long that nobody will resume."""
        return self.idle_since_ms is not None and now_ms - self.idle_since_ms > self._limits.idle_ms

    def holds(self, subscriber: Subscriber) -> bool:
        """Whether it is still this subscription by which the connection listens."""
        return self._subscribers.get(subscriber.connection.connection_id) is subscriber

    @property
    def subscribers(self) -> tuple[Subscriber, ...]:
        return tuple(self._subscribers.values())
