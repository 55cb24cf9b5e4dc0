"""Where the messages of one connection go: bounded, in order, without waiting.

Above `max_queued_bytes` waiting for a reader nothing of a stream is queued any more: `write` says BEHIND, and whoever writes is
called back when the reader has caught up, to begin anew from a snapshot. A reader that has not caught up after `patience_s` is
closed with 4450. A close frame waits behind the queued bytes, and so would `transport.close()`, for ever if nobody reads; so the
connection is aborted `linger_s` after it.
"""

from __future__ import annotations

import asyncio
import enum
from asyncio import selector_events
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from gameserver.errors import Bug
from gameserver.net.batch import Batch
from gameserver.wire.close_codes import CloseCode

SLOW_READER: Final = (int(CloseCode.READS_TOO_SLOWLY), "reads too slowly")

Form: TypeAlias = Callable[[Batch], bytes]
"""A batch's bytes as a kind of connection has them."""
Send: TypeAlias = Callable[[bytes], int]
"""A socket's own `send`: it takes what there is room for, says how much that was, and raises OSError."""


@dataclass(frozen=True, slots=True)
class OutletLimits:
    """Bounds of one connection's way out."""

    max_queued_bytes: int = 256 * 1024
    patience_s: float = 5.0
    linger_s: float = 5.0


class Outcome(enum.Enum):
    """What became of a batch."""

    WRITTEN = enum.auto()
    BEHIND = enum.auto()
    """Not written; the outlet calls back when its reader has caught up."""
    CLOSED = enum.auto()


@dataclass(frozen=True, slots=True)
class DirectLine:
    """An open socket in front of which nothing is queued: what is sent is the next thing that its reader gets."""

    form: Form
    send: Send


class Listener(Protocol):
    """Whose stream goes through an outlet."""

    def caught_up(self) -> None:
        """After BEHIND: begin anew."""

    def line_changed(self) -> None:
        """`direct_line` has another answer than before."""


class NobodyListens:
    """The listener of an outlet whose connection carries no stream."""

    def caught_up(self) -> None:
        pass

    def line_changed(self) -> None:
        pass


NOBODY_LISTENS: Final = NobodyListens()


class Outlet(Protocol):
    """What writes to a connection once it is accepted. No method waits or raises."""

    def write(self, batch: Batch) -> Outcome:
        """Part of a stream: whole, or not at all."""

    def insist(self, batch: Batch) -> None:
        """An answer to this connection alone: written also where the reader is behind, up to twice the bound; then it is cut."""

    def carry_for(self, listener: Listener) -> None:
        """Whom to tell of the line from now on."""

    def direct_line(self) -> DirectLine | None:
        """The way past every queue, while there is one. The listener is told when there is none any more."""

    def write_rest(self, data: bytes) -> None:
        """What the direct line did not take of a batch."""

    def close(self, code: int, reason: str) -> None:
        """Behind what is queued."""


class DirectOutlet:
    """Writes to the transport of one of our own protocols, which tells of a queue by `full`, of its end by `caught_up`, and of the
    end of the line by `shut`.

    `form`: a batch's bytes as this protocol has them.
    """

    __slots__ = ("_close", "_form", "_is_open", "_limits", "_listener", "_patience", "_queued", "_send", "_transport")

    def __init__(
        self,
        transport: asyncio.Transport,
        limits: OutletLimits,
        form: Form,
        is_open: Callable[[], bool],
        close: Callable[[int, str], None],
    ) -> None:
        self._transport, self._limits, self._form, self._is_open, self._close = transport, limits, form, is_open, close
        self._send = _send_of(transport)
        self._listener: Listener = NOBODY_LISTENS
        self._patience: asyncio.TimerHandle | None = None
        self._queued = False
        # The first byte that the socket does not take is told, so that nothing overtakes it (test_nothing_overtakes_what_is_queued).
        transport.set_write_buffer_limits(high=0)

    def write(self, batch: Batch) -> Outcome:
        if not self._is_open():
            return Outcome.CLOSED
        if self._queued and self._transport.get_write_buffer_size() > self._limits.max_queued_bytes:
            self._be_patient()
            return Outcome.BEHIND
        self._transport.write(self._form(batch))
        return Outcome.WRITTEN

    def insist(self, batch: Batch) -> None:
        if not self._is_open():
            return
        if self._transport.get_write_buffer_size() > 2 * self._limits.max_queued_bytes:
            self._close_now(*SLOW_READER)
            return
        self._transport.write(self._form(batch))

    def carry_for(self, listener: Listener) -> None:
        self._listener = listener

    def direct_line(self) -> DirectLine | None:
        if self._send is None or self._queued or not self._is_open():
            return None
        return DirectLine(self._form, self._send)

    def write_rest(self, data: bytes) -> None:
        self._transport.write(data)

    @property
    def is_queued(self) -> bool:
        """Whether something waits for its reader."""
        return self._queued

    def close(self, code: int, reason: str) -> None:
        if self._is_open():
            self._close_now(code, reason)

    def full(self) -> None:
        """The transport has something queued."""
        self._queued = True
        self._listener.line_changed()

    def caught_up(self) -> None:
        """The transport has nothing queued any more."""
        self._queued = False
        was_behind = self._patience is not None
        self.forget()
        self._listener.line_changed()
        if was_behind:
            self._listener.caught_up()

    def shut(self) -> None:
        """The line has begun to close, or is gone: `is_open` says so."""
        self.forget()
        self._listener.line_changed()

    def forget(self) -> None:
        """Nobody is behind any more."""
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _be_patient(self) -> None:
        if self._patience is None:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(self._limits.patience_s, self.close, *SLOW_READER)

    def _close_now(self, code: int, reason: str) -> None:
        self.forget()
        self._close(code, reason)


def _send_of(transport: asyncio.Transport) -> Send | None:
    """The socket's own `send` beneath asyncio's transport, which asks for nothing else than an empty buffer before it calls it too
    (test_the_socket_beneath_the_transport). None under another loop, and with TLS.
    """
    if type(transport) is not getattr(selector_events, "_SelectorSocketTransport", None):
        return None
    send: Send | None = getattr(getattr(transport, "_sock", None), "send", None)
    return send


class FallbackOutlet:
    """The same over an awaitable `send`, for a server that is not ours: one message on its way, the rest in a bounded queue."""

    def __init__(
        self,
        send: Callable[[bytes], Awaitable[None]],
        close: Callable[[int, str], Awaitable[None]],
        limits: OutletLimits,
    ) -> None:
        self._send_one, self._close_with, self._limits = send, close, limits
        self._listener: Listener = NOBODY_LISTENS
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._behind = False
        self._closing: tuple[int, str] | None = None
        self._draining: asyncio.Task[None] | None = None

    def write(self, batch: Batch) -> Outcome:
        if self._closing is not None:
            return Outcome.CLOSED
        if self._behind or self._queued_bytes > self._limits.max_queued_bytes:
            self._behind = True
            return Outcome.BEHIND
        self._put(batch)
        return Outcome.WRITTEN

    def insist(self, batch: Batch) -> None:
        if self._closing is not None:
            return
        if self._queued_bytes > 2 * self._limits.max_queued_bytes:
            self._give_up()
            return
        self._put(batch)

    def carry_for(self, listener: Listener) -> None:
        self._listener = listener

    def direct_line(self) -> None:
        return None

    def write_rest(self, data: bytes) -> None:
        raise Bug("there is no direct line here")

    def close(self, code: int, reason: str) -> None:
        if self._closing is None:
            self._closing = (code, reason)
            self._drain()

    def _put(self, batch: Batch) -> None:
        self._queue.extend(batch.payloads)
        self._queued_bytes += batch.size_bytes
        self._drain()

    def _drain(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._write_all())

    async def _write_all(self) -> None:
        try:
            while self._queue:
                await self._write_queued()
                if self._behind and self._closing is None:
                    self._behind = False
                    self._listener.caught_up()
        except TimeoutError:
            self._give_up()
        except Exception:  # noqa: BLE001 - a broken peer, in each server's own words; its endpoint hears of it by itself
            self._closing = self._closing or (CloseCode.INTERNAL, "")
        finally:
            self._draining = None
        await self._say_goodbye()

    async def _write_queued(self) -> None:
        while self._queue:
            payload = self._queue.popleft()
            async with asyncio.timeout(self._limits.patience_s):
                await self._send_one(payload)
            self._queued_bytes -= len(payload)

    async def _say_goodbye(self) -> None:
        if self._closing is not None:
            with suppress(Exception):  # it is gone or reads nothing; the server's own timeouts end it
                async with asyncio.timeout(self._limits.linger_s):
                    await self._close_with(*self._closing)

    def _give_up(self) -> None:
        self._closing = SLOW_READER
        self._queue.clear()
        self._queued_bytes = 0
