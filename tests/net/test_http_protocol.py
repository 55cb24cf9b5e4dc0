"""F21: a connection that says nothing, or says it too slowly, is gone within the deadline."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

import httpx2
import pytest

from gameserver.net.http_protocol import PromptHttp
from tests.net.serving import OURS, read, say, serving


class Hasty(PromptHttp):
    head_within_s = 0.3
    body_within_s = 0.3


HASTY: Final[dict[str, Any]] = {**OURS, "http": Hasty}


@pytest.mark.parametrize("said", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nA: "])
async def test_f21_a_silent_or_dripping_connection_is_closed(said: bytes) -> None:
    """And it does not stand in the way of others."""
    async with serving(HASTY) as server:
        host, port = server.url.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        began = asyncio.get_running_loop().time()
        writer.write(said)
        with suppress(ConnectionResetError):
            assert await asyncio.wait_for(reader.read(), 3) == b""
        assert asyncio.get_running_loop().time() - began > 0.25
        writer.close()


async def test_requests_after_an_idle_time_are_served_and_sockets_stay_open() -> None:
    """The deadline is for a head that has begun, and ends with it."""
    async with serving(HASTY) as server:
        client = await server.entered()
        async with httpx2.AsyncClient(trust_env=False) as http:
            for pause_s in (0.5, 0.0):
                assert (await http.get(f"http://{server.url}/nothing")).status_code == 404
                await asyncio.sleep(pause_s)
        await say(client, "ping")
        assert (await read(client))["type"] == "pong"
        await client.close()
