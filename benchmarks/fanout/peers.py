"""Peers in Python under measurement, with an update of the same size. `python -m benchmarks.fanout.peers KIND PORT N SECONDS SIZE`

starlette       Starlette's own loop of sends, on uvicorn's sans-IO protocol
websockets      the library's `broadcast`
sse-starlette   sse-starlette, each stream with a queue of its own
picows          picows' own server
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import uvloop

from benchmarks.fanout.ours import serve_while
from benchmarks.fanout.ticking import tick


def filled(mark: str, size: int) -> str:
    """An update of this size."""
    head = f'{{"type":"game_state","mark":"{mark}","filling":"'
    return head + "x" * (size - len(head) - 2) + '"}'


async def starlette(port: int, count: int, seconds: float, size: int) -> None:
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute
    from starlette.websockets import WebSocket

    sockets: set[WebSocket] = set()

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        sockets.add(websocket)
        with contextlib.suppress(Exception):
            while True:
                await websocket.receive_text()
        sockets.discard(websocket)

    async def send_to_all(mark: str) -> None:
        text = filled(mark, size)
        for websocket in sockets:
            await websocket.send_text(text)

    app = Starlette(routes=[WebSocketRoute("/ws", endpoint)])
    update: Any = send_to_all
    await serve_while(
        app, port, lambda: len(sockets) >= count, update, seconds, ws="websockets-sansio", ws_per_message_deflate=False
    )


async def websockets(port: int, count: int, seconds: float, size: int) -> None:
    from websockets.asyncio.server import ServerConnection, broadcast, serve

    sockets: set[ServerConnection] = set()

    async def handler(socket: ServerConnection) -> None:
        sockets.add(socket)
        await socket.wait_closed()
        sockets.discard(socket)

    async with serve(handler, "127.0.0.1", port, compression=None, ping_interval=None, backlog=4_096):
        await tick(lambda: len(sockets) >= count, lambda mark: broadcast(sockets, filled(mark, size)), seconds)


async def sse_starlette(port: int, count: int, seconds: float, size: int) -> None:
    from sse_starlette.sse import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.routing import Route

    queues: set[asyncio.Queue[str]] = set()

    async def events() -> AsyncIterator[dict[str, str]]:
        queue: asyncio.Queue[str] = asyncio.Queue()
        queues.add(queue)
        while True:
            yield {"event": "game_state", "data": await queue.get()}

    async def endpoint(request: Request) -> EventSourceResponse:
        return EventSourceResponse(events(), sep="\n")

    def put(mark: str) -> None:
        text = filled(mark, size)
        for queue in queues:
            queue.put_nowait(text)

    app = Starlette(routes=[Route("/sse", endpoint)])
    await serve_while(app, port, lambda: len(queues) >= count, put, seconds, http="httptools")


async def picows(port: int, count: int, seconds: float, size: int) -> None:
    import picows as library  # type: ignore[import-not-found]  # a peer, and no dependency

    sockets: set[Any] = set()

    class Listener(library.WSListener):  # type: ignore[misc]  # untyped where it is not installed
        def on_ws_connected(self, transport: Any) -> None:
            sockets.add(transport)

        def on_ws_disconnected(self, transport: Any) -> None:
            sockets.discard(transport)

    def send_to_all(mark: str) -> None:
        payload = filled(mark, size).encode()
        for transport in sockets:
            transport.send(library.WSMsgType.TEXT, payload)

    server = await library.ws_create_server(lambda request: Listener(), "127.0.0.1", port, backlog=4_096)
    async with server:
        await tick(lambda: len(sockets) >= count, send_to_all, seconds)


PEERS: Final[dict[str, Callable[[int, int, float, int], Awaitable[None]]]] = {
    "starlette": starlette,
    "websockets": websockets,
    "sse-starlette": sse_starlette,
    "picows": picows,
}

if __name__ == "__main__":
    _, kind, port, count, seconds, size = sys.argv
    work: Any = PEERS[kind](int(port), int(count), float(seconds), int(size))
    uvloop.run(work)
