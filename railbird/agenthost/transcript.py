"""What left for the table in one turn, in the order in which it left, without credentials.

It begins when the agent is asked to act and is drained when the turn's record is written; what leaves outside of a turn is in none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from policy import redaction_policy

_CREDENTIALS: Final = (redaction_policy.Drop("agentToken"), redaction_policy.Drop("session"))
_NO_HASHES: Final = bytes(redaction_policy.LEAST_KEY_BYTES)
"""No rule hashes."""


class Transcript:
    """The buffer of one seat."""

    def __init__(self) -> None:
        self._kept: list[bytes] | None = None
        self._told: Callable[[bytes], None] = _nobody

    def begin(self, told: Callable[[bytes], None]) -> None:
        """A turn begins, and nothing of before is in it. `told` hears each message of it."""
        self._kept, self._told = [], told

    def drain(self) -> tuple[bytes, ...]:
        """The turn is over: what left in it. Afterwards nothing is kept until the next one begins."""
        kept, self._kept, self._told = self._kept or [], None, _nobody
        return tuple(kept)

    def sent(self, text: str) -> None:
        """A text left. The table got it as it is; what is kept has no credential in it (test_no_token_is_in_a_transcript)."""
        if self._kept is None:
            return
        message = _redacted(text)
        self._kept.append(message)
        self._told(message)


def _nobody(message: bytes) -> None:
    pass


def _redacted(text: str) -> bytes:
    # A quote inside of a JSON text has a backslash before it, so a field's name in quotes is a field's name.
    if '"agentToken"' not in text and '"session"' not in text:
        return text.encode()
    record = redaction_policy.redact_for_record(record=json.loads(text), rules=_CREDENTIALS, hash_key=_NO_HASHES)
    return json.dumps(record, separators=(",", ":")).encode()
