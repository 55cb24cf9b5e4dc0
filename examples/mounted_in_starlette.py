"""Railbird below /poker of a Starlette application: sockets, streams, pages and all.

    uvicorn --app-dir examples mounted_in_starlette:app

The host's own pages are beside it. People sign in at the host, which gives them a link: see `play`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from gameserver.identity.key_files import init_keys
from policy.ids import UserId
from railbird.app import Setup
from railbird.mounting import Mounted
from railbird.wiring.keys import FolderKeys

HOME = Path(os.environ.get("POKER_HOME", ".poker"))
SITE = os.environ.get("POKER_SITE", "http://127.0.0.1:8000")
"""Where browsers find the host: its pages may open sockets here."""

HOME.mkdir(exist_ok=True)
keys = init_keys(HOME / "keys", now_s=int(time.time()))
poker = Mounted(
    Setup(
        database_url=f"sqlite:///{HOME / 'poker.sqlite'}",
        keys=keys.ring,
        key_source=FolderKeys(HOME / "keys", now_ms=lambda: int(time.time() * 1_000)),
        origins=(SITE,),
    )
)


async def home(request: Request) -> Response:
    """A page of the host's own."""
    return PlainTextResponse("The host's own page. Poker is at /poker/.")


async def play(request: Request) -> Response:
    """The host knows who its visitor is; here everybody is `guest`."""
    return RedirectResponse("/poker" + await poker.server.sign_in_link(UserId("guest")))


app = Starlette(
    routes=[Route("/", home), Route("/play", play), Mount("/poker", app=poker)],
    lifespan=poker.lifespan,
)
