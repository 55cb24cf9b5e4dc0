"""The two parts of a prompt, and what proves that they are the whole: the envelope repeats from turn to turn, the remainder does not.

An envelope is known by the SHA-256 of its bytes and kept once. It says nothing by itself: who has no turn that names it
does not get it. Which part of a prompt is which is the prompt builder's choice.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, NewType

from capture.record import Prompt

EnvelopeHash = NewType("EnvelopeHash", bytes)
"""The 32 bytes of an envelope's SHA-256."""

_MOST_KNOWN: Final = 512


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the joined prompt must be. `sha256`: its 32 bytes."""

    sha256: bytes
    length_bytes: int


def join(envelope: bytes, remainder: bytes) -> bytes:
    """The prompt as the model gets it: a line feed between the parts, and none where there is no remainder."""
    return envelope + b"\n" + remainder if remainder else envelope


def hash_of(envelope: bytes) -> EnvelopeHash:
    """What an envelope is known by."""
    return EnvelopeHash(hashlib.sha256(envelope).digest())


def fingerprint_of(whole: bytes) -> Fingerprint:
    """Of a joined prompt."""
    return Fingerprint(hashlib.sha256(whole).digest(), len(whole))


class EnvelopeHasher:
    """Hashes prompts of few envelopes and many remainders: an envelope that it met lately is not hashed again."""

    def __init__(self, most_known: int = _MOST_KNOWN) -> None:
        self._most_known = most_known
        self._known: OrderedDict[bytes, hashlib._Hash] = OrderedDict()

    def hash(self, prompt: Prompt) -> tuple[EnvelopeHash, Fingerprint]:
        """The envelope's hash, and the whole prompt's fingerprint."""
        state = self._state(prompt.envelope)
        envelope_hash = EnvelopeHash(state.digest())
        if not prompt.remainder:
            return envelope_hash, Fingerprint(envelope_hash, len(prompt.envelope))
        whole = state.copy()
        whole.update(b"\n")
        whole.update(prompt.remainder)
        return envelope_hash, Fingerprint(whole.digest(), len(prompt.envelope) + 1 + len(prompt.remainder))

    def _state(self, envelope: bytes) -> hashlib._Hash:
        if (known := self._known.get(envelope)) is not None:
            self._known.move_to_end(envelope)
            return known
        self._known[envelope] = state = hashlib.sha256(envelope)
        if len(self._known) > self._most_known:
            self._known.popitem(last=False)
        return state
