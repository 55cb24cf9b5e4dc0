"""A provider as a test's script tells it: an OpenAI-compatible server on a real socket that can do all that a server should not.

It frames its answers by itself, so that it can break off inside a chunk, lie about a length, or say nothing at all.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

SSE = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came. `headers`: names in lower case."""

    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.body)
        return answer


class Hung(Exception):
    """The script ended its connection."""


@dataclass(slots=True)
class Wire:
    """The way back to one client."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    chunked: bool = False

    async def until_gone(self) -> None:
        """Until the client has closed its side."""
        while await self.reader.read(1024):
            pass

    async def head(
        self, status: int = 200, headers: dict[str, str] | None = None, *, length: int | None = None
    ) -> None:
        """The status line and headers; the body is in chunks where no length is given."""
        self.chunked = length is None
        framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        lines = [f"HTTP/1.1 {status} Odd", framing, *(f"{name}: {value}" for name, value in (headers or {}).items())]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def send(self, data: bytes | str) -> None:
        """A piece of the body."""
        piece = data.encode() if isinstance(data, str) else data
        await self.raw(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" if self.chunked else piece)

    async def event(self, value: object) -> None:
        await self.send(f"data: {json.dumps(value)}\n\n")

    async def end(self) -> None:
        """The end of a body in chunks."""
        if self.chunked:
            await self.raw(b"0\r\n\r\n")

    def cut(self) -> None:
        """Close the connection as it stands."""
        raise Hung

    def reset(self) -> None:
        """Tear the connection down."""
        found = self.writer.get_extra_info("socket")
        assert isinstance(found, socket.socket) or hasattr(found, "setsockopt")
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Hung


Script = Callable[[Asked, Wire], Awaitable[None]]


@dataclass(slots=True)
class Provider:
    """`asked`: all requests, in order."""

    base_url: str
    asked: list[Asked] = field(default_factory=list)

    def json(self, index: int = -1) -> dict[str, Any]:
        return self.asked[index].json


@asynccontextmanager
async def provider(*scripts: Script) -> AsyncIterator[Provider]:
    """One script for each request, in order; the last one also for all further ones."""
    found = Provider("")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                asked = await _read(reader)
                script = scripts[min(len(found.asked), len(scripts) - 1)]
                found.asked.append(asked)
                await script(asked, Wire(reader, writer))
        except (Hung, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    tasks: set[asyncio.Task[None]] = set()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    found.base_url = f"http://127.0.0.1:{port}/v1"
    try:
        yield found
    finally:
        server.close()
        running = [*tasks]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(head[0].split(" ")[1], headers, body)


# --- what a provider may do -------------------------------------------------------------------------------------------------


def chunk(content: str | None = None, finish: object = None, **delta: object) -> dict[str, object]:
    """One event of a stream."""
    said = {**({} if content is None else {"content": content}), **delta}
    return {
        "id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-1",
        "choices": [{"index": 0, "delta": said, "finish_reason": finish}],
    }  # fmt: skip


def usage(input_tokens: object, output_tokens: object) -> dict[str, object]:
    """The event that reports what an answer used."""
    return {"id": "c-1", "choices": [], "usage": {"prompt_tokens": input_tokens, "completion_tokens": output_tokens}}


def events(*values: object, done: bool = True, content_type: str = SSE) -> Script:
    """A stream of these events, ended as it should be."""

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.head(headers={"Content-Type": content_type})
        for value in values:
            await wire.event(value)
        if done:
            await wire.send("data: [DONE]\n\n")
        await wire.end()

    return script


def says(text: str, *, finish: str | None = "stop", tokens: tuple[int, int] | None = (100, 7)) -> Script:
    """An answer in pieces, with its usage."""
    size = max(5, len(text) // 40)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    told = [] if tokens is None else [usage(*tokens)]
    return events(chunk("", role="assistant"), *map(chunk, pieces), chunk(None, finish), *told)


def answers(status: int, body: bytes | str, headers: dict[str, str] | None = None) -> Script:
    """One whole body."""
    data = body.encode() if isinstance(body, str) else body

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.head(status, {"Content-Type": "application/json", **(headers or {})}, length=len(data))
        await wire.send(data)

    return script


def fails(
    status: int, code: str = "server_error", headers: dict[str, str] | None = None, message: str = "No."
) -> Script:
    """An error as this API tells it."""
    return answers(status, json.dumps({"error": {"message": message, "type": code, "code": code}}), headers)


async def stalls(asked: Asked, wire: Wire) -> None:
    """Not a byte."""
    await asyncio.Event().wait()


def stalls_after(*values: object) -> Script:
    """Some events, and then silence."""

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.head(headers={"Content-Type": SSE})
        for value in values:
            await wire.event(value)
        await asyncio.Event().wait()

    return script


async def drips(asked: Asked, wire: Wire) -> None:
    """A word now and then, without an end: no read ever waits for long."""
    await wire.head(headers={"Content-Type": SSE})
    while True:
        await wire.event(chunk("well, "))
        await asyncio.sleep(0.02)


async def floods(asked: Asked, wire: Wire) -> None:
    """Words without an end, as fast as they are taken."""
    await wire.head(headers={"Content-Type": SSE})
    while True:
        await wire.event(chunk("and " * 4_000))


def cuts_off(*values: object, torn: bool = False) -> Script:
    """Some events, half of another one, and the connection is gone."""

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.head(headers={"Content-Type": SSE})
        for value in values:
            await wire.event(value)
        await wire.raw(b'40\r\ndata: {"id"')
        if torn:
            wire.reset()
        wire.cut()

    return script


async def hangs_up(asked: Asked, wire: Wire) -> None:
    """No answer at all."""
    wire.cut()


def speaks(data: bytes, *, content_type: str = SSE, encoding: str | None = None) -> Script:
    """Any bytes as a body, in a few pieces."""

    async def script(asked: Asked, wire: Wire) -> None:
        headers = {"Content-Type": content_type, **({} if encoding is None else {"Content-Encoding": encoding})}
        await wire.head(headers=headers)
        for piece in _pieces(data, max(1, len(data) // 3)):
            await wire.send(piece)
        await wire.end()

    return script


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def writes(*pieces: bytes, endless: bool = False) -> Script:
    """Raw bytes in place of an answer, and the end of the connection; `endless`: the last piece again and again."""

    async def script(asked: Asked, wire: Wire) -> None:
        for piece in pieces:
            await wire.raw(piece)
        while endless:
            await wire.raw(pieces[-1])
        wire.cut()

    return script
