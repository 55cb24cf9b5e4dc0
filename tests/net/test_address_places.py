"""How many connections one address may hold, on real sockets; a proxy on this machine says whose they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from websockets.exceptions import InvalidStatus

from tests.net import serving as net
from tests.net.events import EventClient, abort_all, open_events
from tests.net.serving import VISIT, Server, serving, until

PATH = f"/host/games/poker/{net.TABLE}/stream"
PATIENT = replace(VISIT, enter_within_ms=10_000)
ONE, OTHER = "203.0.113.9", "203.0.113.10"


@pytest.fixture(autouse=True)
async def _nothing_left_open() -> AsyncIterator[None]:
    yield
    abort_all()


def by(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


async def stream(server: Server, address: str) -> EventClient:
    return await open_events(server.url, PATH, by(address))


async def test_a_connection_too_many_of_an_address_gets_429() -> None:
    """Sockets and event streams together; others come in, and so does who comes when one has gone. Each refusal is counted."""
    async with serving(per_address=2, visit=PATIENT) as server:
        first = await server.client(additional_headers=by(ONE))
        second = await stream(server, ONE)
        assert second.status == 200
        with pytest.raises(InvalidStatus) as refused:
            await server.client(additional_headers=by(ONE))
        assert (refused.value.response.status_code, refused.value.response.headers["retry-after"]) == (429, "5")
        full = await stream(server, ONE)
        assert (full.status, full.headers["retry-after"]) == (429, "5")
        assert server.places.refused_total == 2
        other = await server.client(additional_headers=by(OTHER))
        assert (await stream(server, OTHER)).status == 200
        await first.close()
        await until(lambda: server.endpoint.open_connections == 1)
        again = await server.client(additional_headers=by(ONE))
        abort_all()
        await until(lambda: server.events.open_streams == 0)
        assert (await stream(server, ONE)).status == 200
        await again.close()
        await other.close()


async def test_a_refused_handshake_holds_no_place() -> None:
    """A bad credential gives its place back."""
    async with serving(per_address=1, visit=PATIENT) as server:
        for _ in range(3):
            with pytest.raises(InvalidStatus) as refused:
                await server.client("?token=bad", additional_headers=by(ONE))
            assert refused.value.response.status_code == 401
        client = await server.client(additional_headers=by(ONE))
        await client.close()
        await until(lambda: not server.places._open)
