"""The endpoints `GET /games/poker/{tableId}/stream` and `.../owner-stream`: server-sent events, read only.

sse-starlette opens, keeps awake and ends a stream; what is in it comes from the floor and the door, as for a socket, under the same
bounds. Opening, holding or dropping a stream changes nothing at the table: it is a read and no presence
(test_a_stream_is_no_presence). Who may watch, and who owns an agent here, is the floor's to say, by the gates.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from sse_starlette.sse import EventSourceResponse, SendTimeoutError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.ports import Clock, ConnectionId, LastEvent, Watching
from gameserver.identity import ids
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.net.address_places import AddressFull, AddressPlaces
from gameserver.net.connection import OpenConnection
from gameserver.net.delivery import jittered_ms
from gameserver.net.event_queue import EventQueue
from gameserver.net.expiry import Expiry
from gameserver.net.floor_port import WatchedFloor
from gameserver.net.http_protocol import EVENTS_EXTENSION
from gameserver.net.outlet import DirectOutlet, OutletLimits
from gameserver.net.ready_events import Keeper, OpenedEvents, keep_awake
from gameserver.net.stream_places import NoPlace, StreamPlaces
from gameserver.net.visitors import Arrival, IsRevoked, Visitors
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Error
from policy.ids import TableId

TABLE_PARAMETER: Final = "table_id"
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    # A ready chunk goes past any middleware that compresses: this keeps its hands off the whole stream.
    "Content-Encoding": "identity",
}


@dataclass(frozen=True, slots=True)
class EventPorts:
    """What the endpoints are given.

    `identify`: the user's token, ticket or cookie, or nobody; raises Refusal for a credential that is no good.
    `refused`: a refusal as a document; `busy`: the answer where there is no place, with a status and the seconds after which to
    come back.
    `is_origin_allowed`: of a browser's page. `new_name`: 128 random bits in text. `chance`: from 0 up to 1.
    """

    floor: WatchedFloor
    identify: Callable[[Request], Awaitable[UserIdentity | Nobody]]
    refused: Callable[[Refusal], Response]
    busy: Callable[[int, int], Response]
    is_origin_allowed: Callable[[str], bool]
    clock: Clock
    new_name: Callable[[], str]
    chance: Callable[[], float]


@dataclass(frozen=True, slots=True)
class EventLimits:
    """`retry_ms`: when a client comes back, around; each is told another time. `ping_s`: between two comments of a silent stream.

    `max_streams`: open ones of this process; `max_streams_per_user`: of one signed-in person. A further one gets 503.
    `outlet`: under a foreign server; ours has its own in its class.
    """

    max_streams: int = 5_000
    max_streams_per_user: int = 256
    retry_after_s: int = 5
    retry_ms: int = 2_000
    ping_s: float = 15.0
    outlet: OutletLimits = field(default_factory=OutletLimits)


EVENT_LIMITS: Final = EventLimits()


class _NoChunks(logging.Filter):
    """Withholds sse-starlette's debug lines: these print whole events, and an owner's have cards."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


_no_chunks: Final = _NoChunks()


class TableEvents:
    """Both endpoints, and the streams that are open."""

    def __init__(
        self, ports: EventPorts, limits: EventLimits = EVENT_LIMITS, *, places: AddressPlaces | None = None
    ) -> None:
        # Here and not where logs are set up: under a host's own server its logging is the host's
        # (test_no_event_of_a_stream_is_in_a_log).
        logging.getLogger("sse_starlette.sse").addFilter(_no_chunks)  # the same one again changes nothing
        self._ports, self._limits = ports, limits
        self._places = StreamPlaces(in_all=limits.max_streams, per_user=limits.max_streams_per_user)
        self._keeper = Keeper(lambda: self._limits.ping_s)
        self._addresses = AddressPlaces() if places is None else places
        self._open = Visitors()

    def routes(self) -> list[Route]:
        """The two routes. A browser's `EventSource` goes by GET."""
        path = f"/games/poker/{{{TABLE_PARAMETER}}}"
        return [
            Route(f"{path}/stream", self.public_stream, methods=["GET"], name="stream"),
            Route(f"{path}/owner-stream", self.owner_stream, methods=["GET"], name="owner_stream"),
        ]

    @property
    def open_streams(self) -> int:
        """How many streams are open."""
        return self._places.open

    def close_revoked(self, is_revoked: IsRevoked) -> int:
        """End what was opened with a credential that is no good any more, and say how many these were."""
        return self._open.close_revoked(is_revoked)

    async def public_stream(self, request: Request) -> Any:
        """The public view, for anybody who may know of the table."""
        return await self._answer(request, Watching.PUBLIC)

    async def owner_stream(self, request: Request) -> Any:
        """The public view and what is the owner's own, for a user with an agent at the table."""
        return await self._answer(request, Watching.OWNER)

    async def _answer(self, request: Request, watching: Watching) -> Response | _Stream:
        try:
            self._refuse_foreign_page(request)
            arrival = self._open.arriving()
            identity = await self._ports.identify(request)
            if watching is Watching.OWNER and isinstance(identity, Nobody):
                raise TokenRefused(TokenReason.NOT_ONE_CREDENTIAL)
            table_id = ids.table_id(request.path_params[TABLE_PARAMETER]) or TableId("")  # of which there is none
            self._ports.floor.admit_watcher(table_id, identity, watching)
        except Refusal as refused:
            return self._ports.refused(refused)
        visit = _Visit(table_id, identity, watching, _last_event(request))
        house = _House(self._ports, self._limits, self._places, self._addresses, self._keeper, self._open)
        return _Stream(house, visit, arrival)

    def _refuse_foreign_page(self, request: Request) -> None:
        if not all(map(self._ports.is_origin_allowed, request.headers.getlist("origin"))):
            raise Refusal(ErrorCode.NOT_ALLOWED, "another site's page")


@dataclass(frozen=True, slots=True)
class _Visit:
    """What a request asks for, once it may."""

    table_id: TableId
    identity: UserIdentity | Nobody
    watching: Watching
    last_event: LastEvent | None


@dataclass(frozen=True, slots=True)
class _House:
    """What all streams share."""

    ports: EventPorts
    limits: EventLimits
    places: StreamPlaces
    addresses: AddressPlaces
    keeper: Keeper
    visitors: Visitors


class _Stream:
    """One stream, from its place to its end, as an ASGI application.

    All that it holds is given back here, whatever became of the client, also before the first byte (test_f11_*).
    """

    __slots__ = ("_arrival", "_attached", "_house", "_visit")

    def __init__(self, house: _House, visit: _Visit, arrival: Arrival) -> None:
        self._house, self._visit, self._arrival = house, visit, arrival
        self._attached = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        house = self._house
        try:
            with house.addresses.taken(scope), house.places.taken(self._visit.identity):
                await self._serve(scope, receive, send)
        except NoPlace:
            await house.ports.busy(503, house.limits.retry_after_s)(scope, receive, send)
        except AddressFull:
            await house.ports.busy(429, house.limits.retry_after_s)(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        open_events = scope.get("extensions", {}).get(EVENTS_EXTENSION)
        if open_events is None:
            await self._serve_queue(scope, receive, send)
            return
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        end = functools.partial(_set, ended)
        outlet = open_events(end)
        assert isinstance(outlet, DirectOutlet)
        with self._house.keeper.kept(outlet, end), self._opened(outlet) as connection:
            response = OpenedEvents(self._body(connection, ended), headers=_HEADERS, ping=0, sep="\n")
            await response(scope, receive, send)

    async def _serve_queue(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Under a foreign server."""
        queue = EventQueue(self._house.limits.outlet)
        with self._opened(queue) as connection, suppress(SendTimeoutError):  # who reads too slowly is cut
            response = EventSourceResponse(
                self._queued_body(connection, queue),
                headers=_HEADERS,
                ping=self._house.limits.ping_s,
                ping_message_factory=keep_awake,
                sep="\n",
                send_timeout=self._house.limits.outlet.patience_s,
            )
            await response(scope, receive, send)

    @contextmanager
    def _opened(self, outlet: DirectOutlet | EventQueue) -> Iterator[OpenConnection]:
        connection = OpenConnection(ConnectionId(self._house.ports.new_name()), self._visit.identity, outlet)
        expiry = Expiry(self._house.ports.clock, functools.partial(_expire, connection))
        expiry.watch(self._visit.identity)
        try:
            with self._house.visitors.here(connection, self._arrival):
                yield connection
        finally:
            expiry.stop()
            outlet.forget()
            if self._attached:
                self._house.ports.floor.detach(self._visit.table_id, connection)

    async def _body(self, connection: OpenConnection, ended: asyncio.Future[None]) -> AsyncIterator[bytes]:
        """What goes through ASGI under our own server: the opening, and the end."""
        yield self._opening()
        if not connection.closed and not ended.done():
            self._attach(connection)
            await ended

    async def _queued_body(self, connection: OpenConnection, queue: EventQueue) -> AsyncIterator[bytes]:
        """What goes through ASGI under a foreign server: all of it."""
        yield self._opening()
        if not connection.closed:
            self._attach(connection)
        async for data in queue.events():
            yield data

    def _opening(self) -> bytes:
        return b": open\nretry: %d\n\n" % jittered_ms(self._house.limits.retry_ms, self._house.ports.chance())

    def _attach(self, connection: OpenConnection) -> None:
        """Now that the head is out. Whoever may no longer watch is told, and the stream ends."""
        visit = self._visit
        try:
            self._attached = self._house.ports.floor.watch(visit.table_id, connection, visit.watching, visit.last_event)
        except Refusal as refused:
            connection.reply(Error(code=refused.code, message=refused.why))
            connection.close(CloseCode.NOT_ALLOWED)
            return
        if not self._attached:
            connection.reply(Error(code=ErrorCode.RATE_LIMITED, message="the table is busy"))
            connection.close(CloseCode.TOO_MANY_MESSAGES)


def _expire(connection: OpenConnection) -> None:
    connection.reply(Error(code=ErrorCode.BAD_TOKEN, message="the credential has expired"))
    connection.close(CloseCode.CREDENTIALS_EXPIRED)


def _set(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


def _last_event(request: Request) -> LastEvent | None:
    """Where the client was: what the browser says when it comes back, else what the page put into the address."""
    said = request.headers.getlist("last-event-id") or request.query_params.getlist("lastEventId")
    if not any(said):
        return None
    return LastEvent(said[0] if len(said) == 1 else "")
