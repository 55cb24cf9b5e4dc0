"""Railbird below /poker of a FastAPI application. It needs `fastapi`, which Railbird does not bring along.

uvicorn --app-dir examples mounted_in_fastapi:app
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import RedirectResponse

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
app = FastAPI(lifespan=poker.lifespan)


@app.get("/")
async def home() -> dict[str, str]:
    """A route of the host's own."""
    return {"poker": "/poker/"}


@app.get("/play")
async def play() -> RedirectResponse:
    """The host knows who its visitor is; here everybody is `guest`."""
    return RedirectResponse("/poker" + await poker.server.sign_in_link(UserId("guest")))


app.mount("/poker", poker)
