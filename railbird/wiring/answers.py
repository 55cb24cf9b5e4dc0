"""Counts the answers of plain HTTP by the first digit of their status, and nothing else of them. Sockets pass through."""

from __future__ import annotations

from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class CountedAnswers:
    """ASGI middleware. `counts`: by `2xx`, `4xx` and so on."""

    def __init__(self, app: ASGIApp, counts: Counter[str]) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts[f"{message['status'] // 100}xx"] += 1
            await send(message)

        await self._app(scope, receive, counted)
