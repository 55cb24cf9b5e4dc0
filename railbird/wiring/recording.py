"""Where the turns of agents that run in this process are recorded: the buffer, beside the turns. It holds no rule.

async with recorded(place, buffer=..., now_ms=...) as recorder:
    ...                      give the recorder to the host's observers
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from capture.buffer_writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.recorder import Recorder
from capture.redaction import Redactor
from railbird.wiring.buffer_place import BufferPlace

_HASH_KEY_BYTES: Final = 32
"""Of redacted values; of each process its own, so equal values are known as equal within one."""


@asynccontextmanager
async def recorded(
    place: BufferPlace | None, *, buffer: BufferSettings, now_ms: Callable[[], int]
) -> AsyncIterator[Recorder | None]:
    """A recorder into the buffer, within its bounds; None where there is no buffer. `now_ms`: Unix time.

    At the end what still waits is written, as long as the buffer takes it.
    """
    if place is None:
        yield None
        return
    client = place.client()
    try:
        writer = BufferWriter(client, buffer, now_ms)
        maker = EntryMaker(Redactor(secrets.token_bytes(_HASH_KEY_BYTES)), EnvelopeHasher())
        async with Recorder(writer, maker, time.monotonic) as recorder:
            yield recorder
    finally:
        await client.close()
