"""What can go wrong in the record, by its own fault or a store's. Who is refused is refused by a gate: `policy.errors.PolicyRefusal`.

    CaptureFault
    ├── BufferUnavailable   the buffer does not answer: what it holds is not known, which is not the same as empty
    └── UnreadableRecord    bytes of a store that are no record

Nothing of these repeats what a record holds.
"""

from __future__ import annotations


class CaptureFault(Exception):
    """The root of everything that this package raises by itself: not the asker's fault."""


class BufferUnavailable(CaptureFault):
    """The buffer is away, slow, full or out of connections."""


class UnreadableRecord(CaptureFault):
    """Stored bytes are not what was written."""
