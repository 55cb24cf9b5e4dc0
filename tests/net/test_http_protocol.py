"""F21: a connection that says nothing, or says it too slowly, is gone within the deadline."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any, ClassVar, Final

import httpx2
import pytest

from gameserver.net.http_protocol import PromptHttp
from tests.net.serving import OURS, read, say, serving


class Hasty(PromptHttp):
    head_within_s = 0.3
    body_within_s = 0.3


class Noted(PromptHttp):
    """Keeps its transports for a look at their sockets."""

    made: ClassVar[list[asyncio.Transport]] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.made.append(transport)


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


async def test_a_write_does_not_wait_for_the_peers_acknowledgement() -> None:
    """Neither an answer nor a frame right behind it: no connection is left with Nagle's algorithm, a WebSocket's neither."""
    async with serving({**OURS, "http": Noted}) as server:
        client = await server.entered()
        async with httpx2.AsyncClient(trust_env=False) as http:
            await http.get(f"http://{server.url}/nothing")
        connections = [transport.get_extra_info("socket") for transport in Noted.made]
        delays = [
            each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0 for each in connections if each.fileno() >= 0
        ]
        assert delays and not any(delays)
        await client.close()


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
