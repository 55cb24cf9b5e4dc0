"""A client of one table: requests that wait for their reply, and what the table tells, in order."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Coroutine
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec
from msgspec import UNSET

from gameserver.wire.messages import (
    Ack,
    Action,
    ActionKind,
    ClientMessage,
    Enter,
    Error,
    Hello,
    Numbered,
    NumberedFrame,
    Pong,
    Snapshot,
)
from railbird.client.codec import Received, encode
from railbird.client.errors import ClientError, Closed, ConnectionLost, NoAnswer, refusal
from railbird.client.line import DEFAULTS, Behind, Line, Options, Sent, TokenSource
from railbird.client.requests import Reply, Requests

Frame: TypeAlias = NumberedFrame | Snapshot | Error
"""What a client is told. A `Snapshot` replaces all that was known; an `Error` here answers no request of ours."""

_End: TypeAlias = ClientError | None
"""What ends the frames: `None` where we closed it ourselves, or the server did so normally."""


class Client(Requests):
    """One identity at one table. Use it as `async with connect(...) as client`; one task at a time reads the frames."""

    def __init__(
        self,
        url: str,
        *,
        agent_token: TokenSource | None = None,
        user_token: str | None = None,
        options: Options = DEFAULTS,
        rng: random.Random | None = None,
        sent: Sent | None = None,
    ) -> None:
        self.snapshot: Snapshot | None = None
        """The latest one; it is not kept up to date by the frames after it."""
        self._options = options
        self._line = Line(
            url,
            agent_token=agent_token,
            user_token=user_token,
            options=options,
            rng=rng or random.Random(),
            listener=self,
            sent=sent,
        )
        self._frames: asyncio.Queue[Frame | _End] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._asked = 0
        self._prefix = secrets.token_hex(4)
        self._clock_ahead_ms = 0
        self._end: ClientError | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Connect and enter. Raises `Unreachable`, `Closed`."""
        self._task = asyncio.create_task(self._run(), name="railbird client")
        try:
            await self._until_entered()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection; the frames end. An agent keeps its seat: see `leave`."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait({self._task})

    async def __aiter__(self) -> AsyncIterator[Frame]:
        """The frames, the first snapshot included. Raises `Closed` or `Unreachable` when the server ended it for good."""
        while True:
            frame = await self._frames.get()
            if frame is None:
                return
            if isinstance(frame, ClientError):
                raise frame
            yield frame

    # --- requests -------------------------------------------------------------------------------------------------------

    async def request(self, message: ClientMessage) -> Reply:
        """Send one request and wait for its reply. Raises `Refused`, `ConnectionLost`, `NoAnswer`, `Closed`."""
        return await self._in_time(self._ask(self._numbered(message)))

    async def act(self, turn_id: str, action: ActionKind, amount: int | None = None) -> None:
        """Move. `amount`: the total bet on this street after it, for `bet` and `raise` only. Raises `StaleTurn`, `Refused`.

        Sent again when the connection is lost before the reply: the turn's id makes that safe, a move counts once.
        """
        message = self._numbered(Action(turn_id=turn_id, action=action, amount=UNSET if amount is None else amount))
        await self._in_time(self._ask_until_answered(message))

    async def renew(self, agent_token: str | None = None) -> None:
        """Show a fresh token of the same agent, now and on every connection from now on.

        Without one it is fetched from where the tokens of connections come from, which goes on to be asked for each.
        """
        fresh = await self._line.fetch_token() if agent_token is None else agent_token
        await self.request(Enter(agent_token=fresh or UNSET))
        if agent_token is not None:
            self._line.use_token(agent_token)

    def server_now_ms(self) -> int:
        """The server's clock, Unix time in milliseconds, as well as its `hello` let us know it."""
        return int(time.time() * 1000) + self._clock_ahead_ms

    # --- what the line tells (see `Listener`) ---------------------------------------------------------------------------

    def received(self, message: Received) -> None:
        match message:
            case Hello(server_time=server_time):
                self._clock_ahead_ms = server_time - int(time.time() * 1000)
            case Ack(request_id=str(request_id)) | Pong(request_id=str(request_id)):
                self._answer(request_id, message)
            case Error(request_id=str(request_id)):
                self._refuse(request_id, message)
            case Snapshot():
                self.snapshot = message
                self._tell(message)
            case Error():
                self._tell(message)
            case Numbered():
                self._tell(message)
            case _:
                pass

    def lost(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(ConnectionLost("the connection broke before the reply came"))

    def _tell(self, frame: Frame) -> None:
        if self._frames.qsize() >= self._options.most_waiting_frames:
            self._drop_frames()
            raise Behind
        self._frames.put_nowait(frame)

    def _drop_frames(self) -> None:
        while not self._frames.empty():
            self._frames.get_nowait()

    def _answer(self, request_id: str, reply: Reply) -> None:
        future = self._waiting.pop(request_id, None)
        if future is not None and not future.done():
            future.set_result(reply)

    def _refuse(self, request_id: str, error: Error) -> None:
        future = self._waiting.pop(request_id, None)
        if future is not None and not future.done():
            future.set_exception(refusal(error))

    # --- inside ---------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Keep the line up, and say once how it ended."""
        end: ClientError = Closed(1000)
        last: _End = None
        try:
            await self._line.run()
        except Closed as closed:
            end, last = closed, None if closed.code == 1000 else closed
        except ClientError as failed:
            end = last = failed
        finally:
            self._end = end
            self._line.entered.clear()
            self.lost()
            self._frames.put_nowait(last)

    def _numbered(self, message: ClientMessage) -> ClientMessage:
        self._asked += 1
        return msgspec.structs.replace(message, request_id=f"{self._prefix}-{self._asked}")

    async def _in_time(self, asking: Coroutine[Any, Any, Reply]) -> Reply:
        try:
            async with asyncio.timeout(self._options.request_timeout_s):
                return await asking
        except TimeoutError:
            raise NoAnswer(f"no reply within {self._options.request_timeout_s:g} s") from None

    async def _ask_until_answered(self, message: ClientMessage) -> Reply:
        while True:
            try:
                return await self._ask(message)
            except ConnectionLost:
                await asyncio.sleep(0.01)

    async def _ask(self, message: ClientMessage) -> Reply:
        await self._until_entered()
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        request_id = str(message.request_id)
        self._waiting[request_id] = future
        try:
            await self._line.send(encode(message))
            return await future
        finally:
            self._waiting.pop(request_id, None)
            if future.done() and not future.cancelled():
                future.exception()  # looked at, or asyncio would report it as overlooked

    async def _until_entered(self) -> None:
        """Wait until requests can be sent. Raises what ended the line."""
        if self._task is None:
            raise ConnectionLost("not connected yet: use `async with`")
        if self._end is None and not self._line.entered.is_set():
            entered = asyncio.create_task(self._line.entered.wait())
            try:
                await asyncio.wait({self._task, entered}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                entered.cancel()
        if self._end is not None:
            raise self._end


def connect(
    url: str,
    *,
    agent_token: TokenSource | None = None,
    user_token: str | None = None,
    options: Options = DEFAULTS,
    rng: random.Random | None = None,
    sent: Sent | None = None,
) -> Client:
    """A client of the table at `url` (see `table_url`), to be entered with `async with`.

    An agent shows `agent_token` (a token, or what fetches a fresh one); a person `user_token`; a spectator nothing.
    `sent` hears every text that left, credentials included, for who keeps a record of it.
    """
    return Client(url, agent_token=agent_token, user_token=user_token, options=options, rng=rng, sent=sent)
