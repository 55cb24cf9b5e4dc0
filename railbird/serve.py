"""`railbird serve`: the table server by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from sqlalchemy.exc import DBAPIError

from gameserver.identity.key_files import KeysMissing, KeysNotPrivate, init_keys, load_keys
from gameserver.identity.keys import KeyRing, UnusableKey
from railbird.app import Server, opened
from railbird.config import Settings
from railbird.home import HomeTaken, claimed
from railbird.hosting.beside import Beside, HostBeside
from railbird.logs import configure_logs
from railbird.serving import PortTaken, listen, metrics_served, served, stop_signals
from railbird.wiring.settings import CannotStart, own_origins, setup_of
from railbird.wiring.setup import Setup

__all__ = ["CannotStart", "own_origins", "run_server", "setup_of", "verifying_keys"]


def run_server(settings: Settings) -> int:
    """Serve until SIGTERM or Ctrl-C. Returns the exit code."""
    configure_logs(level=settings.server.log_level)
    try:
        with claimed(settings.store.home):
            return asyncio.run(_serve(settings))
    except (CannotStart, HomeTaken, PortTaken) as problem:
        print(problem, file=sys.stderr)
        return 1


async def _serve(settings: Settings) -> int:
    setup = setup_of(settings, verifying_keys(settings))
    listener = listen(settings.server.host, settings.server.port)
    host, port = listener.getsockname()[:2]
    if not settings.server.origins:
        setup = replace(setup, origins=own_origins(settings.server.host, port))
    with listener, stop_signals() as stop:
        async with (
            _started(setup) as server,
            _host(settings, server, host, port) as host_beside,
            served(server, listener),
            AsyncExitStack() as beside,
        ):
            host_beside.start()
            await _serve_metrics(settings, server, beside)
            print(f"Railbird is open on {_url(host, port)}/", flush=True)
            await stop.wait()
            print("Stopping: hands in play may end.", flush=True)
    return 0


@asynccontextmanager
async def _started(setup: Setup) -> AsyncIterator[Server]:
    """As `opened`; a database that is away is told in words."""
    async with AsyncExitStack() as running:
        try:
            server = await running.enter_async_context(opened(setup))
        except (OSError, DBAPIError) as failed:
            raise CannotStart(
                f"The database does not answer ({type(failed).__name__}); `railbird doctor` says more."
            ) from None
        yield server


def _host(settings: Settings, server: Server, host: str, port: int) -> HostBeside:
    """It reaches its own server as its neighbours do: under every address, where the server listens on all."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    play = settings.play
    return HostBeside(server, Beside(_url(reached, port), play.platform_models, play.min_turn_ms))


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


async def _serve_metrics(settings: Settings, server: Server, beside: AsyncExitStack) -> None:
    if settings.server.metrics_port is None:
        return
    listener = beside.enter_context(listen("127.0.0.1", settings.server.metrics_port))
    await beside.enter_async_context(metrics_served(server.metrics, listener))
    print(f"Metrics are on http://127.0.0.1:{listener.getsockname()[1]}/metrics", flush=True)


def verifying_keys(settings: Settings) -> KeyRing:
    """The keys of this folder. On loopback they are made where there are none; elsewhere a server without keys does not start."""
    now_s = int(time.time())
    folder = settings.store.keys_folder
    try:
        if settings.server.on_loopback:
            return init_keys(folder, now_s=now_s).ring
        return load_keys(folder, now_s=now_s).ring
    except KeysMissing:
        raise CannotStart(
            f"There are no keys in {folder}, and {settings.server.host} is not this machine alone: without keys nobody could "
            "prove who they are. Make them with `railbird keys init`."
        ) from None
    except (KeysNotPrivate, UnusableKey) as problem:
        raise CannotStart(f"The keys cannot be used: {problem}.") from None
