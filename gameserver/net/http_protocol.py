"""uvicorn's HTTP protocol with a deadline for the head of every request, sockets' handshakes included.

The deadline runs from the connection's first moment, so a silent connection goes; it ends when the head is complete and not at
the first byte, so a dripping one goes too; and again from the first byte of each later request. Between requests uvicorn's own
keep-alive timeout counts. Run uvicorn with `Config(app, http=PromptHttp)`.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class PromptHttp(HttpToolsProtocol):
    """Subclass it to set another deadline."""

    head_within_s: ClassVar[float] = 10.0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._stop_head_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_within_s, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
