"""`railbird serve`: the table server by itself, until it is told to stop."""

from __future__ import annotations

import asyncio
import time

from gameserver.floor.settings import FloorSettings
from gameserver.identity.key_files import KeysMissing, init_keys, load_keys
from gameserver.identity.keys import KeyRing
from gameserver.identity.tokens import TokenRules
from policy.ids import UserId
from railbird.app import Setup, opened
from railbird.config import Settings
from railbird.logs import configure_logs
from railbird.serving import PortTaken, listen, served, stop_signals


class CannotStart(Exception):
    """The server does not start; the message says what to do."""


def run_server(settings: Settings) -> int:
    """Serve until SIGTERM or Ctrl-C. Returns the exit code."""
    configure_logs()
    try:
        return asyncio.run(_serve(settings))
    except (CannotStart, PortTaken) as problem:
        print(problem)
        return 1


async def _serve(settings: Settings) -> int:
    setup = setup_of(settings, verifying_keys(settings))
    listener = listen(settings.server.host, settings.server.port)
    with listener, stop_signals() as stop:
        async with opened(setup) as server, served(server, listener):
            host, port = listener.getsockname()[:2]
            print(f"Railbird is open on http://{host}:{port}/", flush=True)
            await stop.wait()
            print("Stopping: hands in play may end.", flush=True)
    return 0


def verifying_keys(settings: Settings) -> KeyRing:
    """The keys of this folder. On loopback they are made where there are none; elsewhere a server without keys does not start."""
    now_s = int(time.time())
    folder = settings.store.keys_folder
    if settings.server.on_loopback:
        return init_keys(folder, now_s=now_s).ring
    try:
        return load_keys(folder, now_s=now_s).ring
    except KeysMissing:
        raise CannotStart(
            f"There are no keys in {folder}, and {settings.server.host} is not this machine alone: without keys nobody could "
            "prove who they are. Make them with `railbird keys init`."
        ) from None


def setup_of(settings: Settings, keys: KeyRing) -> Setup:
    """The settings, as the composition root takes them."""
    settings.store.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Setup(
        database_url=settings.store.database_url,
        keys=keys,
        origins=settings.server.origins or own_origins(settings.server.host, settings.server.port),
        starting_chips=settings.store.starting_chips,
        grace_ms=settings.server.grace_ms,
        floor=FloorSettings(
            hand_gap_ms=settings.play.hand_gap_ms,
            platform_models=frozenset(settings.play.platform_models),
            operators=frozenset(map(UserId, settings.identity.operators)),
        ),
        token_rules=TokenRules(leeway_s=settings.identity.leeway_s),
    )


def own_origins(host: str, port: int) -> tuple[str, ...]:
    """Under which names a browser on this machine shows our own pages."""
    names = ("127.0.0.1", "localhost", "[::1]") if host in ("127.0.0.1", "::1", "localhost") else (host,)
    return tuple(f"http://{name}:{port}" for name in names)
