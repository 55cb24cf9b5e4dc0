"""Railbird below a prefix of somebody's own application: an ASGI application that is there before its server is open.

    poker = Mounted(setup)
    app = Starlette(routes=[Mount("/poker", app=poker)], lifespan=poker.lifespan)

The host's lifespan opens and stops the server; before and after, every request is answered with 503. By itself
(`uvicorn module:poker`) it answers the server's lifespan as well.

Under the host's own server its limits and its log are the host's: an access log there shows addresses, and a ticket is in one. So is the
address by which a connection is counted: behind a proxy the host's server has to take it from what the proxy says, or `Setup` names
the proxy in `trusted_proxies`, whose connections are not counted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from gameserver.http.problems import problem
from railbird.app import Server, opened
from railbird.wiring.setup import Setup

_TRY_AGAIN: Final = 1013


class Mounted:
    """One server. `then`: called with it once it is open, for what the host wants of it (tables, sign-in links)."""

    def __init__(self, setup: Setup, *, then: Callable[[Server], Awaitable[None]] | None = None) -> None:
        self._setup, self._then = setup, then
        self._server: Server | None = None
        self._alone = Starlette(lifespan=self.lifespan)

    @property
    def server(self) -> Server:
        """The open server. Raises RuntimeError before and after the host's lifespan."""
        if self._server is None:
            raise RuntimeError("the server is not open: give `lifespan` to the host application")
        return self._server

    @asynccontextmanager
    async def lifespan(self, host: ASGIApp | None = None) -> AsyncIterator[None]:
        """Open, and stop with grace at the end; for the host's `lifespan`."""
        async with opened(self._setup) as server:
            self._server = server
            try:
                if self._then is not None:
                    await self._then(server)
                yield
            finally:
                self._server = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or one socket."""
        if scope["type"] == "lifespan":
            await self._alone(scope, receive, send)
        elif self._server is not None:
            await self._server.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(_TRY_AGAIN)(scope, receive, send)
        else:
            await problem(503, "unavailable", headers={"Retry-After": "5"})(scope, receive, send)
