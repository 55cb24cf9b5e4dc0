"""A WebSocket client without manners: it sends any bytes, whole or broken, and keeps whatever comes back."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

OPCODES: Final[Mapping[str, int]] = {"continuation": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10}
MASK: Final = b"\x17\x2a\x39\x44"
SOON_S: Final = 30.0

Message = dict[str, Any]


def frame(
    opcode: str | int, payload: bytes = b"", *, fin: bool = True, masked: bool = True, rsv: int = 0, mask: bytes = MASK
) -> bytes:
    """One frame as it travels. `rsv`: its three bits as a number, 4 = RSV1."""
    number = OPCODES[opcode] if isinstance(opcode, str) else opcode
    head = bytes([fin << 7 | rsv << 4 | number])
    bit = masked << 7
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    elif len(payload) < 65_536:
        head += struct.pack("!BH", bit | 126, len(payload))
    else:
        head += struct.pack("!BQ", bit | 127, len(payload))
    return head + (mask + xored(payload, mask) if masked else payload)


def xored(payload: bytes, mask: bytes) -> bytes:
    """The payload under its mask."""
    length = len(payload)
    key = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")


def text_frame(text: str) -> bytes:
    return frame("text", text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. `headers`: names in lower case, in order."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header that comes once at the most."""
        found = [value for key, value in self.headers if key == name]
        assert len(found) <= 1, (name, found)
        return found[0] if found else None

    @property
    def same_for_all(self) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
        """What two refusals must have in common: all but the time of day."""
        return self.status, tuple(pair for pair in self.headers if pair[0] != "date"), self.body


class HandshakeRefused(Exception):
    """The server did not switch protocols."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.answer = answer


class NoFrame(AssertionError):
    """What was waited for did not come."""


@dataclass(eq=False)
class Peer:
    """One open WebSocket. It reads all the time, answers pings and close frames as it is told, and keeps every message."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    handshake: Answer
    answers: bool = True
    messages: list[Message] = field(default_factory=list)
    raw_texts: list[bytes] = field(default_factory=list)
    pongs: int = 0
    close_code: int | None = None
    close_reason: bytes = b""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._requests = map("r{}".format, itertools.count(1))
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    # --- what comes -----------------------------------------------------------------------------------------------------

    def read_from_now(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await self._one()
                    async with self._news:
                        self._news.notify_all()
        finally:
            self.over.set()
            async with self._news:
                self._news.notify_all()

    async def _one(self) -> None:
        first, second = await self.reader.readexactly(2)
        assert not second & 0x80, "a server masks nothing"
        assert not first & 0x70, "no extension was agreed on"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", await self.reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
        payload = await self.reader.readexactly(length)
        assert first & 0x80, "the server's messages are one frame each"
        await self._got(first & 0x0F, payload)

    async def _got(self, opcode: int, payload: bytes) -> None:
        if opcode == OPCODES["text"]:
            self.raw_texts.append(payload)
            self.messages.append(strict(payload))
        elif opcode == OPCODES["ping"] and self.answers:
            self.send(frame("pong", payload))
        elif opcode == OPCODES["pong"]:
            self.pongs += 1
        elif opcode == OPCODES["close"]:
            self.close_code = int.from_bytes(payload[:2], "big") if payload else 1005
            self.close_reason = payload[2:]
            if self.answers:
                self.send(frame("close", payload[:2]))

    async def sees(self, wanted: Callable[[Message], bool], *, since: int = 0, within_s: float = SOON_S) -> Message:
        """The first such message from the one numbered `since` on. Raises `NoFrame`."""
        found = await self._wait(lambda: next(filter(wanted, self.messages[since:]), None), within_s)
        if found is None:
            raise NoFrame(
                f"closed with {self.close_code}; got {[message['type'] for message in self.messages[since:]]}"
            )
        return found

    async def _wait(self, look: Callable[[], Message | None], within_s: float) -> Message | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._news:
                while look() is None and not self.over.is_set():
                    await self._news.wait()
        return look()

    async def is_closed(self, within_s: float = SOON_S) -> int | None:
        """The code of the server's close frame, once the connection is over; None where it ended without one."""
        await asyncio.wait_for(self.over.wait(), within_s)
        return self.close_code

    @property
    def is_open(self) -> bool:
        return not self.over.is_set() and self.close_code is None

    def kinds(self, since: int = 0) -> list[str]:
        return [message["type"] for message in self.messages[since:]]

    # --- what goes ------------------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """These bytes, as they are."""
        if not self.writer.is_closing():
            self.writer.write(data)

    def say(self, kind: str, **fields: object) -> str:
        """A sound message. Returns its `requestId`."""
        request_id = next(self._requests)
        self.send(text_frame(json.dumps({"type": kind, "requestId": request_id, **fields})))
        return request_id

    async def ask(self, kind: str, **fields: object) -> Message:
        """A sound message, and its answer."""
        since = len(self.messages)
        return await self.answer(self.say(kind, **fields), since=since)

    async def answer(self, request_id: str, *, since: int = 0) -> Message:
        """The answer to a request."""
        return await self.sees(lambda m: m.get("requestId") == request_id, since=since)

    async def works(self) -> bool:
        """Whether an ordinary message is answered."""
        return bool((await self.ask("ping"))["type"] == "pong")

    def reset(self) -> None:
        """Gone without a word: RST."""
        self.writer.transport.abort()

    async def leave(self) -> None:
        """Gone with a word."""
        if self.is_open:
            self.send(frame("close", struct.pack("!H", 1000)))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.over.wait(), SOON_S)
        await self.end()

    async def end(self) -> None:
        """Nothing of it is left in this process. Twice does no harm."""
        self.writer.transport.abort()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])


def strict(payload: bytes) -> Message:
    """One JSON object without NaN and Infinity, as a careful client reads it."""

    def refuse(word: str) -> None:
        raise AssertionError(f"the server sent {word}")

    message = json.loads(payload.decode("utf-8"), parse_constant=refuse)
    assert isinstance(message, dict)
    return message


async def connect(
    host: str, port: int, path: str | bytes, headers: Sequence[tuple[str, str]] = (), *, reads: bool = True
) -> Peer:
    """A handshake by hand. `reads=False`: nothing is read after it. Raises `HandshakeRefused`."""
    reader, writer = await asyncio.open_connection(host, port, limit=2**22)
    try:
        writer.write(handshake(path, headers))
        answer = await asyncio.wait_for(read_answer(reader, body=False), SOON_S)
        if answer.status != 101:
            rest = await asyncio.wait_for(reader.read(65_536), SOON_S)
            raise HandshakeRefused(Answer(answer.status, answer.headers, rest))
    except BaseException:
        writer.transport.abort()
        raise
    peer = Peer(reader, writer, answer)
    if reads:
        peer.read_from_now()
    return peer


def handshake(path: str | bytes, headers: Sequence[tuple[str, str]] = ()) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    ours = [
        ("Host", "table.test"),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
    ]
    return head("GET", path, [*ours, ("Sec-WebSocket-Key", key), *headers])


def head(method: str, path: str | bytes, headers: Sequence[tuple[str, str]]) -> bytes:
    """The head of a request. `path`: as it travels, checked by nobody."""
    target = path if isinstance(path, bytes) else path.encode("latin-1")
    lines = [f"{name}: {value}".encode("latin-1") for name, value in headers]
    return b"\r\n".join([method.encode() + b" " + target + b" HTTP/1.1", *lines, b"", b""])


async def read_answer(reader: asyncio.StreamReader, *, body: bool = True) -> Answer:
    """An answer's head; its body too, where it says how long that is, or to the end of the connection."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(lines[0].split(" ")[1])
    pairs = [line.partition(":") for line in lines[1:] if line]
    headers = [(name.lower(), value.strip()) for name, _, value in pairs]
    length = dict(headers).get("content-length")
    if not body or status in (101, 204, 304):
        return Answer(status, headers)
    data = await (reader.read() if length is None else reader.readexactly(int(length)))
    return Answer(status, headers, data)


async def request(
    host: str,
    port: int,
    method: str,
    path: str | bytes,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
    *,
    within_s: float = SOON_S,
) -> Answer:
    """One HTTP request on a connection of its own."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        length = [("Content-Length", str(len(body)))] if body or method in ("POST", "PUT", "PATCH") else []
        writer.write(head(method, path, [("Host", "table.test"), ("Connection", "close"), *length, *headers]) + body)
        return await asyncio.wait_for(read_answer(reader), within_s)
    finally:
        writer.transport.abort()
