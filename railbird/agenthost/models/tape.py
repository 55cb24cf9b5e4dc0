"""What really went over the wire: a transport that keeps the bytes of each call, and lets through only what a call needs.

The SDKs stand above it and hold no key: it is put into the one header here (test_a_key_is_in_no_record_log_or_repr). Their own headers (of the machine, of the
environment) stay behind. Answers are kept, and handed on, without the transfer's compression, and up to a limit.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, Protocol

import httpx2
import zstandard

from railbird.agenthost.models.endpoint import ApiKey, Dialect, Endpoint

MOST_RESPONSE_BYTES: Final = 1_048_576
"""An answer to a poker hand is some hundred bytes; with reasoning and one event a token, some hundred thousand."""
_SENT: Final = ("accept", "anthropic-version", "content-type", "content-length", "host")
_OF_THE_TRANSFER: Final = ("content-encoding", "content-length")
_PIECE_BYTES: Final = 8_192
_PACKED_PIECE_BYTES: Final = 512


class Unreadable(Exception):
    """An answer grew past the limit, or it is compressed in a way that was not asked for and cannot be undone here."""


@dataclass(slots=True)
class Tape:
    """One call's bytes. `status`: `None` until a status line came. `broken`: the connection ended before the answer's framing did.

    `hung_up`: it ended where the answer should have begun, as when the other side closes a connection that waited for more.
    """

    request_body: bytes = b""
    response_body: bytearray = field(default_factory=bytearray)
    status: int | None = None
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)
    broken: bool = False
    hung_up: bool = False


_RUNNING: ContextVar[Tape] = ContextVar("railbird_model_tape")


def record_on(tape: Tape) -> None:
    """Keep the bytes of the calls of the running task on this tape."""
    _RUNNING.set(tape)


class TapingTransport(httpx2.AsyncBaseTransport):
    """Sends for one endpoint, over connections that all endpoints share."""

    def __init__(
        self, endpoint: Endpoint, below: httpx2.AsyncBaseTransport, most_bytes: int = MOST_RESPONSE_BYTES
    ) -> None:
        self._below = below
        self._most_bytes = most_bytes
        self._credential = _credential(endpoint.dialect, endpoint.key)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        tape = _RUNNING.get()
        tape.request_body = await request.aread()
        try:
            response = await self._below.handle_async_request(self._clean(request, tape.request_body))
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            tape.hung_up = True
            raise
        tape.status, tape.headers = response.status_code, response.headers
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_TRANSFER]
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=_Taped(response, tape, self._most_bytes),
            extensions=response.extensions,
        )

    def _clean(self, request: httpx2.Request, body: bytes) -> httpx2.Request:
        sent = [(name, value) for name, value in request.headers.multi_items() if name in _SENT]
        ours = [("accept-encoding", "identity"), ("user-agent", "railbird"), *self._credential]
        return httpx2.Request(
            request.method, request.url, headers=[*sent, *ours], content=body, extensions=request.extensions
        )


def _credential(dialect: Dialect, key: ApiKey | None) -> list[tuple[str, str]]:
    if key is None:
        return []
    return (
        [("x-api-key", key.reveal())] if dialect is Dialect.ANTHROPIC else [("authorization", f"Bearer {key.reveal()}")]
    )


class _Taped(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response, tape: Tape, most_bytes: int) -> None:
        self._below = response.stream
        self._encoding = response.headers.get("content-encoding", "")
        self._streams = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        self._tape = tape
        self._most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._below, httpx2.AsyncByteStream)
        unpack = _unpacker(self._encoding)
        try:
            async for packed in self._below:
                for data in _unpacked(packed, unpack):
                    yield self._keep(data)
                    await asyncio.sleep(0)  # one provider's flood is no other agent's delay
            if self._streams:
                yield b"\n\n"  # the SDKs drop a last event that nothing ends; this is not on the tape
        except httpx2.TransportError:
            self._tape.broken = True
            raise

    def _keep(self, data: bytes) -> bytes:
        left = self._most_bytes - len(self._tape.response_body)
        self._tape.response_body += data[:left]
        if len(data) > left:
            raise Unreadable("the answer is longer than any that is wanted")
        return data

    async def aclose(self) -> None:
        assert isinstance(self._below, httpx2.AsyncByteStream)
        await self._below.aclose()


class _Unpack(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


def _unpacker(encoding: str) -> _Unpack | None:
    """Compression was not asked for; an endpoint that uses it all the same is understood where that costs little."""
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return zlib.decompressobj(zlib.MAX_WBITS | 32)
        case "zstd":
            return zstandard.ZstdDecompressor().decompressobj()
        case _:
            raise Unreadable("the answer is compressed in a way that was not asked for")


def _unpacked(packed: bytes, unpack: _Unpack | None) -> Iterator[bytes]:
    """In small pieces, so that what swells is noticed before it is there, and that a flood is read in many steps."""
    size = _PIECE_BYTES if unpack is None else _PACKED_PIECE_BYTES
    try:
        for start in range(0, len(packed), size):
            piece = packed[start : start + size]
            yield piece if unpack is None else unpack.decompress(piece)
    except (zlib.error, zstandard.ZstdError):
        raise Unreadable("the answer's compression is broken") from None
