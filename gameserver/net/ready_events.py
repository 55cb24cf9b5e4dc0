"""sse-starlette under our own server: it opens, keeps awake and ends every stream, with nothing that each stream has to pay for.

Under a foreign server a stream is a response with four tasks: one sends, one pings, one waits for the client to go and one for the
server. Under ours the protocol knows when the client goes, and the last two are the same for all. So a stream's own response only
opens and ends it, in the task that it is served in; and one more response, that is nobody's, pings for all of them and hears of the
server's end. It relies on the layout of sse-starlette's class: the version is pinned, and tests/net run both ways.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.types import Message, Receive, Scope, Send

from gameserver.floor import faults
from gameserver.net.batch import Comment
from gameserver.net.outlet import DirectOutlet

_log: Final = logging.getLogger(__name__)
_NOBODYS_SCOPE: Final[dict[str, Any]] = {"type": "http", "method": "GET"}


def keep_awake() -> ServerSentEvent:
    """What a silent stream says: an empty comment."""
    return ServerSentEvent(comment="", sep="\n")


class OpenedEvents(EventSourceResponse):
    """The response of one stream, in the task that calls it. Its body ends when the line is lost, too: nobody else watches it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await super().__call__(scope, receive, send)
        else:
            await self._stream_response(send)


class Keeper:
    """Keeps all open streams awake, and ends them when the server goes. `ping_s`: between two comments."""

    def __init__(self, ping_s: Callable[[], float]) -> None:
        self._ping_s = ping_s
        self._streams: dict[DirectOutlet, Callable[[], None]] = {}
        self._keeping: asyncio.Task[None] | None = None

    @contextmanager
    def kept(self, outlet: DirectOutlet, end: Callable[[], None]) -> Iterator[None]:
        """A stream, for as long as the block lasts. `end`: ends it."""
        self._streams[outlet] = end
        if self._keeping is None:
            self._keeping = asyncio.get_running_loop().create_task(self._keep(), name="event-keeper")
        try:
            yield
        finally:
            del self._streams[outlet]
            if not self._streams and self._keeping is not None:
                self._keeping.cancel()
                self._keeping = None

    async def _keep(self) -> None:
        response = EventSourceResponse(_nothing(), ping=self._ping_s(), ping_message_factory=keep_awake, sep="\n")
        try:
            await response(_NOBODYS_SCOPE, _nobody_goes, self._send_to_all)
        except Exception as error:  # noqa: BLE001 - the streams live on; the next one that opens has them kept again
            _log.error("event streams are not kept awake: %s", faults.in_words(error))
        else:  # it comes back when the server goes, and not before
            for end in tuple(self._streams.values()):
                end()
        self._keeping = None

    async def _send_to_all(self, message: Message) -> None:
        if message["type"] == "http.response.body" and message["more_body"]:
            comment = Comment(message["body"])
            for outlet in tuple(self._streams):
                if not outlet.is_queued:  # else it is not silent
                    outlet.write(comment)


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def _nobody_goes() -> Message:
    await asyncio.Event().wait()
    return {"type": "http.disconnect"}
