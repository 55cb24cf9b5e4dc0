"""Finished messages that leave together, in the forms in which connections take them. Each form is made once, at first use."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cached_property


class Batch:
    """Messages in order, as UTF-8 JSON. A hundred connections get the same object."""

    def __init__(self, payloads: Sequence[bytes]) -> None:
        self.payloads = tuple(payloads)

    @cached_property
    def websocket_bytes(self) -> bytes:
        """All of them as ready WebSocket frames."""
        return b"".join(map(text_frame, self.payloads))

    @cached_property
    def size_bytes(self) -> int:
        return sum(map(len, self.payloads))


def text_frame(payload: bytes) -> bytes:
    """One whole unmasked, uncompressed text frame (RFC 6455, 5.2); `payload` is UTF-8."""
    size = len(payload)
    if size < 126:
        return struct.pack("!BB", 0x81, size) + payload
    if size < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, size) + payload
    return struct.pack("!BBQ", 0x81, 127, size) + payload
