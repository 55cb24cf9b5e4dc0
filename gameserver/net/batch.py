"""Finished messages that leave together, in the forms in which connections take them. Each form is made once, at first use."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

EventIds: TypeAlias = Callable[[int], bytes]
"""The id of the batch's message at an index, as an event of a stream; empty for a message without a number."""

_TYPE_FROM: Final = len(b'{"type":"')


def no_event_ids(index: int) -> bytes:
    """For messages that are no part of a stream."""
    return b""


class Batch:
    """Messages in order, as UTF-8 JSON of one line. A hundred connections get the same object."""

    def __init__(self, payloads: Sequence[bytes], event_ids: EventIds = no_event_ids) -> None:
        self.payloads = tuple(payloads)
        self._event_ids = event_ids

    @cached_property
    def websocket_bytes(self) -> bytes:
        """All of them as ready WebSocket frames."""
        return b"".join(map(text_frame, self.payloads))

    @cached_property
    def event_bytes(self) -> bytes:
        """All of them as server-sent events."""
        return b"".join(event(payload, self._event_ids(index)) for index, payload in enumerate(self.payloads))

    @cached_property
    def event_chunk(self) -> bytes:
        """The same as one ready chunk of an HTTP/1.1 body."""
        return b"%x\r\n%b\r\n" % (len(self.event_bytes), self.event_bytes)

    @cached_property
    def size_bytes(self) -> int:
        return sum(map(len, self.payloads))


class Comment(Batch):
    """A line of an event stream that is no event: nothing for a socket."""

    def __init__(self, line: bytes) -> None:
        super().__init__(())
        self._line = line

    @cached_property
    def event_bytes(self) -> bytes:
        return self._line


def event(payload: bytes, event_id: bytes) -> bytes:
    """One message as one event, named by its type.

    JSON has no raw line break, and an event ends at nothing else (test_f09_text_cannot_forge_an_event).
    """
    name = payload[_TYPE_FROM : payload.index(b'"', _TYPE_FROM)]
    id_line = b"id: %b\n" % event_id if event_id else b""
    return b"event: %b\n%bdata: %b\n\n" % (name, id_line, payload)


def text_frame(payload: bytes) -> bytes:
    """One whole unmasked, uncompressed text frame (RFC 6455, 5.2); `payload` is UTF-8."""
    size = len(payload)
    if size < 126:
        return struct.pack("!BB", 0x81, size) + payload
    if size < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, size) + payload
    return struct.pack("!BBQ", 0x81, 127, size) + payload
