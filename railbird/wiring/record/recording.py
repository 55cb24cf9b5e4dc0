"""Where the turns of agents that run in this process are recorded: the buffer, beside the turns. It holds no rule.

async with recorded(place, setup=..., now_ms=...) as recorder:
    ...                      give the recorder to the host's observers
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from capture.buffer.writer import BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.recorder import Recorder
from capture.redaction import DEFAULT_RULES, Redactor
from railbird.wiring.record.buffer_place import BufferPlace, RecordSetup

_HASH_KEY_BYTES: Final = 32
"""Of redacted values, where none is configured: of each process its own, so equal values are known as equal within one."""


@asynccontextmanager
async def recorded(
    place: BufferPlace | None, *, setup: RecordSetup, now_ms: Callable[[], int]
) -> AsyncIterator[Recorder | None]:
    """A recorder into the buffer, as it was set up; None where there is no buffer. `now_ms`: Unix time.

    At the end what still waits is written, as long as the buffer takes it.
    """
    if place is None:
        yield None
        return
    client = place.client()
    try:
        writer = BufferWriter(client, setup.buffer, now_ms)
        redactor = Redactor(setup.redact_key or secrets.token_bytes(_HASH_KEY_BYTES), (*DEFAULT_RULES, *setup.redact))
        async with Recorder(writer, EntryMaker(redactor, EnvelopeHasher()), time.monotonic) as recorder:
            yield recorder
    finally:
        await client.close()
