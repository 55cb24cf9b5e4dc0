"""Tables that are really played at, on a store of each kind, and their history over HTTP; who asks says so in a header."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest_asyncio
from starlette.applications import Starlette
from starlette.requests import Request

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.settings import FloorSettings
from gameserver.http.history import HistoryPorts, history_routes
from gameserver.identity.who import Identity, Nobody
from tests.floor.world import World, agent, opened, user
from tests.store.conftest import (  # noqa: F401 - fixtures that `store` is made from
    Store,
    migrated,
    migrated_postgres,
    migrated_sqlite,
    new_store,
    new_url,
    store,
)


@pytest_asyncio.fixture
async def played(store: Store) -> AsyncIterator[World]:  # noqa: F811 - the fixture, by its name
    """A floor that runs, with a long pause after its first hand. The books are right when the test is over."""
    async with opened(store.database, settings=FloorSettings(hand_gap_ms=3_600_000, fault_pause_ms=1)) as world:
        yield world


@pytest_asyncio.fixture
async def client(played: World) -> AsyncIterator[httpx2.AsyncClient]:
    """Asks for the history of the floor's tables. `who`: `user:NAME` or `agent:NAME:OWNER`."""
    ports = HistoryPorts(
        tables=played.store,
        hands=played.hands,
        identify=identify,
        admit=played.floor.admit,
        now_ms=played.clock.wall_ms,
    )
    app = Starlette(routes=history_routes(ports))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://railbird.test") as opened_client:
        yield opened_client


async def identify(request: Request) -> Identity:
    kind, _, rest = request.headers.get("who", "").partition(":")
    match kind:
        case "":
            return Nobody()
        case "user":
            return user(rest)
        case "agent":
            name, _, owner = rest.partition(":")
            return agent(name, owner=owner)
        case _:
            raise Refusal(ErrorCode.BAD_TOKEN, "the token is not valid")
