"""What can go wrong in the record, in two families.

    CaptureError
    ├── CaptureRefusal      somebody asked for what they may not have, or what makes no sense: it has a code
    └── CaptureFault        ours, or a store's
        ├── BufferUnavailable   the buffer does not answer: what it holds is not known, which is not the same as empty
        └── UnreadableRecord    bytes of a store that are no record

Nothing of these repeats what a record holds.
"""

from __future__ import annotations


class CaptureError(Exception):
    """The root of everything that this package raises by itself."""


class CaptureRefusal(CaptureError):
    """Somebody is refused; nothing has changed. `code`: a word of the wire's closed list."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code
        self.why = why


class CaptureFault(CaptureError):
    """Not the asker's fault."""


class BufferUnavailable(CaptureFault):
    """The buffer is away, slow, full or out of connections."""


class UnreadableRecord(CaptureFault):
    """Stored bytes are not what was written."""
