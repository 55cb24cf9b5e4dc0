"""The whole application below a prefix of a host's own: routes, cookies, sockets, streams, and its end with the host's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket as sockets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import connect

from gameserver.identity.key_files import init_keys
from gameserver.identity.sessions import COOKIE, csrf_word
from railbird.app import Setup
from railbird.mounting import Mounted
from tests.conftest import ROOT

EXAMPLES = ("mounted_in_starlette", "mounted_in_fastapi")


@dataclass
class Host:
    """A host application that runs. `base`: its address, without a slash at the end."""

    process: asyncio.subprocess.Process
    base: str


@pytest.fixture(params=EXAMPLES)
async def host(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Host]:
    """An example of examples/, under a plain uvicorn as anybody would run it."""
    async with running(str(request.param), tmp_path) as host:
        yield host


@asynccontextmanager
async def running(example: str, folder: Path) -> AsyncIterator[Host]:
    with sockets.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "uvicorn", "--app-dir", "examples", f"{example}:app", "--port", str(port)),
        cwd=ROOT,
        env={**os.environ, "POKER_HOME": str(folder / "poker"), "POKER_SITE": base, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _answers(base)
        yield Host(process, base)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _answers(base: str) -> None:
    async with asyncio.timeout(30), httpx2.AsyncClient() as client:
        while True:
            try:
                await client.get(base)
            except httpx2.TransportError:
                await asyncio.sleep(0.05)
            else:
                return


async def test_a_host_has_a_poker_room(host: Host) -> None:
    """Its own pages stay; below the prefix are the pages, the routes, the sign-in, the sockets and the streams; SIGTERM ends it."""
    async with httpx2.AsyncClient(base_url=host.base) as client:
        assert (await client.get("/")).status_code == 200
        assert (await client.get("/poker/readyz")).json()["status"] == "ready"
        assert 'href="/poker/static/' in (await client.get("/poker/")).text
        word = await _sign_in(client)
        headers = {"origin": host.base, "x-csrf-token": word}
        body = {"name": "Kitchen", "tableKind": "agent", "smallBlind": 1, "bigBlind": 2}
        made = await client.post("/poker/games/poker", json=body, headers=headers)
        assert made.status_code == 201, made.text
        table_id = made.json()["tableId"]
        assert made.headers["location"] == f"/poker/games/poker/{table_id}"
        assert (await client.get(f"/poker/tables/{table_id}")).status_code == 200
        assert (await client.get(f"/games/poker/{table_id}")).status_code == 404
        ticket = (await client.post("/poker/stream-ticket", headers=headers)).json()["ticket"]
        url = f"{host.base.replace('http', 'ws')}/poker/games/poker/{table_id}/ws?ticket={ticket}"
        async with connect(url, origin=host.base, proxy=None) as socket:  # type: ignore[arg-type]
            assert json.loads(await socket.recv())["type"] == "hello"
            await socket.send('{"type":"enter"}')
            assert json.loads(await socket.recv())["type"] == "snapshot"
            async with client.stream("GET", f"/poker/games/poker/{table_id}/stream") as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                lines = stream.aiter_lines()
                async with asyncio.timeout(30):
                    while not (await anext(lines)).startswith("event: snapshot"):
                        pass
            host.process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(30):
                await socket.wait_closed()
                assert await host.process.wait() in (0, -signal.SIGTERM)


async def _sign_in(client: httpx2.AsyncClient) -> str:
    """By the host's own link; the cookie is for the prefix. Returns the word that goes with it."""
    link = (await client.get("/play")).headers["location"]
    assert link.startswith("/poker/signin/")
    signed_in = await client.get(link)
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/poker/")
    assert "Path=/poker;" in signed_in.headers["set-cookie"]
    assert (await client.get(link)).status_code == 401
    assert (await client.get("/poker/bankroll")).json()["userId"] == "guest"
    return csrf_word(client.cookies[COOKIE])


async def test_before_the_hosts_lifespan_it_is_not_there_yet(tmp_path: Path) -> None:
    """503 with a hint when to come back, and the server is named in plain words where it is missed."""
    keys = init_keys(tmp_path / "keys", now_s=1_800_000_000)
    poker = Mounted(Setup(database_url=f"sqlite:///{tmp_path / 'p.sqlite'}", keys=keys.ring))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=poker), base_url="http://x.test") as client:
        answer = await client.get("/healthz")
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "5")
        with pytest.raises(RuntimeError, match="lifespan"):
            _ = poker.server
        async with poker.lifespan():
            assert (await client.get("/healthz")).status_code == 200
            assert poker.server.floor.states() == {}
        assert (await client.get("/healthz")).status_code == 503
