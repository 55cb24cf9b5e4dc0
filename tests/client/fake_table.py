"""A small real WebSocket server that speaks the frames of a table, as a test's script tells it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from gameserver.wire.messages import Ack, Inbound, ServerMessage
from tests.client.frames import hello

_DECODE = msgspec.json.Decoder(Inbound)


@dataclass(slots=True)
class Visitor:
    """One connection, seen from the table."""

    socket: ServerConnection
    said: list[Inbound] = field(default_factory=list)

    async def say(self, *messages: ServerMessage) -> None:
        for message in messages:
            await self.socket.send(msgspec.json.encode(message).decode())

    async def hear(self) -> Inbound:
        message = _DECODE.decode(await self.socket.recv())
        self.said.append(message)
        return message

    async def ack(self) -> Inbound:
        """Hear one request and take it."""
        message = await self.hear()
        request_id = message.request_id
        assert request_id is not UNSET
        await self.say(Ack(request_id=request_id))
        return message

    async def close(self, code: int, reason: str = "") -> None:
        await self.socket.close(code, reason)

    def cut(self) -> None:
        """The line breaks: no closing words."""
        self.socket.transport.abort()

    async def until_gone(self) -> None:
        await self.socket.wait_closed()


Script = Callable[[Visitor], Awaitable[Any]]


@dataclass(slots=True)
class FakeTable:
    url: str
    visits: list[Visitor] = field(default_factory=list)
    failures: list[AssertionError] = field(default_factory=list)


@asynccontextmanager
async def fake_table(*scripts: Script, greet: bool = True) -> AsyncIterator[FakeTable]:
    """One script for each connection, in order; the last one also for all further ones. A script's failure fails the test."""
    table = FakeTable("")

    async def visit(socket: ServerConnection) -> None:
        visitor = Visitor(socket)
        script = scripts[min(len(table.visits), len(scripts) - 1)]
        table.visits.append(visitor)
        try:
            if greet:
                await visitor.say(hello())
            await script(visitor)
        except AssertionError as failed:
            table.failures.append(failed)
        except ConnectionClosed:
            pass

    async with serve(visit, "127.0.0.1", 0, close_timeout=1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        table.url = f"ws://127.0.0.1:{port}/games/poker/tbl_test/ws"
        yield table
    if table.failures:
        raise table.failures[0]
