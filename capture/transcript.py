"""A turn as bytes, and back: what the buffer and durable rows keep.

A record is a version byte and a Zstandard frame of MessagePack. It names envelopes by hash and does not hold them; the form
that stands by itself (`encode_whole`) has them beside it. Everything comes back as it was: bytes as bytes; texts with NUL and
lone surrogates; a request body that repeats the prompt is kept as what stands around it.

It reads no store, and decides nothing about who may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec
import zstandard

from capture import stored
from capture.captured import CapturedPrompt, CapturedTurn
from capture.envelope import EnvelopeHash, hash_of
from capture.errors import UnreadableRecord
from capture.stored import EnvelopeOf, StoredTurn

MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a record, decompressed; what says that it is more is not read."""

_RECORD: Final = b"\x01"
_WHOLE: Final = b"\x02"
_LEVEL: Final = 1
"""Measured on turns of 7 KB: 13 us; level 3 saves another 2 %, zlib's least level costs 19 us and 6 % more bytes."""

_T = TypeVar("_T")


class _Whole(msgspec.Struct, array_like=True):
    record: bytes
    envelopes: list[bytes]


_TURNS: Final = msgspec.msgpack.Decoder(StoredTurn)
_WHOLES: Final = msgspec.msgpack.Decoder(_Whole)
_ENCODER: Final = msgspec.msgpack.Encoder()
_COMPRESSOR: Final = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
_DECOMPRESSOR: Final = zstandard.ZstdDecompressor()


def encode(turn: CapturedTurn) -> bytes:
    """The record, without the envelopes that it names: `envelopes_of` has those."""
    return _RECORD + _COMPRESSOR.compress(_ENCODER.encode(stored.lay_out(turn)))


def encode_whole(turn: CapturedTurn) -> bytes:
    """The record with its envelopes."""
    held = _ENCODER.encode((encode(turn), list(envelopes_of(turn).values())))
    return _WHOLE + _COMPRESSOR.compress(held)


def envelopes_of(turn: CapturedTurn) -> Mapping[EnvelopeHash, bytes]:
    """The envelopes that a turn's record names and that are there."""
    prompts = [call.prompt for call in turn.calls if isinstance(call.prompt, CapturedPrompt)]
    return {prompt.envelope_hash: prompt.envelope for prompt in prompts}


def hashes_in(record: bytes) -> frozenset[EnvelopeHash]:
    """The hashes of the envelopes that a record names. Raises UnreadableRecord."""
    prompts = [call.prompt for call in _unpacked(record, _RECORD, _TURNS).calls]
    return frozenset(EnvelopeHash(prompt.envelope_hash) for prompt in prompts if prompt is not None)


def decode(record: bytes, envelope_of: EnvelopeOf) -> CapturedTurn:
    """The turn. A prompt whose envelope is gone is `expired`, and the rest is there. Raises UnreadableRecord."""
    turn = _unpacked(record, _RECORD, _TURNS)
    try:
        return stored.read(turn, envelope_of)
    except (ValueError, ArithmeticError, IndexError):
        raise UnreadableRecord("a record holds what no turn holds") from None


def decode_whole(whole: bytes) -> CapturedTurn:
    """The turn with its envelopes. Raises UnreadableRecord."""
    held = _unpacked(whole, _WHOLE, _WHOLES)
    envelopes = {hash_of(envelope): envelope for envelope in held.envelopes}
    return decode(held.record, envelopes.get)


def _unpacked(framed: bytes, version: bytes, decoder: msgspec.msgpack.Decoder[_T]) -> _T:
    if framed[:1] != version:
        raise UnreadableRecord("a record of another version, or none")
    try:
        if not 0 <= zstandard.frame_content_size(framed[1:]) <= MOST_BYTES:
            raise UnreadableRecord("a record does not say how long it is, or is too long")
        return decoder.decode(_DECOMPRESSOR.decompress(framed[1:]))
    except (zstandard.ZstdError, msgspec.MsgspecError):
        raise UnreadableRecord("a record is damaged") from None
