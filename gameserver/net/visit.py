"""One connection's life at one table: hello, entering, messages, the end of its credential."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from msgspec import UNSET, UnsetType

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import faults
from gameserver.floor.ports import Clock, ResumePoint
from gameserver.identity.who import AgentIdentity, Identity, UserIdentity
from gameserver.net.connection import OpenConnection
from gameserver.net.expiry import Expiry
from gameserver.net.floor_port import Floor
from gameserver.net.protocol import HEARTBEAT_MS
from gameserver.net.sessions import bearer
from gameserver.token_bucket import TokenBucket
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.decode import BrokenFrame, MessageRefused, decode
from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_INBOUND_BYTES_BEFORE_ENTER
from gameserver.wire.messages import (
    MIN_PROTOCOL,
    PROTOCOL,
    Enter,
    Error,
    Hello,
    Inbound,
    Limits,
    Ping,
    Pong,
    Resume,
)
from policy.ids import TableId

_log: Final = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class VisitLimits:
    """Rates count every message, refused ones too. Who has more refused than `refusal_burst`, or at a higher rate, is closed."""

    enter_within_ms: int = 10_000
    messages_per_second: int = 20
    message_burst: int = 60
    messages_per_second_before_enter: int = 2
    message_burst_before_enter: int = 20
    refusals_per_second: int = 4
    refusal_burst: int = 60


class VisitPorts(Protocol):
    """What a visit needs of the endpoint's ports."""

    @property
    def floor(self) -> Floor: ...
    @property
    def sessions(self) -> SessionProof: ...
    @property
    def authenticate_agent(self) -> Callable[[str], Awaitable[AgentIdentity]]: ...
    @property
    def clock(self) -> Clock: ...


class SessionProof(Protocol):
    """The part of the door that says whose a session is."""

    def prove_session(self, name: str, identity: Identity, table_id: TableId) -> None:
        """Raises Refusal `resume_refused`."""


class Visit:
    """From the accepted handshake to the end."""

    def __init__(
        self,
        ports: VisitPorts,
        limits: VisitLimits,
        told: Limits,
        table_id: TableId,
        connection: OpenConnection,
    ) -> None:
        self._ports, self._limits, self._told = ports, limits, told
        self._table_id, self._connection = table_id, connection
        self._loop = asyncio.get_running_loop()
        self._entered = False
        self._refusals = TokenBucket(limits.refusals_per_second, limits.refusal_burst, self._loop.time())
        self._bucket = TokenBucket(
            limits.messages_per_second_before_enter, limits.message_burst_before_enter, self._loop.time()
        )
        self._enter_timer: asyncio.TimerHandle | None = None
        self._expiry = Expiry(ports.clock, self._expired)

    async def run(self, receive: Receive) -> None:
        """Until the peer or the server closes. A fault of ours ends in a proper close."""
        self._connection.reply(self._hello())
        self._enter_timer = self._loop.call_later(self._limits.enter_within_ms / 1000, self._nothing_entered)
        self._expiry.watch(self._connection.identity)
        try:
            while (event := await receive())["type"] == "websocket.receive":
                if not self._connection.closed:  # what was on its way when we closed is nobody's request any more
                    await self._take(event)
        except Exception as error:  # noqa: BLE001 - one connection's fault, and the peer is told
            _log.error("a connection's handler failed: %s", faults.in_words(error))
            self._connection.close(CloseCode.INTERNAL)
        finally:
            self._leave()

    # --- what comes in --------------------------------------------------------------------------------------------------

    async def _take(self, event: MutableMapping[str, Any]) -> None:
        received_ms = self._ports.clock.monotonic_ms()
        if not self._bucket.take(self._loop.time()):
            self._put_off("too many messages", self._request_id(event))
            return
        message = self._decoded(event)
        if message is None:
            return
        if message.request_id is UNSET or self._connection.is_new_request(message.request_id):
            await self._handle(message, received_ms)

    @property
    def _max_bytes(self) -> int:
        return MAX_INBOUND_BYTES if self._entered else MAX_INBOUND_BYTES_BEFORE_ENTER

    def _decoded(self, event: MutableMapping[str, Any]) -> Inbound | None:
        text = event.get("text")
        data = event.get("bytes", b"") if text is None else text
        try:
            return decode(data, max_bytes=self._max_bytes, binary=text is None)
        except MessageRefused as refused:
            self._refuse(refused.code, refused.why, refused.request_id or UNSET)
            if text is None and not self._entered:
                self._connection.close(CloseCode.BAD_MESSAGE)
        except BrokenFrame as broken:
            self._connection.close_by_rfc(broken.close_code)
        return None

    def _request_id(self, event: MutableMapping[str, Any]) -> str | UnsetType:
        """Which request a message that is not done would have been, where it can be read."""
        text = event.get("text")
        try:
            return decode("" if text is None else text, max_bytes=self._max_bytes).request_id
        except MessageRefused as refused:
            return refused.request_id or UNSET
        except BrokenFrame:
            return UNSET

    async def _handle(self, message: Inbound, received_ms: int) -> None:
        match message:
            case Ping():
                self._pong(message)
            case Enter() | Resume() if not self._entered:
                await self._enter(message)
            case Enter():
                await self._renew(message, received_ms)
            case Resume():
                self._refuse(ErrorCode.ALREADY_ENTERED, "this connection has entered", message.request_id)
            case _:
                self._say(message, received_ms)

    def _say(self, message: Inbound, received_ms: int) -> None:
        if not self._entered:
            self._refuse(ErrorCode.NOT_ENTERED, "enter first", message.request_id)
        elif not self._ports.floor.say(self._table_id, self._connection, message, received_ms):
            self._say_busy(message)

    def _pong(self, ping: Ping) -> None:
        now_ms = self._ports.clock.wall_ms()
        self._connection.reply(Pong(server_time=now_ms, echo=ping.echo, request_id=ping.request_id))

    # --- entering -------------------------------------------------------------------------------------------------------

    async def _enter(self, message: Enter | Resume) -> None:
        identity = await self._prove(message)
        if identity is None or self._connection.closed:  # the time to enter may have run out meanwhile
            return
        try:
            resume = self._resume_point(message, identity)
            self._connection.identity = identity
            taken = self._ports.floor.attach(self._table_id, self._connection, resume)
        except Refusal as refused:
            self._refuse_entry(refused, message.request_id)
            return
        if not taken:
            self._say_busy(message)
            return
        self._has_entered()

    async def _prove(self, message: Enter | Resume) -> Identity | None:
        """Who enters: an agent by its token, anybody else as the handshake proved; None where that is refused."""
        token = message.agent_token
        if token is UNSET:
            return self._connection.identity
        if isinstance(self._connection.identity, UserIdentity):
            self._refuse(ErrorCode.NOT_ALLOWED, "this connection is a user's", message.request_id)
            self._connection.close(CloseCode.NOT_ALLOWED)
            return None
        try:
            return await self._ports.authenticate_agent(token)
        except Refusal as refused:
            self._refuse(refused.code, refused.why, message.request_id)
            self._connection.close(CloseCode.NOT_AUTHENTICATED)
            return None

    def _resume_point(self, message: Enter | Resume, identity: Identity) -> ResumePoint | None:
        if isinstance(message, Enter):
            return None
        self._ports.sessions.prove_session(message.session, identity, self._table_id)
        return ResumePoint(message.session, message.epoch, message.last_seq)

    def _refuse_entry(self, refused: Refusal, request_id: str | UnsetType) -> None:
        self._refuse(refused.code, refused.why, request_id)
        match refused.code:
            case ErrorCode.RESUME_REFUSED:
                self._connection.close(CloseCode.RESUME_REFUSED)
            case ErrorCode.NOT_FOUND:
                self._connection.close(CloseCode.NO_SUCH_TABLE)
            case _:
                self._connection.close(CloseCode.NOT_ALLOWED)

    def _has_entered(self) -> None:
        self._entered = True
        self._stop(self._enter_timer)
        self._bucket = TokenBucket(self._limits.messages_per_second, self._limits.message_burst, self._loop.time())
        self._expiry.watch(self._connection.identity)

    async def _renew(self, message: Enter, received_ms: int) -> None:
        """A fresh token of the same agent. What it means for a seat is the floor's to say; it never sees the token."""
        present = self._connection.identity
        fresh = await self._prove(message)
        if fresh is None or self._connection.closed:
            return
        if message.agent_token is UNSET or not isinstance(fresh, AgentIdentity) or bearer(fresh) != bearer(present):
            self._refuse(ErrorCode.ALREADY_ENTERED, "this connection has entered", message.request_id)
            return
        self._connection.identity = fresh
        self._expiry.watch(fresh)
        self._say(Enter(request_id=message.request_id), received_ms)

    # --- the end --------------------------------------------------------------------------------------------------------

    def _refuse(self, code: ErrorCode, why: str, request_id: str | UnsetType = UNSET) -> None:
        """One error frame for each refused message, until there are too many."""
        self._connection.reply(Error(code=code, message=why, request_id=request_id))
        self._count_refusal()

    def _put_off(self, why: str, request_id: str | UnsetType) -> None:
        """What comes too often is not done, so its refusal is no answer that is kept: the same request may come again."""
        self._connection.tell(Error(code=ErrorCode.RATE_LIMITED, message=why, request_id=request_id))
        self._count_refusal()

    def _say_busy(self, message: Inbound) -> None:
        if message.request_id is not UNSET:
            self._connection.forget_request(message.request_id)
        self._put_off("the table is busy", message.request_id)

    def _count_refusal(self) -> None:
        if not self._refusals.take(self._loop.time()):
            self._connection.close(CloseCode.TOO_MANY_MESSAGES)

    def _nothing_entered(self) -> None:
        self._connection.reply(Error(code=ErrorCode.NOT_ENTERED, message="nothing entered in time"))
        self._connection.close(CloseCode.NOTHING_ENTERED)

    def _expired(self) -> None:
        self._connection.reply(Error(code=ErrorCode.BAD_TOKEN, message="the credential has expired"))
        self._connection.close(CloseCode.CREDENTIALS_EXPIRED)

    def _leave(self) -> None:
        self._stop(self._enter_timer)
        self._expiry.stop()
        if self._entered:
            self._ports.floor.detach(self._table_id, self._connection)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def _hello(self) -> Hello:
        return Hello(
            protocol=PROTOCOL,
            min_protocol=MIN_PROTOCOL,
            server_time=self._ports.clock.wall_ms(),
            heartbeat_ms=HEARTBEAT_MS,
            limits=self._told,
        )
