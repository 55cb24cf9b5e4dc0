"""Ways into the application, called as an ASGI server calls it: a socket, an event stream, a request. All that comes out is kept."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from tests.leaks.virtual_loop import VirtualLoop

Headers = list[tuple[bytes, bytes]]
_uvicorn: Final = logging.getLogger("uvicorn.error")


def scope_of(kind: str, target: str, headers: Headers) -> dict[str, Any]:
    """An ASGI scope. `target`: path and query."""
    parts = urlsplit(target)
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": parts.path,
        "raw_path": quote(parts.path).encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", b"testserver"), *headers],
        "client": ("127.0.0.1", 50_000),
        "server": ("testserver", 80),
        "extensions": {},
        "state": {},
    }


class _Call:
    """One call of the application. `told`: each event that it sends."""

    def __init__(
        self, app: ASGIApp, loop: VirtualLoop, scope: Scope, told: Callable[[MutableMapping[str, Any]], None]
    ) -> None:
        self._inbox: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        self._told = told
        self.task: asyncio.Task[None] = loop.create_task(_run(app, scope, self._inbox.get, self._send))

    def put(self, event: MutableMapping[str, Any]) -> None:
        self._inbox.put_nowait(event)

    async def _send(self, event: MutableMapping[str, Any]) -> None:
        self._told(event)


async def _run(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """As uvicorn does it: what the application does not answer for is in the log."""
    try:
        await app(scope, receive, send)
    except Exception as error:  # noqa: BLE001 - whatever it is
        _uvicorn.error("Exception in ASGI application\n", exc_info=error)


@dataclass
class Socket:
    """A WebSocket. `texts`: every message that came; `ends`: how it was refused or closed."""

    app: ASGIApp
    loop: VirtualLoop
    target: str
    headers: Headers
    texts: list[bytes] = field(default_factory=list)
    ends: list[bytes] = field(default_factory=list)
    seen: int = 0
    """How many of the texts somebody has filed already."""

    def open(self) -> Socket:
        scope = {**scope_of("websocket", self.target, self.headers), "subprotocols": []}
        scope["extensions"] = {"websocket.http.response": {}}
        self._call = _Call(self.app, self.loop, scope, self._told)
        self._call.put({"type": "websocket.connect"})
        self.loop.settle()
        return self

    def say(self, message: object) -> None:
        """Send a message, or a text as it stands."""
        text = message if isinstance(message, str) else json.dumps(message)
        self._call.put({"type": "websocket.receive", "text": text})
        self.loop.settle()

    def drop(self) -> None:
        """The line is cut."""
        self._call.put({"type": "websocket.disconnect", "code": 1006})
        self.loop.settle()

    def kill(self) -> None:
        """The server's process is gone."""
        self._call.task.cancel()

    @property
    def is_open(self) -> bool:
        return not self.ends and not self._call.task.done()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.texts]

    def last(self, kind: str) -> dict[str, Any] | None:
        """The last message of a type."""
        found = [message for message in self.messages if message["type"] == kind]
        return found[-1] if found else None

    def _told(self, event: MutableMapping[str, Any]) -> None:
        match event["type"]:
            case "websocket.send":
                self.texts.append(event["text"].encode())
            case "websocket.close" | "websocket.http.response.start":
                self.ends.append(repr(sorted((key, value) for key, value in event.items())).encode())
            case "websocket.http.response.body":
                self.ends.append(event.get("body", b""))


@dataclass
class EventStream:
    """A request whose answer does not end by itself, or does. `head`: status and headers; `chunks`: the body as it came."""

    app: ASGIApp
    loop: VirtualLoop
    target: str
    headers: Headers
    method: str = "GET"
    body: bytes = b""
    status: int = 0
    head: bytes = b""
    chunks: list[bytes] = field(default_factory=list)
    seen: int = 0

    def open(self) -> EventStream:
        scope = {**scope_of("http", self.target, self.headers), "method": self.method}
        self._call = _Call(self.app, self.loop, scope, self._told)
        self._call.put({"type": "http.request", "body": self.body, "more_body": False})
        self.loop.settle()
        return self

    def drop(self) -> None:
        """The client goes."""
        self._call.put({"type": "http.disconnect"})
        self.loop.settle()

    def kill(self) -> None:
        """The server's process is gone."""
        self._call.task.cancel()

    @property
    def whole(self) -> bytes:
        """All of the answer so far."""
        return self.head + b"".join(self.chunks)

    @property
    def last_event_id(self) -> str | None:
        """What a browser would send to go on."""
        ids = [line[4:] for line in b"".join(self.chunks).split(b"\n") if line.startswith(b"id: ")]
        return ids[-1].decode() if ids else None

    def _told(self, event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            self.head = repr((event["status"], sorted(event.get("headers", [])))).encode()
        elif event["type"] == "http.response.body" and event.get("body"):
            self.chunks.append(event["body"])
