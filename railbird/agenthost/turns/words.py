"""What an agent says about a turn, cut to what the wire takes. The record keeps the whole: it has the model's reply."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_THOUGHT_BYTES, MAX_THOUGHT_CHARACTERS
from gameserver.wire.text import encodable, nfc_length

_ROOM_FOR_THE_REST_BYTES: Final = 1_024
"""Of a message: its fields but for the text."""
_UNSENDABLE: Final = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


def sendable(text: str) -> str:
    """The text as it can be sent: without NUL and lone surrogates, and cut with a mark where it is too long."""
    if not encodable(text):
        text = text.translate(_UNSENDABLE)
    if _fits(text):
        return text
    mark = f" (cut: {len(text)} characters in all)"
    kept = _longest_that_fits(text[:MAX_THOUGHT_CHARACTERS], mark)
    return text[:kept] + mark


def _longest_that_fits(text: str, mark: str) -> int:
    """By halves: what a character costs is not the same for all."""
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        if _fits(text[:middle] + mark):
            least = middle
        else:
            most = middle - 1
    return least


def _fits(text: str) -> bool:
    """Characters after NFC, bytes, and bytes as JSON, in which some characters take six."""
    if len(text) <= MAX_THOUGHT_BYTES // 6 and text.isascii():
        return True
    return (
        len(text) <= 2 * MAX_THOUGHT_CHARACTERS
        and len(text.encode()) <= MAX_THOUGHT_BYTES
        and nfc_length(text) <= MAX_THOUGHT_CHARACTERS
        and len(msgspec.json.encode(text)) <= MAX_INBOUND_BYTES - _ROOM_FOR_THE_REST_BYTES
    )
