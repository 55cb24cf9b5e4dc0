"""An open server on a socket: accepts until it is told to stop, lets hands in play end, tells everybody, and goes.

The order at the end matters: no new connection, then the tables (whose players still have to act), then the open connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

import uvicorn
from starlette.applications import Starlette

from gameserver.http.metrics import Metric, metrics_routes
from gameserver.http.problems import problem_handlers
from gameserver.net.http_protocol import ReadyHttp
from gameserver.net.protocol import UVICORN_SETTINGS, ReadyWebSocket
from railbird.app import Server
from railbird.interpreter import tuned

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_CLOSE_WITHIN_S = 5


class PortTaken(RuntimeError):
    """Somebody else listens there already."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; `port` 0 takes any free one. Raises PortTaken."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2_048)
    except OSError as error:
        raise PortTaken(f"cannot listen on {host} port {port}: {os.strerror(error.errno or 0)}") from error


class _Quiet(uvicorn.Server):
    """uvicorn without its own signal handlers: stopping is ours, in our order."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def served(server: Server, listener: socket.socket) -> AsyncIterator[None]:
    """The server answers on `listener` within the block. On the way out the tables stop first, with grace."""
    config = uvicorn.Config(
        server.app,
        http=ReadyHttp,
        ws=ReadyWebSocket,
        lifespan="off",
        log_config=None,
        log_level="warning",  # below it uvicorn logs addresses of requests, which may hold a ticket or a token
        access_log=False,
        server_header=False,
        forwarded_allow_ips=list(server.trusted_proxies),
        timeout_graceful_shutdown=_CLOSE_WITHIN_S,
        **UVICORN_SETTINGS,
    )
    async with tuned(), _running(config, listener) as http:
        try:
            yield
        finally:
            for accepting in http.servers:
                accepting.close()
            await server.stop()


@contextlib.asynccontextmanager
async def metrics_served(metrics: Callable[[], Sequence[Metric]], listener: socket.socket) -> AsyncIterator[None]:
    """`/metrics` without a key on `listener`, which is to be one of this machine alone."""
    app = Starlette(routes=metrics_routes(metrics, None), exception_handlers=problem_handlers())
    config = uvicorn.Config(
        app, lifespan="off", log_config=None, log_level="warning", access_log=False, server_header=False
    )
    async with _running(config, listener):
        yield


@contextlib.asynccontextmanager
async def _running(config: uvicorn.Config, listener: socket.socket) -> AsyncIterator[uvicorn.Server]:
    http = _Quiet(config)
    serving = asyncio.create_task(http.serve(sockets=[listener]), name="http")
    while not http.started and not serving.done():  # noqa: ASYNC110 - uvicorn offers a flag and no event
        await asyncio.sleep(0.005)
    try:
        yield http
    finally:
        http.should_exit = True
        await serving


@contextlib.contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """An event that is set by SIGTERM or Ctrl-C. A second signal ends the process the usual way."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def told_to_stop() -> None:
        stop.set()
        for each in _SIGNALS:
            loop.remove_signal_handler(each)

    for each in _SIGNALS:
        loop.add_signal_handler(each, told_to_stop)
    try:
        yield stop
    finally:
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
