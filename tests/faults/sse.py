"""A strict reader of server-sent events, byte by byte as the HTML standard has them, over a connection of its own."""

from __future__ import annotations

import asyncio
import codecs
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tests.faults.wire import SOON_S, Answer, Message, NoFrame, head, read_answer, strict

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


class StreamRefused(Exception):
    """It is no event stream."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Event:
    """One dispatched event. `event_id`: the last event id when it came. `at_s`: monotonic time."""

    name: str
    event_id: str
    data: str
    at_s: float

    @property
    def message(self) -> Message:
        return strict(self.data.encode())


@dataclass(eq=False)
class Events:
    """One open stream, read all the time."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    answer: Answer
    events: list[Event] = field(default_factory=list)
    comments: list[float] = field(default_factory=list)
    retry_ms: int | None = None
    unknown_lines: list[str] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    ended_cleanly: bool = False

    def __post_init__(self) -> None:
        self._news = asyncio.Condition()
        self._fields: dict[str, str] = {}
        self._data: list[str] = []
        self._last_id = ""
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                rest, utf8 = "", codecs.getincrementaldecoder("utf-8")()
                while chunk := await self._chunk():
                    rest = self._lines(rest + utf8.decode(chunk))
                    async with self._news:
                        self._news.notify_all()
                self.ended_cleanly = True
        finally:
            self.ended.set()
            async with self._news:
                self._news.notify_all()

    async def _chunk(self) -> bytes:
        size = int(await self.reader.readuntil(b"\r\n"), 16)
        data = await self.reader.readexactly(size + 2)
        assert data.endswith(b"\r\n")
        return data[:-2]

    def _lines(self, text: str) -> str:
        """Take whole lines, which end with CR, LF or both; no other character ends one. Returns what is left."""
        held = text[-1:] if text.endswith("\r") else ""  # a line feed may follow it
        *lines, rest = _LINE_END.split(text.removesuffix("\r"))
        for line in lines:
            self._line(line)
        return rest + held

    def _line(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "" if not line:
                self._dispatch()
            case "":
                self.comments.append(time.monotonic())
            case "data":
                self._data.append(value)
            case "event":
                self._fields["event"] = value
            case "id":
                if "\0" not in value:
                    self._last_id = value
            case "retry":
                self.retry_ms = int(value)
            case _:
                self.unknown_lines.append(line)

    def _dispatch(self) -> None:
        if self._data:
            name = self._fields.get("event", "message")
            self.events.append(Event(name, self._last_id, "\n".join(self._data), time.monotonic()))
        self._fields, self._data = {}, []

    async def sees(self, wanted: Callable[[Event], bool], *, since: int = 0, within_s: float = SOON_S) -> Event:
        """The first such event from the one numbered `since` on. Raises `NoFrame`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._news:
                while not any(map(wanted, self.events[since:])) and not self.ended.is_set():
                    await self._news.wait()
        found = next(filter(wanted, self.events[since:]), None)
        if found is None:
            raise NoFrame(f"got {[event.name for event in self.events[since:]]}, ended: {self.ended.is_set()}")
        return found

    async def snapshot(self) -> Event:
        """The state with which a stream begins."""
        return await self.sees(lambda event: event.name == "snapshot")

    async def end(self) -> None:
        """Gone, and nothing of it is left in this process. Twice does no harm."""
        self.writer.transport.abort()
        self._reading.cancel()
        await asyncio.wait([self._reading])


async def open_events(host: str, port: int, path: str, headers: Sequence[tuple[str, str]] = ()) -> Events:
    """Open a stream and begin to read. Raises `StreamRefused`."""
    reader, writer = await asyncio.open_connection(host, port, limit=2**22)
    try:
        writer.write(head("GET", path, [("Host", "table.test"), *headers]))
        answer = await asyncio.wait_for(read_answer(reader, body=False), SOON_S)
        if answer.status != 200:
            length = int(dict(answer.headers).get("content-length", "0"))
            raise StreamRefused(Answer(answer.status, answer.headers, await reader.readexactly(length)))
    except BaseException:
        writer.transport.abort()
        raise
    return Events(reader, writer, answer)
