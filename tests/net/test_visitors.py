"""A credential that is revoked while its owner comes in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from gameserver.identity.who import Identity, Nobody, UserIdentity
from tests.net import serving as net
from tests.net.events import abort_all, open_events
from tests.net.serving import FOREIGN, OURS, closed, read, serving, until


@pytest.fixture(autouse=True)
async def _nothing_left_open() -> AsyncIterator[None]:
    yield
    abort_all()


class Gatekeeper:
    """Proves an identity, and then is held up before it says so."""

    def __init__(self) -> None:
        self.proved, self.go_on = asyncio.Event(), asyncio.Event()

    async def identify(self, connection: HTTPConnection) -> UserIdentity | Nobody:
        identity = await net.identify(connection)
        self.proved.set()
        await self.go_on.wait()
        return identity


def is_anns(identity: Identity) -> bool:
    return isinstance(identity, UserIdentity) and identity.user_id == "ann"


@pytest.mark.parametrize("protocols", [OURS, FOREIGN], ids=["ours", "foreign"])
@pytest.mark.parametrize(("name", "stays"), [("ann", False), ("ben", True)])
async def test_what_is_revoked_on_the_way_in_does_not_stay(protocols: dict[str, Any], name: str, stays: bool) -> None:
    """The socket is told, and closed with 4401; the event stream ends, and has nothing of the table. Somebody else's stay."""
    keeper = Gatekeeper()
    async with serving(protocols, identify=keeper.identify) as server:
        opening = asyncio.create_task(server.open(f"?token={name}"))
        await keeper.proved.wait()
        keeper.proved.clear()
        streaming = asyncio.create_task(
            open_events(server.url, f"/host/games/poker/{net.TABLE}/owner-stream?token={name}")
        )
        await keeper.proved.wait()
        assert server.endpoint.close_revoked(is_anns) + server.events.close_revoked(is_anns) == 0
        keeper.go_on.set()
        client, events = await opening, await streaming
        if stays:
            assert (await read(client))["type"] == "hello"
            assert (await events.read()).name == "snapshot"
            await client.close()
            return
        assert (await read(client))["code"] == "bad_token"
        assert (await closed(client))[0] == 4401
        assert all(event.message["code"] == "bad_token" for event in await events.end())
        await until(lambda: not server.endpoint._visiting and not server.events._open)
        assert server.floor.attached == []


async def test_who_gives_up_on_the_way_is_forgotten() -> None:
    """Nothing is kept of a handshake that came to nothing."""
    async with serving() as server:
        for _ in range(3):
            with pytest.raises(Exception, match="401"):
                await server.open("?token=bad")
        client = await server.client()
        await until(lambda: len(server.endpoint._visiting._arriving) == 0)
        await client.close()
