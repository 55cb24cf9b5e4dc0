"""uvicorn's WebSocket protocol with an outlet that writes to the transport: one ready frame serves a thousand connections.

Run uvicorn with `Config(app, ws=ReadyWebSocket, **UVICORN_SETTINGS)`. The protocol puts the outlet into the ASGI scope's
extensions; under any other server, or mounted in a host application, `websocket_outlet` falls back to ASGI's own way.
It relies on uvicorn's class layout: the version is pinned, and tests/net run it on both event loops.

permessage-deflate stays off: small messages gain nothing, each connection would pay memory, and a compressed bomb is one
attack less. (A ready frame is uncompressed, which RFC 7692, 6, allows on a connection that negotiated it all the same.)
"""

from __future__ import annotations

import asyncio
import functools
import operator
from collections.abc import Mapping
from typing import Any, ClassVar, Final, cast

from starlette.websockets import WebSocket
from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.protocol import OPEN

from gameserver.net.inbox import Inbox
from gameserver.net.outlet import DirectOutlet, FallbackOutlet, Outlet, OutletLimits
from gameserver.token_bucket import TokenBucket
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.fields import MAX_INBOUND_BYTES

EXTENSION: Final = "railbird.outlet"
WEBSOCKET_FORM: Final = operator.attrgetter("websocket_bytes")
HEARTBEAT_MS: Final = 20_000
MAX_FRAGMENTS: Final = 64
"""Pieces of one message. A message is 16 KiB at most, so more than this is somebody counting on our patience."""
_NOT_UTF8: Final = 1007
_BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
CONTROL_FRAMES_PER_S: Final = 10
CONTROL_FRAMES_BURST: Final = 50
"""Pings, and pongs that nobody asked for."""
MAX_WAITING_MESSAGES: Final = 128
"""Messages of one packet that wait to be judged: more than any rate lets through."""
_PARSED_AT_ONCE_BYTES: Final = 4_096

UVICORN_SETTINGS: Final[Mapping[str, Any]] = {
    "ws_max_size": MAX_INBOUND_BYTES,
    "ws_per_message_deflate": False,
    "ws_ping_interval": HEARTBEAT_MS / 1000,
    "ws_ping_timeout": HEARTBEAT_MS / 1000,
}
"""What the limits told in `hello` need from the server that we run under."""


class ReadyWebSocket(WebSocketsSansIOProtocol):
    """Subclass it to set other `limits`."""

    limits: ClassVar[OutletLimits] = OutletLimits()
    outlet: DirectOutlet | None = None
    _control_frames: TokenBucket | None = None
    _is_abuser: bool = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.queue = cast(asyncio.Queue[ASGIReceiveEvent], Inbox[ASGIReceiveEvent]())

    def data_received(self, data: bytes) -> None:
        """In small pieces, so that a packet full of tiny frames is judged long before all of it is parsed (test_f20_flood)."""
        for start in range(0, len(data), _PARSED_AT_ONCE_BYTES):
            if self._is_abuser:  # the rest is read, or it could not read our close frame, and is nobody's message
                return
            super().data_received(data[start : start + _PARSED_AT_ONCE_BYTES])
            self._shut_unless_open()
            if self.conn.handshake_exc is not None and not self.handshake_initiated:
                self._refuse_handshake()
                return

    def _refuse_handshake(self) -> None:
        """A head that the parser gave up, too long for it perhaps. uvicorn would keep it open in silence (test_f21_a_head_too_long)."""
        self._is_abuser = True
        self.transport.write(b"".join(self.conn.data_to_send()) or _BAD_REQUEST)
        self.transport.close()

    async def run_asgi(self) -> None:
        self.outlet = DirectOutlet(self.transport, self.limits, WEBSOCKET_FORM, self._is_open, self._close_now)
        extensions = cast(dict[str, Any], self.scope["extensions"])
        extensions[EXTENSION] = self.outlet
        await super().run_asgi()
        self._shut_unless_open()

    def shutdown(self) -> None:
        super().shutdown()
        self._shut_unless_open()

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        self._shut_unless_open()
        if message["type"] == "websocket.accept":
            del self.request, self.response  # the handshake's headers, which nobody asks for again
        if message["type"] == "websocket.http.response.body" and self.close_sent:
            self.handshake_complete = (
                True  # else uvicorn logs each handshake that is refused as an error of the application
            )

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
        self._shut_unless_open()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()  # ends in close(), which would wait for a peer that is not there to read
        self._shut_unless_open()
        self.loop.call_later(self.limits.linger_s, self.transport.abort)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self.frames = []
            self._close_abuser("too many fragments")
            return
        super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Text that is no UTF-8 is its sender's fault: it ends that connection, and leaves no traceback in our log for each."""
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.frames = []
            if not self.close_sent:
                self.conn.send_close(_NOT_UTF8)
                self.handle_parser_exception()
            return
        if self.queue.qsize() >= MAX_WAITING_MESSAGES:
            self.frames = []
            self._is_abuser = True
            self.loop.call_soon(self._close_abuser, "too many messages")  # whoever judges messages judges those first
            return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        if self._takes_control_frame():
            super().handle_ping()
        else:
            self.conn.data_to_send()  # the pong that nobody gets

    def handle_pong(self, event: Frame) -> None:
        if event.data == self.pending_ping_payload or self._takes_control_frame():
            super().handle_pong(event)

    def _takes_control_frame(self) -> bool:
        now_s = self.loop.time()
        if self._control_frames is None:
            self._control_frames = TokenBucket(CONTROL_FRAMES_PER_S, CONTROL_FRAMES_BURST, now_s)
        if self._control_frames.take(now_s):
            return True
        self._close_abuser("too many control frames")
        return False

    def _close_abuser(self, reason: str) -> None:
        self._is_abuser = True
        if self._is_open():
            self._close_now(CloseCode.TOO_MANY_MESSAGES, reason)

    def _shut_unless_open(self) -> None:
        """After whatever may have begun to close: nothing is written behind a close frame (test_nothing_follows_a_close_frame)."""
        if self.outlet is not None and not self._is_open():
            self.outlet.shut()

    def _is_open(self) -> bool:
        """Accepted, and neither side has begun to close: the state of the protocol beneath says it all."""
        return self.conn.state is OPEN and not self.disconnected

    def _close_now(self, code: int, reason: str) -> None:
        """What uvicorn does for "websocket.close", but with abort() at the end of it."""
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._shut_unless_open()
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        if self._is_abuser and self.transport.can_write_eof():
            self.transport.write_eof()  # its answer to the close frame would not be heard
        self.close_timer = self.loop.call_later(self.limits.linger_s, self.transport.abort)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def websocket_outlet(websocket: WebSocket, limits: OutletLimits) -> Outlet:
    """The outlet of an accepted WebSocket; `limits` count for a foreign server only (ours has them in its class)."""
    direct = websocket.scope.get("extensions", {}).get(EXTENSION)
    if isinstance(direct, DirectOutlet):
        return direct
    return FallbackOutlet(functools.partial(_send_text, websocket), websocket.close, limits)


async def _send_text(websocket: WebSocket, payload: bytes) -> None:
    await websocket.send_text(payload.decode())
