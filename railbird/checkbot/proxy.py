"""Stands between a bot and the server: every frame is written into the diary, and goes on by way of the fault."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from railbird.checkbot.diary import Diary, Frame
from railbird.checkbot.faults import Fault

# The library writes frames to its log at the level DEBUG, the token in `enter` too: this log starts above that.
_LOG: Final = logging.getLogger("railbird.checkbot.websocket")
_LOG.setLevel(logging.CRITICAL)

_BIGGEST_FRAME_BYTES: Final = 8 * 1024 * 1024


@asynccontextmanager
async def proxy(table_url: str, fault: Fault, diary: Diary) -> AsyncIterator[str]:
    """The address at which the bot finds the table, while the block runs."""
    between = _Between(table_url, fault, diary)
    path = urlsplit(table_url).path
    async with serve(
        between.visit,
        "127.0.0.1",
        0,
        process_request=between.admit,
        max_size=_BIGGEST_FRAME_BYTES,
        compression=None,
        close_timeout=1,
        logger=_LOG,
    ) as server:
        yield f"ws://127.0.0.1:{_port(server)}{path}"


def _port(server: Server) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port


class _Between:
    """All connections of one bot."""

    def __init__(self, table_url: str, fault: Fault, diary: Diary) -> None:
        self._table_url, self._fault, self._diary = table_url, fault, diary

    def admit(self, bot: ServerConnection, request: Request) -> Response | None:
        """Nobody is at home for a while after some faults; and there is the table's socket here, and nothing else."""
        struck_s = self._diary.struck_s
        if struck_s is not None and asyncio.get_running_loop().time() < struck_s + self._fault.closed_for_s:
            return bot.respond(HTTPStatus.SERVICE_UNAVAILABLE, "")
        if request.path != urlsplit(self._table_url).path:
            return bot.respond(HTTPStatus.NOT_FOUND, "There is the socket of one table here, and nothing else.\n")
        return None

    async def visit(self, bot: ServerConnection) -> None:
        """One connection, from its opening to its end."""
        self._diary.opened()
        try:
            async with connect(
                self._table_url,
                proxy=None,
                max_size=_BIGGEST_FRAME_BYTES,
                compression=None,
                close_timeout=1,
                logger=_LOG,
            ) as table:
                await _Line(bot, table, self._fault, self._diary).run()
        finally:
            self._diary.ended()


class _Line:
    """One connection of the bot, and ours to the table for it."""

    def __init__(self, bot: ServerConnection, table: ClientConnection, fault: Fault, diary: Diary) -> None:
        self._bot, self._table, self._fault, self.diary = bot, table, fault, diary
        self._on_its_way: asyncio.Queue[tuple[float, str]] = asyncio.Queue()

    async def run(self) -> None:
        """Until either side ends; the other one is told the same code."""
        ways = [asyncio.create_task(way) for way in (self._hear_table(), self._hand_on(), self._hear_bot())]
        done, rest = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in rest:
            way.cancel()
        await asyncio.wait(ways)
        await self._end()
        for way in done:
            way.result()

    async def to_bot(self, text: str) -> None:
        with suppress(ConnectionClosed):
            await self._bot.send(text)

    async def to_table(self, text: str) -> None:
        with suppress(ConnectionClosed):
            await self._table.send(text)

    def cut(self) -> None:
        self._bot.transport.abort()
        self._table.transport.abort()

    async def close(self, code: int, reason: str) -> None:
        await self._bot.close(code, reason)

    async def _hear_table(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(ConnectionClosed):
            async for text in self._table:
                self._on_its_way.put_nowait((loop.time() + self._fault.to_bot_late_s, str(text)))
        await self._on_its_way.join()

    async def _hand_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due_s, text = await self._on_its_way.get()
            await asyncio.sleep(max(0.0, due_s - loop.time()))
            frame = _read(text)
            self.diary.told(frame)
            await self._fault.from_table(frame, text, self)
            self._on_its_way.task_done()

    async def _hear_bot(self) -> None:
        with suppress(ConnectionClosed):
            async for sent in self._bot:
                if isinstance(sent, bytes):
                    await self._table.send(sent)
                    continue
                message = _read(sent)
                self.diary.said(message)
                await self._fault.from_bot(message, sent, self)

    async def _end(self) -> None:
        """Say on each side what the other one said last."""
        await _close_like(self._bot, self._table)
        await _close_like(self._table, self._bot)


async def _close_like(here: ServerConnection | ClientConnection, there: ServerConnection | ClientConnection) -> None:
    received = there.protocol.close_rcvd
    if received is None and there.protocol.close_sent is None:
        here.transport.abort()
    else:
        await here.close(received.code if received else 1000, received.reason if received else "")


def _read(text: str) -> Frame:
    """A frame as JSON; what is no object is an empty one here, and goes on as it is."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
