"""Whose a connection is, behind a proxy and without one."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.http.world import live, opened_world

FROM_ELSEWHERE = {"X-Forwarded-For": "203.0.113.9"}


@pytest.mark.parametrize(
    ("proxies", "believed"), [(("127.0.0.0/8",), True), (("10.0.0.0/8",), False), ((), False)], ids=str
)
async def test_only_a_trusted_proxy_says_for_whom_it_asks(
    proxies: tuple[str, ...], believed: bool, tmp_path: Path
) -> None:
    """Its word counts for the places of an address; anybody else's says nothing, and this machine is not counted."""
    async with (
        opened_world(tmp_path, trusted_proxies=proxies, connections_per_address=1) as world,
        live(world) as url,
        AsyncExitStack() as opened,
    ):
        socket = f"{url.replace('http', 'ws')}games/poker/{await world.table()}/ws"
        await opened.enter_async_context(connect(socket, additional_headers=FROM_ELSEWHERE, proxy=None))
        second = connect(socket, additional_headers=FROM_ELSEWHERE, proxy=None)
        if believed:
            with pytest.raises(InvalidStatus) as refused:
                await second
            assert refused.value.response.status_code == 429
        else:
            await opened.enter_async_context(second)
        (crowded,) = [each for each in world.server.metrics() if each.name == "railbird_crowded_total"]
        assert crowded.samples == {"": int(believed)}
