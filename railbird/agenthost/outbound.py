"""The one door of an agent to its table: `send_to_table`. Nothing else in this package writes to a connection.

A message that left by another way would be in no record, and the record would look whole and be wrong (`tests/architecture` finds
any other send). What left is written down from what was really written to the socket, a reconnect's messages and repetitions
included; it holds no rule about what may be sent.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from msgspec import UNSET

from gameserver.wire.messages import Action, ClientMessage, Enter
from railbird.agenthost.transcript import Transcript
from railbird.client import ClientError, Frame, Options, TokenSource, connect
from railbird.client.line import DEFAULTS


class Door:
    """One agent's connection to one table. Use it as `async with`."""

    def __init__(self, url: str, *, agent_token: TokenSource, rng: random.Random, options: Options = DEFAULTS) -> None:
        self.transcript = Transcript()
        self._client = connect(url, agent_token=agent_token, rng=rng, options=options, sent=self.transcript.sent)
        self._posted: set[asyncio.Task[ClientError | None]] = set()

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.withdraw()
        await self._client.close()

    def frames(self) -> AsyncIterator[Frame]:
        """What the table tells. Raises `Closed` or `Unreachable` when it ended for good."""
        return self._client.__aiter__()

    def server_now_ms(self) -> int:
        """The table's clock, Unix time in milliseconds."""
        return self._client.server_now_ms()

    async def send_to_table(self, message: ClientMessage) -> None:
        """Send, and wait until the table took it. Raises `Refused`, `ConnectionLost`, `NoAnswer`, `Closed`.

        An action is sent again when the connection is lost before the reply: its turn's id makes that safe. `Enter` without a
        token fetches a fresh one.
        """
        match message:
            case Action(turn_id=turn_id, action=action, amount=amount):
                await self._client.act(turn_id, action, None if amount is UNSET else amount)
            case Enter(agent_token=token):
                await self._client.renew(None if token is UNSET else token)
            case _:
                await self._client.request(message)

    def post(self, message: ClientMessage) -> asyncio.Task[ClientError | None]:
        """Send without waiting for the reply, before anything that is sent after the next step of the loop.

        The task's result is what went wrong, `None` where the table took it.
        """
        task = asyncio.create_task(self._try(message))
        self._posted.add(task)
        task.add_done_callback(self._posted.discard)
        return task

    @property
    def posted(self) -> int:
        """How much was posted and has no reply yet."""
        return len(self._posted)

    def withdraw(self) -> None:
        """Send nothing any more that was posted and has not left, as while the line is down: its turn is over."""
        for task in self._posted:
            task.cancel()

    async def _try(self, message: ClientMessage) -> ClientError | None:
        try:
            await self.send_to_table(message)
        except ClientError as failed:
            return failed
        return None
