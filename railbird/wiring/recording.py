"""Where the turns of agents that run in this process are recorded: the buffer, beside the turns. It holds no rule.

async with recorded(url, ttl_s=..., now_ms=...) as recorder:
    ...                      give the recorder to the host's observers
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from capture.buffer_client import BufferClient
from capture.buffer_writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher
from capture.recorder import Recorder
from capture.redaction import Redactor

_HASH_KEY_BYTES: Final = 32
"""Of redacted values; of each process its own, so equal values are known as equal within one."""


@asynccontextmanager
async def recorded(url: str | None, *, ttl_s: int, now_ms: Callable[[], int]) -> AsyncIterator[Recorder | None]:
    """A recorder into the buffer at `url`, which keeps a turn for `ttl_s`; None where there is no buffer. `now_ms`: Unix time.

    At the end what still waits is written, as long as the buffer takes it.
    """
    if url is None:
        yield None
        return
    client = BufferClient(url)
    try:
        writer = BufferWriter(client, BufferSettings(ttl_s=ttl_s), now_ms)
        maker = EntryMaker(Redactor(secrets.token_bytes(_HASH_KEY_BYTES)), EnvelopeHasher())
        async with Recorder(writer, maker, time.monotonic) as recorder:
            yield recorder
    finally:
        await client.close()
