"""The line to a table: one connection at a time, opened anew after a loss, until the server says stop.

It proves the identity, keeps the place in the stream, and hands every message on once. What the messages mean is not its matter.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol, TypeAlias

from msgspec import UNSET
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as websocket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import PROTOCOL, Enter, Error, Hello, Reconnect, Resume, Resumed, Snapshot
from railbird.client.codec import Received, decode, encode, seq_of
from railbird.client.ending import Next, after_close, close_code_of_status, is_passing
from railbird.client.errors import Closed, ConnectionLost, NotUnderstood, ProtocolTooOld, Refused, Unreachable, in_words
from railbird.client.stream import Gap, Position

TokenSource: TypeAlias = str | Callable[[], Awaitable[str]]
"""An agent's token, or what fetches a fresh one for each connection."""

Sent: TypeAlias = Callable[[str], None]
"""Hears each text frame once it was written, in order: the credentials are still in it."""

# The library writes every frame to its log at the level DEBUG, the token in `enter` too: this log starts above that
# (test_a_token_is_in_no_log).
_LOG: Final = logging.getLogger("railbird.client.websocket")
_LOG.setLevel(logging.INFO)

_BIGGEST_FRAME_BYTES: Final = 8 * 1024 * 1024
_TRIES_WITHOUT_ENTRY: Final = 3


@dataclass(frozen=True, slots=True)
class Options:
    """Times and bounds of a client. `first_wait_s` doubles with each try up to `longest_wait_s`, less up to half by chance."""

    enter_timeout_s: float = 10.0
    request_timeout_s: float = 10.0
    first_wait_s: float = 0.25
    longest_wait_s: float = 10.0
    most_waiting_frames: int = 10_000
    """How many frames may wait to be read; after that they are dropped for a new snapshot."""


DEFAULTS: Final = Options()


class Listener(Protocol):
    """Who gets what arrives. Neither method waits."""

    def received(self, message: Received) -> None:
        """One message, in order, once. Raises `Behind` where too many wait."""

    def lost(self) -> None:
        """The connection is gone; replies that did not come will not come."""


class Behind(Exception):
    """The reader is too far behind; what waits is dropped for a new snapshot."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """How one connection ended."""

    next: Next
    code: int | None
    why: str = ""


class Line:
    """A line that is kept up. `entered` is set while requests can be sent."""

    def __init__(
        self,
        url: str,
        *,
        agent_token: TokenSource | None,
        user_token: str | None,
        options: Options,
        rng: random.Random,
        listener: Listener,
        sent: Sent | None = None,
    ) -> None:
        self.url = url
        self.entered = asyncio.Event()
        self.hello: Hello | None = None
        self._agent_token = agent_token
        self._user_token = user_token
        self._options = options
        self._rng = rng
        self._listener = listener
        self._sent = sent
        self._position = Position()
        self._link: ClientConnection | None = None
        self._wait_at_least_s = 0.0
        self._last_error: Error | None = None
        self._was_entered = False

    def use_token(self, agent_token: str) -> None:
        """The token of the connections to come."""
        self._agent_token = agent_token

    async def fetch_token(self) -> str | None:
        """The agent's token for a connection, fresh where there is a source; `None`: this is no agent's line."""
        return await self._agent_token() if callable(self._agent_token) else self._agent_token

    async def send(self, text: str) -> None:
        """Send one frame on the present connection. Raises `ConnectionLost`."""
        link = self._link
        if link is None:
            raise ConnectionLost("no connection at the moment")
        try:
            await self._write(link, text)
        except ConnectionClosed:
            raise ConnectionLost("the connection broke before the request was sent") from None

    async def _write(self, link: ClientConnection, text: str) -> None:
        await link.send(text)
        if self._sent is not None:
            self._sent(text)

    async def run(self) -> NoReturn:
        """Keep the line up. Raises `Closed`, `Unreachable` or `NotUnderstood` when coming back cannot help."""
        tries = 0
        while True:
            ended = await self._visit()
            tries = 1 if self.entered.is_set() else tries + 1
            self.entered.clear()
            self._listener.lost()
            self._stop_if_final(ended, tries)
            await asyncio.sleep(self._wait_s(tries))

    def _stop_if_final(self, ended: _Ended, tries: int) -> None:
        give_up = ended.next is not Next.RESUME and tries > _TRIES_WITHOUT_ENTRY
        no_fresh_token = ended.next is Next.RENEW and not callable(self._agent_token)
        if ended.next is Next.STOP or no_fresh_token or give_up:
            self._raise_closed(ended)
        if not self._was_entered and ended.code is None:
            raise Unreachable(f"no table answers at {self.url}: {ended.why}")
        if ended.next is Next.ENTER:
            self._position.forget()

    def _raise_closed(self, ended: _Ended) -> NoReturn:
        if ended.code is None:
            raise Unreachable(f"no table answers at {self.url}: {ended.why}")
        error = self._last_error
        why = str(Refused(error)) if error else ended.why
        raise (ProtocolTooOld if ended.code == CloseCode.PROTOCOL_TOO_OLD else Closed)(ended.code, why)

    def _wait_s(self, tries: int) -> float:
        longest = min(self._options.longest_wait_s, self._options.first_wait_s * 2.0 ** min(tries - 1, 16))
        asked, self._wait_at_least_s = self._wait_at_least_s, 0.0
        return asked + longest * self._rng.uniform(0.5, 1.0)

    async def _visit(self) -> _Ended:
        """One connection, from opening to end."""
        self._last_error = None
        try:
            await self._connect_and_read()
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else None
            return _Ended(after_close(code), code, in_words(code) if code else "the connection broke")
        except InvalidStatus as refused:
            return _after_status(refused.response.status_code)
        except (OSError, TimeoutError, InvalidHandshake) as failed:
            return _Ended(Next.RESUME, None, str(failed) or "no answer in time")
        except InvalidURI:
            return _Ended(Next.STOP, None, "that is no WebSocket address")
        except Behind:
            return _Ended(Next.ENTER, None, "frames came faster than they were read")
        except Gap:
            return _Ended(Next.RESUME if self._position.fresh else Next.ENTER, None, "a frame is missing")
        finally:
            self._link = None
        raise AssertionError("a connection is read until it ends")

    async def _connect_and_read(self) -> NoReturn:
        headers = {"Authorization": f"Bearer {self._user_token}"} if self._user_token else None
        async with websocket(
            self.url,
            proxy=None,
            additional_headers=headers,
            compression=None,
            max_size=_BIGGEST_FRAME_BYTES,
            open_timeout=self._options.enter_timeout_s,
            close_timeout=2.0,
            logger=_LOG,
        ) as link:
            self._position.restart()
            async with asyncio.timeout(self._options.enter_timeout_s) as limit:
                self._greet(decode(await link.recv()))
                await self._write(link, await self._introduction())
                self._link = link
                while True:
                    self._take_or_hang_up(decode(await link.recv()), link)
                    if self.entered.is_set():
                        limit.reschedule(None)

    def _greet(self, first: Received) -> None:
        if isinstance(first, Error):
            self._last_error = first
            return
        if not isinstance(first, Hello):
            raise NotUnderstood("the server did not begin with hello")
        if first.min_protocol > PROTOCOL:
            raise ProtocolTooOld(
                CloseCode.PROTOCOL_TOO_OLD, f"the server speaks version {first.min_protocol} and newer"
            )
        self.hello = first
        self._listener.received(first)

    async def _introduction(self) -> str:
        token = await self.fetch_token()
        here = self._position
        if here.session is None:
            return encode(Enter(agent_token=token or UNSET))
        return encode(Resume(session=here.session, epoch=here.epoch, last_seq=here.seq, agent_token=token or UNSET))

    def _take_or_hang_up(self, message: Received, link: ClientConnection) -> None:
        try:
            self._take(message)
        except (Behind, Gap):
            link.transport.abort()  # a closing handshake would wait for the frames that are still to be read
            raise

    def _take(self, message: Received) -> None:
        self._last_error = None
        match message:
            case Snapshot():
                self._position.adopt(message)
            case Resumed():
                self._position.go_on(message)
            case Error(request_id=request_id) if request_id is UNSET:
                self._last_error = message
            case Reconnect(after_ms=after_ms):
                self._wait_at_least_s = after_ms / 1000
            case _:
                seq = seq_of(message)
                if seq is not None and not self._position.take(seq):
                    return
        self._listener.received(message)
        if isinstance(message, Snapshot | Resumed):
            self._was_entered = True
            self.entered.set()


def _after_status(status: int) -> _Ended:
    code = close_code_of_status(status)
    if code is not None:
        return _Ended(Next.STOP, code, in_words(code))
    return _Ended(Next.RESUME if is_passing(status) else Next.STOP, None, f"it answers with HTTP status {status}")
