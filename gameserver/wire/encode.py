"""Messages to bytes, once for everybody who gets the same. It sends nothing and numbers nothing by itself.

What cannot be encoded is found here, by one message alone, before it reaches anybody: a lone surrogate, a sealed card, a
value of a foreign type (test_what_cannot_be_encoded_reaches_nobody). No message has a fraction, so no frame holds a NaN
(test_no_message_of_the_server_has_a_fraction).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from gameserver.errors import Bug
from gameserver.wire.messages import NumberedFrame, ServerMessage

_ENCODER: Final = msgspec.json.Encoder()


class Unencodable(Bug):
    """A message of ours that no wire can carry. It names the type and nothing that the message holds."""

    def __init__(self, message: object) -> None:
        super().__init__(f"{type(message).__name__} cannot be encoded")


@dataclass(frozen=True, slots=True)
class Unnumbered:
    """A frame's bytes with the place of its number left open, for a frame that goes into several streams."""

    head: bytes
    tail: bytes

    def numbered(self, seq: int) -> bytes:
        """The whole frame as that stream's frame number `seq`."""
        return b"%b%d%b" % (self.head, seq, self.tail)


def encode(message: ServerMessage) -> bytes:
    """One message as UTF-8 JSON. Raises `Unencodable`."""
    try:
        return _ENCODER.encode(message)
    except (ValueError, TypeError):
        raise Unencodable(message) from None


def encode_numbered(frame: NumberedFrame, seq: int) -> bytes:
    """One frame of a stream under its number there; the number that the frame was built with does not matter.

    Building it anew costs less than cutting the number into encoded bytes (docs/decisions/0007-strict-wire.md).
    """
    return encode(msgspec.structs.replace(frame, seq=seq))


def encode_unnumbered(frame: NumberedFrame) -> Unnumbered:
    """One frame encoded once, to be numbered by each stream that it goes into."""
    whole = encode(frame if frame.seq == 0 else msgspec.structs.replace(frame, seq=0))
    head = _HEADS[type(frame)]
    return Unnumbered(head, whole[len(head) + 1 :])


def _head(frame_type: type[NumberedFrame]) -> bytes:
    return f'{{"type":"{frame_type.__struct_config__.tag}","seq":'.encode()


_HEADS: Final = {frame_type: _head(frame_type) for frame_type in NumberedFrame.__args__}
