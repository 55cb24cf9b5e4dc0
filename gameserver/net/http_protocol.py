"""uvicorn's HTTP protocol with a deadline for the head and for the body of every request, and with ready event streams.

The deadline runs from the connection's first moment, so a silent connection goes; it ends when the head is complete and not at
the first byte, so a dripping one goes too; and again from the first byte of each later request. A body that was announced has
its own. Between requests uvicorn's own keep-alive timeout counts. Run uvicorn with `Config(app, http=ReadyHttp)`.

An event stream is opened, kept awake and ended through ASGI; its events go to the transport as ready chunks, one for a thousand
streams. The protocol puts the way there into the ASGI scope's extensions; under any other server it is not there, and
`gameserver.net.event_stream` sends them through ASGI. It relies on uvicorn's class layout: the version is pinned, and tests/net run
it on both event loops.
"""

from __future__ import annotations

import asyncio
import functools
import operator
import socket
from collections.abc import Callable
from typing import Any, ClassVar, Final, cast

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gameserver.net.outlet import DirectOutlet, OutletLimits
from gameserver.wire.close_codes import CloseCode

EVENTS_EXTENSION: Final = "railbird.events"
EVENT_FORM: Final = operator.attrgetter("event_chunk")


class PromptHttp(HttpToolsProtocol):
    """Subclass it to set other deadlines."""

    # Beside the dictionary of uvicorn's own attributes, which with a few more of them would take 1.5 KB for each connection.
    __slots__ = ("_body_timer", "_head_timer")

    head_within_s: ClassVar[float] = 10.0
    body_within_s: ClassVar[float] = 30.0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._body_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        _send_at_once(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._stop_head_timer()
        self._body_timer = self.loop.call_later(self.body_within_s, self.transport.abort)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_body_timer()  # before a socket takes over, too
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._stop_body_timer()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_within_s, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_body_timer(self) -> None:
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None


def _send_at_once(transport: asyncio.Transport) -> None:
    """A small write does not wait until the one before it is acknowledged, which a peer may put off for 40 ms. asyncio sees to it
    only where a listening socket was made with its protocol's number, as `socket.create_server` and uvicorn do not
    (test_a_write_does_not_wait_for_the_peers_acknowledgement).
    """
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class ReadyHttp(PromptHttp):
    """Subclass it to set other `limits`."""

    __slots__ = ("_body", "outlet")

    limits: ClassVar[OutletLimits] = OutletLimits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.outlet: DirectOutlet | None = None
        self._body: _EventBody | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.outlet is not None:
            self.outlet.full()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.outlet is not None:
            self.outlet.caught_up()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._shut_events()

    def on_response_complete(self) -> None:
        self._shut_events()  # before a next response begins on this connection
        super().on_response_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        scope = cast(dict[str, Any], cycle.scope)
        if scope["http_version"] == "1.1":  # an older client has no chunks
            open_events = functools.partial(self._open_events, cycle)
            scope["extensions"] = {**scope.get("extensions", {}), EVENTS_EXTENSION: open_events}
        super()._start_asgi_task(cycle, app)

    def _open_events(self, cycle: RequestResponseCycle, end: Callable[[], None]) -> DirectOutlet:
        """The outlet of this request's event stream. `end`: lets whoever serves the stream end it; called also where the line is lost."""
        self._body = _EventBody(cycle, self, end)
        self.outlet = DirectOutlet(self.transport, self.limits, EVENT_FORM, self._body.is_open, self._body.close)
        return self.outlet

    def _shut_events(self) -> None:
        outlet, body, self.outlet, self._body = self.outlet, self._body, None, None
        if outlet is not None and body is not None:
            body.is_over = True
            outlet.shut()
            body.end()


class _EventBody:
    """A chunked body between its head and its end: the one place where a chunk of ours is right."""

    __slots__ = ("_cycle", "_protocol", "end", "is_over")

    def __init__(self, cycle: RequestResponseCycle, protocol: ReadyHttp, end: Callable[[], None]) -> None:
        self._cycle, self._protocol, self.end = cycle, protocol, end
        self.is_over = False

    def is_open(self) -> bool:
        cycle = self._cycle
        return bool(
            not self.is_over and cycle.chunked_encoding and not cycle.response_complete and not cycle.disconnected
        )

    def close(self, code: int, reason: str) -> None:
        """A stream has no closing frame. Who reads too slowly would not read an end either."""
        self.is_over = True
        if self._protocol.outlet is not None:
            self._protocol.outlet.shut()
        if code == CloseCode.READS_TOO_SLOWLY:
            self._cycle.transport.abort()
            return
        self.end()
        self._protocol.loop.call_later(self._protocol.limits.linger_s, self._abort_if_unfinished)

    def _abort_if_unfinished(self) -> None:
        if not self._cycle.response_complete:
            self._cycle.transport.abort()
