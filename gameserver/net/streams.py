"""One stream: the frames of one audience of a table, numbered without gaps, and a ring of them to resume from.

Frames come gated and encoded; the ring holds these bytes and nothing else. A reader that is behind is skipped, and begins anew
from a snapshot when it has caught up: no frame of a stream is left out in silence (test_a_slow_reader_gets_a_resync).

SECURITY: nobody learns from a stream whether somebody else listens to it, or did. The streams that strangers share are there as long
as their table and count from its beginning; what can be resumed follows from the frames and from the place that was reached.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from gameserver.floor import faults
from gameserver.floor.ports import ConnectionId
from gameserver.net.batch import Batch, EventIds
from gameserver.net.connection import OpenConnection
from gameserver.net.direct_lines import DirectLines
from gameserver.net.encoding import Pieces, numbered
from gameserver.net.event_names import Place
from gameserver.net.outlet import Form, Outcome
from gameserver.net.sessions import Session
from gameserver.views.audience import AgentsAudience, Audience, PublicAudience
from gameserver.wire.messages import Snapshot

_log: Final = logging.getLogger(__name__)


SHARED: Final = (PublicAudience(), AgentsAudience())
"""The audiences that strangers have in common."""


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Bounds of one stream. `absence_ms`: how long somebody may have been away, and still get what they missed."""

    ring_frames: int = 512
    ring_bytes: int = 256 * 1024
    absence_ms: int = 120_000


class Ring:
    """The last frames of a stream, bounded in number, in bytes and in age.

    They lie here in pieces, which the streams of a table have in common: one that nobody listens to costs little. When they came is
    kept beside them, and in no pair with them: so many pairs would be what the garbage collector looks at most.
    """

    __slots__ = ("_bytes", "_came_ms", "_frames", "_last_seq", "_limits")

    def __init__(self, limits: StreamLimits) -> None:
        self._limits = limits
        self._frames: deque[Pieces] = deque()
        self._came_ms: deque[int] = deque()
        self._bytes = 0
        self._last_seq = 0

    def put(self, seq: int, frame: Pieces, now_ms: int) -> None:
        """The next frame."""
        self._frames.append(frame)
        self._came_ms.append(now_ms)
        self._bytes += _size(frame)
        self._last_seq = seq
        while len(self._frames) > self._limits.ring_frames or self._bytes > self._limits.ring_bytes:
            self._drop_first()
        self._drop_old(now_ms)

    def after(self, seq: int, now_ms: int) -> list[bytes] | None:
        """All frames after this one; None where that cannot be told from what is kept."""
        self._drop_old(now_ms)
        missed = self._last_seq - seq
        if not 0 <= missed <= len(self._frames):
            return None
        frames = islice(self._frames, len(self._frames) - missed, None)
        return [numbered(frame, number) for number, frame in enumerate(frames, seq + 1)]

    def _drop_old(self, now_ms: int) -> None:
        while self._came_ms and now_ms - self._came_ms[0] > self._limits.absence_ms:
            self._drop_first()

    def _drop_first(self) -> None:
        self._came_ms.popleft()
        self._bytes -= _size(self._frames.popleft())


def _size(frame: Pieces) -> int:
    return sum(map(len, frame))


class Subscriber:
    """A connection in a stream. `snapshot`: the whole state for this audience, whenever it is asked."""

    __slots__ = ("behind", "connection", "session", "snapshot", "stream")

    def __init__(
        self, connection: OpenConnection, snapshot: Callable[[], Snapshot], session: Session, stream: Stream
    ) -> None:
        self.connection, self.snapshot, self.session, self.stream = connection, snapshot, session, stream
        self.behind = False

    def caught_up(self) -> None:
        """It has read what was queued, and missed what came meanwhile."""
        self.stream.begin_anew(self)

    def line_changed(self) -> None:
        """It has a direct line, or has it no more."""
        self.stream.sort(self)


class Stream:
    """The frames of one audience. `epoch` names this numbering; `seq` is the number of the last frame.

    `event_name`: the id of this stream's event at a place. `catch_up`: gives a listener the newest state. `now_ms`: monotonic.
    """

    def __init__(
        self,
        audience: Audience,
        epoch: str,
        event_name: Callable[[Place], bytes],
        limits: StreamLimits,
        catch_up: Callable[[Stream, Subscriber], None],
        now_ms: Callable[[], int],
    ) -> None:
        self.audience = audience
        self._event_name, self._catch_up, self._now_ms = event_name, catch_up, now_ms
        self.epoch = epoch
        self.seq = 0
        self.idle_since_ms: int | None = None
        self._limits = limits
        self._ring = Ring(limits)
        self._subscribers: dict[ConnectionId, Subscriber] = {}
        self._direct: dict[Form, DirectLines[Subscriber]] = {}
        self._others: dict[ConnectionId, Subscriber] = {}

    def publish(self, frames: Sequence[Pieces]) -> list[Subscriber]:
        """Number these frames, keep them, and write them to everybody who keeps up. Returns whose connection is gone."""
        event_ids, now_ms = self.event_ids_from(self.seq + 1), self._now_ms()
        numbers = [self._keep(frame, now_ms) for frame in frames]
        if not self._subscribers:
            return []
        batch = Batch([numbered(frame, number) for frame, number in zip(frames, numbers, strict=True)], event_ids)
        # Those others first: a direct line that turns out to be busy becomes one of them, and has the batch already.
        gone = [subscriber for subscriber in tuple(self._others.values()) if not _write(subscriber, batch)]
        for lines in self._direct.values():
            lines.send(batch)
        return gone

    def _keep(self, frame: Pieces, now_ms: int) -> int:
        self.seq += 1
        self._ring.put(self.seq, frame, now_ms)
        return self.seq

    def event_ids_from(self, seq: int) -> EventIds:
        """The ids of frames that follow one another, the first of which has this number in the present epoch."""
        epoch = self.epoch
        return lambda index: self._event_name(Place(epoch, seq + index))

    def missed_since(self, place: Place) -> list[bytes] | None:
        """What somebody at this place has missed; None where only a snapshot helps."""
        return self._ring.after(place.seq, self._now_ms()) if place.epoch == self.epoch else None

    def begin_epoch(self, epoch: str) -> None:
        """From here on nothing before can be resumed."""
        self.epoch, self.seq, self._ring = epoch, 0, Ring(self._limits)

    def add(self, subscriber: Subscriber) -> None:
        self._subscribers[subscriber.connection.connection_id] = subscriber
        self.idle_since_ms = None
        subscriber.connection.carry_for(subscriber)
        self.sort(subscriber)

    def remove(self, connection_id: ConnectionId, now_ms: int) -> None:
        subscriber = self._subscribers.pop(connection_id, None)
        if subscriber is not None:
            self._take_out(subscriber)
        if not self._subscribers:
            self.idle_since_ms = now_ms

    def sort(self, subscriber: Subscriber) -> None:
        """Put a listener among those with a direct line, or among the others."""
        if not self.holds(subscriber):
            return
        self._take_out(subscriber)
        line = None if subscriber.behind else subscriber.connection.direct_line()
        if line is None:
            self._others[subscriber.connection.connection_id] = subscriber
        else:
            self._direct.setdefault(line.form, DirectLines(line.form)).add(subscriber, line.send)

    def _take_out(self, subscriber: Subscriber) -> None:
        self._others.pop(subscriber.connection.connection_id, None)
        for lines in self._direct.values():
            lines.remove(subscriber)

    def begin_anew(self, subscriber: Subscriber) -> None:
        """A slow reader has caught up: it gets the newest state, if it still listens."""
        if self.holds(subscriber):
            subscriber.behind = False
            self._catch_up(self, subscriber)

    def is_abandoned(self, now_ms: int) -> bool:
        """It is of one person, who has not listened for so long that they will not resume it."""
        if self.audience in SHARED or self.idle_since_ms is None:
            return False
        return now_ms - self.idle_since_ms > self._limits.absence_ms

    def holds(self, subscriber: Subscriber) -> bool:
        """Whether it is still this subscription by which the connection listens."""
        return self._subscribers.get(subscriber.connection.connection_id) is subscriber

    @property
    def subscribers(self) -> tuple[Subscriber, ...]:
        return tuple(self._subscribers.values())


def _write(subscriber: Subscriber, batch: Batch) -> bool:
    """Write to a listener, unless it is behind. False: its connection is gone."""
    if subscriber.behind:
        return True
    try:
        outcome = subscriber.connection.write(batch)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one connection, the others get their frame
        _log.error("a connection broke in mid-broadcast: %s", faults.in_words(error))
        return False
    subscriber.behind = outcome is Outcome.BEHIND
    return outcome is not Outcome.CLOSED
