"""The door: the one way out to viewers. Every audience of every table is a stream here.

    send_to_public, send_to_unseated_agents, send_to_seat, send_to_user     frames of one change, in order
    subscribe, unsubscribe                                                  who listens; atomic with the snapshot

It sends what it is given to whom it is told, after two checks that it makes by itself: that a connection is whom a stream is for
(`address`), and that no card field shows a card too many (`tripwire`). It knows no rules of the game and opens no seal.
Nothing here waits, and nothing raises into the floor: one broken frame or connection is logged, and the others get theirs.
"""

from __future__ import annotations

import functools
import logging
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final, assert_never

import msgspec

from gameserver.errors import Bug, Refusal
from gameserver.floor import faults
from gameserver.floor.ports import Clock, Connection, ConnectionId, LastEvent, Resume, ResumePoint
from gameserver.identity.who import Identity
from gameserver.net.address import check_address
from gameserver.net.batch import Batch
from gameserver.net.connection import OpenConnection
from gameserver.net.encoding import FrameEncoder, Pieces
from gameserver.net.event_names import EventNames, Place
from gameserver.net.outlet import Outcome
from gameserver.net.sessions import Session, Sessions
from gameserver.net.streams import SHARED, Stream, StreamLimits, Subscriber
from gameserver.net.tripwire import Tripwire
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.encode import Unencodable, encode
from gameserver.wire.messages import Error, NumberedFrame, Reconnect, Resumed, Resync, Snapshot
from policy.ids import TableId, UserId

_log: Final = logging.getLogger(__name__)


STREAM_LIMITS: Final = StreamLimits()


class _TableStreams:
    """The streams of one table, and which of them each connection is in."""

    def __init__(self, state: Callable[[], TableState], shown: Callable[[Audience], TableState] | None) -> None:
        self.tripwire = Tripwire(state, shown)
        self.streams: dict[Audience, Stream] = {}
        self.stream_of: dict[ConnectionId, Stream] = {}


class Delivery:
    """`gameserver.floor.ports.Door`. `new_name`: 128 random bits in text, for sessions, epochs and the key of event ids.

    `chance`: from 0 up to 1, so that not everybody comes back at the same time.
    """

    def __init__(
        self,
        *,
        new_name: Callable[[], str],
        clock: Clock,
        limits: StreamLimits = STREAM_LIMITS,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._new_name, self._clock, self._limits, self._chance = new_name, clock, limits, chance
        self._event_names = EventNames(new_name().encode())
        self._sessions = Sessions(new_name)
        self._encoder = FrameEncoder()
        self._tables: dict[TableId, _TableStreams] = {}
        self._refused_before = 0
        self.frames_total = 0
        """Frames that went into streams."""

    @property
    def refused_total(self) -> int:
        """Frames and snapshots that the tripwire refused."""
        return self._refused_before + sum(table.tripwire.refused for table in self._tables.values())

    # --- tables ---------------------------------------------------------------------------------------------------------

    def open_table(
        self,
        table_id: TableId,
        state: Callable[[], TableState],
        shown: Callable[[Audience], TableState] | None = None,
    ) -> None:
        """Before the first frame of a table. `state`: the table after the change whose frames are being sent; `shown`: as an
        audience is shown it, where some are late.
        """
        table = self._tables[table_id] = _TableStreams(state, shown)
        for audience in SHARED:
            self._open_stream(table_id, table, audience)

    def close_table(self, table_id: TableId, code: CloseCode) -> None:
        """Close every connection of a table."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            self._refused_before += table.tripwire.refused
            for subscriber in _subscribers(table):
                subscriber.connection.close(code)

    def close_all(self, code: CloseCode, *, reconnect_after_ms: int) -> None:
        """The server goes: tell everybody when to come back, each at another time around the one given, and close."""
        for table_id in tuple(self._tables):
            self.say_when_to_come_back(table_id, reconnect_after_ms)
            self.close_table(table_id, code)

    def say_when_to_come_back(self, table_id: TableId, after_ms: int) -> None:
        """The server goes: tell every connection of a table when to come back, each another time around the one given."""
        table = self._tables.get(table_id)
        for subscriber in () if table is None else _subscribers(table):
            subscriber.connection.reply(Reconnect(after_ms=jittered_ms(after_ms, self._chance())))

    # --- frames ---------------------------------------------------------------------------------------------------------

    def send_to_public(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        """To everybody who watches."""
        self._send(table_id, PublicAudience(), frames)

    def send_to_unseated_agents(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        """To agents without a seat."""
        self._send(table_id, AgentsAudience(), frames)

    def send_to_seat(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None:
        """To the occupant of a seat."""
        self._send(table_id, audience, frames)

    def send_to_user(self, user_id: UserId, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        """To every connection of this one user that carries their owner's stream of this table, and to no other."""
        self._send(table_id, OwnerAudience(user_id), frames)

    def has_listeners(self, table_id: TableId, audience: Audience) -> bool:
        """Whether frames for this audience are numbered at all: strangers share it, or its one listener may still resume."""
        table = self._tables.get(table_id)
        return table is not None and self._live_stream(table, audience) is not None

    def owners_listening(self, table_id: TableId) -> Sequence[UserId]:
        """The users whose owner's stream of a table somebody carries, or may still resume."""
        table = self._tables.get(table_id)
        audiences = () if table is None else tuple(table.streams)
        owners = [audience.user_id for audience in audiences if isinstance(audience, OwnerAudience)]
        return [user_id for user_id in owners if self.has_listeners(table_id, OwnerAudience(user_id))]

    # --- who listens ----------------------------------------------------------------------------------------------------

    def prove_session(self, name: str, identity: Identity, table_id: TableId) -> None:
        """Raises Refusal `resume_refused` where there is no such session of this identity's at this table."""
        self._sessions.prove(name, identity, table_id)

    def subscribe(
        self,
        table_id: TableId,
        audience: Audience,
        connection: Connection,
        snapshot: Callable[[], Snapshot],
        resume: Resume | None,
    ) -> None:
        """Put a connection into a stream, and out of every other of this table; see `ports.Door`."""
        listener = _open(connection)
        try:
            check_address(audience, connection.identity)
            session = self._session(table_id, audience, listener, resume)
        except Refusal as refused:
            listener.reply(Error(code=refused.code, message=refused.why))
            listener.close(CloseCode.RESUME_REFUSED)
        except Bug as bug:
            _log.error("refused a subscription: %s", faults.in_words(bug))
            listener.close(CloseCode.NOT_ALLOWED)
        else:
            self.unsubscribe(table_id, connection)
            self._join(table_id, audience, listener, snapshot, session, resume)

    def unsubscribe(self, table_id: TableId, connection: Connection) -> None:
        """Take a connection out of its stream. A connection that is in none stays so."""
        table = self._tables.get(table_id)
        stream = None if table is None else table.stream_of.pop(connection.connection_id, None)
        if stream is not None:
            stream.remove(connection.connection_id, self._clock.monotonic_ms())

    def renew_stream(self, table_id: TableId, audience: Audience) -> None:
        """Begin a new epoch: nothing sent before can be resumed, and every listener gets a snapshot as things are now."""
        table = self._tables.get(table_id)
        stream = None if table is None else table.streams.get(audience)
        if table is not None and stream is not None:
            stream.begin_epoch(self._new_name())
            for subscriber in stream.subscribers:
                self._send_snapshot(table, stream, subscriber)

    def end_stream(self, table_id: TableId, audience: Audience) -> None:
        """Forget a stream: its ring is gone, and who listened is in no stream any more. A shared one begins anew."""
        table = self._tables.get(table_id)
        stream = None if table is None else table.streams.pop(audience, None)
        if table is not None and stream is not None:
            for subscriber in stream.subscribers:
                table.stream_of.pop(subscriber.connection.connection_id, None)
                stream.remove(subscriber.connection.connection_id, self._clock.monotonic_ms())
            if audience in SHARED:
                self._open_stream(table_id, table, audience)

    # --- how ------------------------------------------------------------------------------------------------------------

    def _send(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None:
        table = self._tables.get(table_id)
        stream = None if table is None else self._live_stream(table, audience)
        if table is None or stream is None:
            return
        try:
            encoded = self._encoded(table.tripwire.permitted(audience, frames))
        except Exception as error:  # noqa: BLE001 - a bug in one table's frames stays out of the floor's loop
            _log.error("frames of a change were not sent: %s", faults.in_words(error))
            return
        self.frames_total += len(encoded)
        for gone in stream.publish(encoded) if encoded else ():
            self.unsubscribe(table_id, gone.connection)

    def _encoded(self, frames: Iterable[NumberedFrame]) -> list[Pieces]:
        encoded = []
        for frame in frames:
            try:
                encoded.append(self._encoder.encode(frame))
            except Unencodable as bug:
                _log.error("a frame was not sent: %s", bug)
        return encoded

    def _live_stream(self, table: _TableStreams, audience: Audience) -> Stream | None:
        stream = table.streams.get(audience)
        if stream is None or stream.idle_since_ms is None:  # somebody listens, as nearly each time
            return stream
        if stream.is_abandoned(self._clock.monotonic_ms()):
            del table.streams[audience]
            return None
        return stream

    def _session(
        self, table_id: TableId, audience: Audience, listener: OpenConnection, resume: Resume | None
    ) -> Session:
        """The session that is resumed, where it is of this audience; else a new one."""
        if isinstance(resume, ResumePoint):
            session = self._sessions.resumed(resume.session, listener.identity, table_id, audience)
            if session is not None:
                return session
        return self._sessions.open(listener.identity, table_id, audience)

    def _join(
        self,
        table_id: TableId,
        audience: Audience,
        listener: OpenConnection,
        snapshot: Callable[[], Snapshot],
        session: Session,
        resume: Resume | None,
    ) -> None:
        table = self._tables.get(table_id)
        if table is None:
            listener.close(CloseCode.NO_SUCH_TABLE)
            return
        stream = self._live_stream(table, audience) or self._open_stream(table_id, table, audience)
        subscriber = Subscriber(listener, snapshot, session, stream)
        stream.add(subscriber)
        table.stream_of[listener.connection_id] = stream
        place = self._place(table_id, audience, session, resume)
        missed = None if place is None else stream.missed_since(place)
        if missed is not None:
            self._send_missed(table_id, stream, subscriber, missed)
        else:
            self._send_snapshot(table, stream, subscriber, after_resync=resume is not None)

    def _open_stream(self, table_id: TableId, table: _TableStreams, audience: Audience) -> Stream:
        event_name = functools.partial(self._event_names.name, table_id, audience)
        catch_up = functools.partial(self._send_snapshot, table, after_resync=True)
        now_ms = self._clock.monotonic_ms
        stream = table.streams[audience] = Stream(
            audience, self._new_name(), event_name, self._limits, catch_up, now_ms
        )
        return stream

    def _place(self, table_id: TableId, audience: Audience, session: Session, resume: Resume | None) -> Place | None:
        """Where in this audience's stream somebody was; None where they were not, or cannot show it."""
        match resume:
            case None:
                return None
            case ResumePoint(session=name, epoch=epoch, last_seq=last_seq):
                return Place(epoch, last_seq) if name == session.name else None
            case LastEvent(event_id=event_id):
                return self._event_names.place(event_id, table_id, audience)
            case _:
                assert_never(resume)

    def _send_missed(self, table_id: TableId, stream: Stream, subscriber: Subscriber, missed: list[bytes]) -> None:
        resumed = Resumed(table_id=table_id, session=subscriber.session.name, epoch=stream.epoch, seq=stream.seq)
        ids = stream.event_ids_from(stream.seq - len(missed))
        _write(subscriber, Batch([encode(resumed), *missed], lambda index: ids(index) if index else b""))

    def _send_snapshot(
        self, table: _TableStreams, stream: Stream, subscriber: Subscriber, *, after_resync: bool = False
    ) -> None:
        """The state as it is now, under the stream's present number. A connection that cannot have it is closed."""
        try:
            snapshot = subscriber.snapshot()
            if not table.tripwire.permits_snapshot(stream.audience, snapshot):
                raise Bug("a snapshot shows a card too many")
            numbered = msgspec.structs.replace(
                snapshot, session=subscriber.session.name, epoch=stream.epoch, seq=stream.seq
            )
            resync = [encode(Resync(table_id=snapshot.table_id, epoch=stream.epoch))] if after_resync else []
            ids = stream.event_ids_from(stream.seq)
            of_snapshot = len(resync)
            batch = Batch([*resync, encode(numbered)], lambda index: ids(0) if index == of_snapshot else b"")
            _write(subscriber, batch)
        except Exception as error:  # noqa: BLE001 - without a snapshot there is no stream, and one viewer's bug is theirs alone
            _log.error("a snapshot was not sent: %s", faults.in_words(error))
            subscriber.connection.close(CloseCode.INTERNAL)


def _open(connection: Connection) -> OpenConnection:
    if not isinstance(connection, OpenConnection):
        raise Bug("the door writes to its own connections only")
    return connection


def jittered_ms(around_ms: int, chance: float) -> int:
    """Somewhere from half to one and a half of a time. `chance`: from 0 up to 1."""
    return round(around_ms * (0.5 + chance))


def _subscribers(table: _TableStreams) -> list[Subscriber]:
    return [subscriber for stream in table.streams.values() for subscriber in stream.subscribers]


def _write(subscriber: Subscriber, batch: Batch) -> None:
    subscriber.behind = subscriber.connection.write(batch) is Outcome.BEHIND
    subscriber.stream.sort(subscriber)
