"""A strict reader of server-sent events on a bare socket: what a browser's `EventSource` makes of the bytes."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

_OPENED: list[asyncio.StreamWriter] = []


def abort_all() -> None:
    """Break off whatever a test left open."""
    for writer in _OPENED:
        writer.transport.abort()
    _OPENED.clear()


@dataclass
class Event:
    """One event as it was dispatched. `last_id`: the last id of the stream so far."""

    name: str
    data: str
    last_id: str

    @property
    def message(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data)
        return found


@dataclass
class Parser:
    """The standard's own steps (HTML, 9.2.6). `comments` and `retry` are kept too."""

    last_id: str = ""
    retry: int | None = None
    comments: int = 0
    _pending: str = ""
    _name: str = ""
    _data: list[str] = field(default_factory=list)

    def feed(self, text: str) -> list[Event]:
        self._pending += text
        events = []
        *lines, self._pending = self._pending.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            event = self._line(line)
            if event is not None:
                events.append(event)
        return events

    def _line(self, line: str) -> Event | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                self.comments += 1
            case "event":
                self._name = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self.last_id = value
            case "retry" if value.isdigit():
                self.retry = int(value)
        return None

    def _dispatch(self) -> Event | None:
        name, data = self._name or "message", self._data
        self._name, self._data = "", []
        return Event(name, "\n".join(data), self.last_id) if data else None


@dataclass
class EventClient:
    """One open stream. `status` and `headers` are read; the body is read as it is asked for."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    status: int
    headers: dict[str, str]
    parser: Parser = field(default_factory=Parser)
    events: list[Event] = field(default_factory=list)
    _ready: list[Event] = field(default_factory=list)
    ended: bool = False

    async def read(self, within_s: float = 3) -> Event:
        """The next event."""
        async with asyncio.timeout(within_s):
            while not self._ready:
                assert await self._chunk(), "the stream ended"
        event = self._ready.pop(0)
        self.events.append(event)
        return event

    async def read_until(self, name: str) -> list[Event]:
        """Events up to and with the first of this name."""
        found = [await self.read()]
        while found[-1].name != name:
            found.append(await self.read())
        return found

    async def comment(self, count: int, within_s: float = 3) -> None:
        """Wait for so many comments in all."""
        async with asyncio.timeout(within_s):
            while self.parser.comments < count:
                assert await self._chunk(), "the stream ended"

    async def end(self, within_s: float = 3) -> list[Event]:
        """What came up to the end of the stream."""
        async with asyncio.timeout(within_s):
            while await self._chunk():
                pass
        return self._ready

    async def _chunk(self) -> bool:
        """Read one chunk of the body; False at its end, by the last chunk or by the connection."""
        try:
            size = int((await self.reader.readline()).strip() or b"0", 16)
            data = await self.reader.readexactly(size + 2) if size else b""
        except (asyncio.IncompleteReadError, ConnectionError):
            size = 0
        if not size:
            self.ended = True
            return False
        self._ready += self.parser.feed(data[:-2].decode())
        return True

    async def body(self) -> bytes:
        """The whole of an answer that is no stream."""
        return await self.reader.readexactly(int(self.headers.get("content-length", "0")))

    def reset(self) -> None:
        """Break the connection off."""
        reset(self.writer)

    async def close(self) -> None:
        self.writer.close()


def reset(writer: asyncio.StreamWriter) -> None:
    """Break a connection off: the peer gets a RST."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def send_request(
    address: str, path: str, headers: dict[str, str] | None = None, *, method: str = "GET", limit: int = 1 << 20
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send the request and read nothing."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=limit)
    _OPENED.append(writer)
    lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: {address}\r\n{lines}\r\n".encode("latin-1"))
    return reader, writer


async def open_events(address: str, path: str, headers: dict[str, str] | None = None, **given: Any) -> EventClient:
    """An answer whose head is read."""
    reader, writer = await send_request(address, path, headers, **given)
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 3)).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    return EventClient(reader, writer, int(head[0].split()[1]), fields)


@asynccontextmanager
async def events_of(address: str, path: str, headers: dict[str, str] | None = None) -> AsyncIterator[EventClient]:
    """An open stream whose opening and snapshot are still to be read."""
    client = await open_events(address, path, headers)
    assert client.status == 200, client.status
    try:
        yield client
    finally:
        await client.close()
