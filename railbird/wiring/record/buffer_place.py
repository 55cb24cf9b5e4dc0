"""Where the buffer of captured turns is: at a configured address, or in a folder, whose embedded server several commands share.

An embedded server ends with the command that started it. Who had joined it takes over: finds the next one, or starts it on the
same data (test_who_joined_a_buffer_takes_over).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from capture.buffer.client import BufferClient, Order
from capture.buffer.keys import Keys
from capture.buffer.writer import BufferSettings
from capture.errors import BufferUnavailable
from policy.redaction_policy import Rule
from railbird.embedded import valkey

_log: Final = logging.getLogger(__name__)
_LOOKS_AGAIN_AFTER_S: Final = 1.0
_FOUND_WITHIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class RecordSetup:
    """`redis_url`: the buffer's; None: an embedded Valkey in `folder`; where that is None too, there is no buffer.

    `buffer`: its bounds. `redact`: rules beside the default ones. `redact_key`: of hashes; None: each process has its own.
    `pinned_days`: an operator's limit on kept turns; None: there is none.
    """

    redis_url: str | None = field(default=None, repr=False)
    folder: Path | None = None
    buffer: BufferSettings = field(default_factory=BufferSettings)
    redact: tuple[Rule, ...] = ()
    redact_key: bytes | None = field(default=None, repr=False)
    pinned_days: int | None = None


class BufferPlace:
    """`url`: where it is now. `folder`: of an embedded one."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self.url, self._folder = url, folder
        self._running, self._owned = ExitStack(), False
        self._looking = threading.Lock()
        self._looked_at_s = -_LOOKS_AGAIN_AFTER_S

    def client(self) -> BufferClient:
        """A client of it, wherever it goes."""
        return BufferClient(self.url) if self._folder is None else _FollowingClient(self)

    def run(self, folder: Path, within_s: float = 30.0) -> None:
        """Join the embedded server of the folder, or start it. Raises ValkeyError."""
        with ExitStack() as running:
            server = running.enter_context(valkey.running(folder, timeout_s=within_s))
            self.url, self._owned = server.url, server.owned
            self._running.close()
            self._running = running.pop_all()

    def look_again(self) -> None:
        """Where another command's server does not answer any more: find the next one. Blocks for two seconds at most."""
        with self._looking:
            now_s = time.monotonic()
            if self._folder is None or self._owned or now_s < self._looked_at_s + _LOOKS_AGAIN_AFTER_S:
                return
            self._looked_at_s = now_s
            try:
                self.run(self._folder, _FOUND_WITHIN_S)
            except valkey.ValkeyError as missing:
                _log.warning("captured turns have no buffer for now: %s", missing)

    def leave(self) -> None:
        """Its server ends where it was started here; the data stays."""
        self._running.close()


class _FollowingClient(BufferClient):
    """Asks once more where the server has gone elsewhere meanwhile."""

    def __init__(self, place: BufferPlace) -> None:
        super().__init__(place.url)
        self._place = place

    async def keys(self) -> Keys:
        try:
            return await super().keys()
        except BufferUnavailable:
            if not await self._followed():
                raise
            return await super().keys()

    async def steps(self, *steps: Sequence[Order]) -> list[list[Any]]:
        try:
            return await super().steps(*steps)
        except BufferUnavailable:
            if not await self._followed():
                raise
            return await super().steps(*steps)

    async def scan(self, pattern: str) -> list[bytes]:
        try:
            return await super().scan(pattern)
        except BufferUnavailable:
            if not await self._followed():
                raise
            return await super().scan(pattern)

    async def _followed(self) -> bool:
        """Whether it is elsewhere now."""
        if self._place.url == self._url:
            await asyncio.to_thread(self._place.look_again)
        if self._place.url == self._url:
            return False
        await self.close()
        self._url = self._place.url
        return True


@contextmanager
def buffer_of(setup: RecordSetup) -> Iterator[BufferPlace | None]:
    """The buffer, started or joined where it is an embedded one; None where there is none to be had, which is told."""
    place = _place(setup)
    try:
        yield place
    finally:
        if place is not None:
            place.leave()


def _place(setup: RecordSetup) -> BufferPlace | None:
    if setup.redis_url is not None:
        return BufferPlace(setup.redis_url)
    if setup.folder is None:
        return None
    place = BufferPlace("", setup.folder)
    try:
        place.run(setup.folder)
    except valkey.ValkeyError as missing:
        _log.warning("captured turns have no buffer: %s", missing)
        return None
    return place
