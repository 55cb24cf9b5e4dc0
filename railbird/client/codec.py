"""Text of the wire to messages and back, on the client's side.

More forgiving than the server: a frame of a type that this client does not know yet is told as `UnknownFrame`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from gameserver.wire.messages import ClientMessage, Numbered, Outbound
from railbird.client.errors import NotUnderstood

Received: TypeAlias = "Outbound | UnknownFrame"


class _Typed(msgspec.Struct, frozen=True):
    type: str


class UnknownFrame(msgspec.Struct, frozen=True):
    """A frame from a newer server. `seq` is set where it is one of the stream."""

    type: str
    seq: int | None = None


_DECODER: Final = msgspec.json.Decoder(Outbound)
_LOOSE: Final = msgspec.json.Decoder(UnknownFrame)
_ENCODER: Final = msgspec.json.Encoder()
_KNOWN_TYPES: Final = frozenset(kind.__struct_config__.tag for kind in Outbound.__args__)


def decode(text: bytes | str) -> Received:
    """One frame. Raises `NotUnderstood`, which does not repeat the frame."""
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _decode_unknown(text)


def _decode_unknown(text: bytes | str) -> UnknownFrame:
    try:
        kind = msgspec.json.decode(text, type=_Typed).type
        if kind not in _KNOWN_TYPES:
            return _LOOSE.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotUnderstood("the server sent something that is no message") from None
    raise NotUnderstood(f"the server sent a {kind} frame that is not as this client knows it")


def encode(message: ClientMessage) -> str:
    """One message, as a text frame."""
    return _ENCODER.encode(message).decode()


def seq_of(message: Received) -> int | None:
    """The number in the stream; `None` for what has none."""
    return message.seq if isinstance(message, Numbered | UnknownFrame) else None
