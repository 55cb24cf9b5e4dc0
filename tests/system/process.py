"""The real command in a process of its own, and players who talk to it over real sockets."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token, issue_user_token
from gameserver.identity.key_files import StoredKeys, init_keys
from gameserver.identity.keys import KeyUse
from gameserver.table.options import TableOptions
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from railbird.app import Server, Setup, opened
from tests.conftest import ROOT

STARTS_WITHIN_S = 30.0
HAPPENS_WITHIN_S = 30.0


@dataclass
class Home:
    """A folder with keys and a database, as the command finds it."""

    folder: Path

    def __post_init__(self) -> None:
        self.keys: StoredKeys = init_keys(self.folder / "keys", now_s=int(time.time()))

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self.folder / 'railbird.sqlite'}"

    def token(self, name: str) -> str:
        return issue_agent_token(
            self.keys.signing[KeyUse.AGENT],
            agent_id=AgentId(name),
            owner=UserId(f"owner-of-{name}"),
            version_id=AgentVersionId(f"{name}-v1"),
            token_id=f"token-of-{name}",
            now_s=int(time.time()),
            life_s=600,
        )

    def user_token(self, name: str) -> str:
        return issue_user_token(
            self.keys.signing[KeyUse.USER],
            user_id=UserId(name),
            token_id=f"user-token-of-{name}",
            now_s=int(time.time()),
            life_s=600,
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Server]:
        """The server's rooms in this process, to make tables and to look."""
        setup = Setup(self.database_url, self.keys.ring, grace_ms=0, floor=FloorSettings(hand_gap_ms=0))
        async with opened(setup) as server:
            yield server

    async def with_table(self, options: TableOptions) -> TableId:
        """A table, and two agents that are registered: ann and bob."""
        async with self.opened() as server:
            for name in ("ann", "bob"):
                if await server.people.agent(AgentId(name)) is None:
                    await server.people.create_agent(AgentId(name), name, UserId(f"owner-of-{name}"))
                    await server.people.publish_version(AgentId(name), AgentVersionId(f"{name}-v1"), b"{}")
            return await server.floor.create(options)


@dataclass
class Process:
    """A running command. `said`: its output so far, by line."""

    process: asyncio.subprocess.Process
    said: list[str] = field(default_factory=list)

    async def line(self, beginning: str, timeout_s: float = STARTS_WITHIN_S) -> str:
        """Wait for a line of the output."""
        async with asyncio.timeout(timeout_s):
            while True:
                for line in self.said:
                    if line.startswith(beginning):
                        return line
                await self._read()

    async def _read(self) -> None:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, f"the process ended with {self.process.returncode}: {self.said}"
        self.said.append(line.decode().rstrip())

    def terminate(self) -> float:
        """SIGTERM, and when it was sent."""
        self.process.send_signal(signal.SIGTERM)
        return time.monotonic()

    async def ended(self, timeout_s: float) -> int:
        """The exit code, by itself and in time."""
        assert self.process.stdout is not None
        rest = await asyncio.wait_for(self.process.stdout.read(), timeout_s)
        self.said += rest.decode().splitlines()
        return await asyncio.wait_for(self.process.wait(), timeout_s)


def environment(home: Home) -> dict[str, str]:
    """This process's environment, with this home and without other settings of ours."""
    names = {name: value for name, value in os.environ.items() if not name.startswith("RAILBIRD_")}
    return {**names, "RAILBIRD_HOME": str(home.folder), "PYTHONUNBUFFERED": "1"}


@asynccontextmanager
async def running(home: Home, *arguments: str, **settings: str) -> AsyncIterator[Process]:
    """`python -m railbird ...` with this home; killed at the end where it has not ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-W", "error", "-m", "railbird", *arguments),
        cwd=ROOT,
        env={**environment(home), **settings},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Process(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@dataclass
class Player:
    """A client of the tests' own: it keeps every message, and says and acts what a test tells it to."""

    socket: ClientConnection
    messages: list[dict[str, Any]] = field(default_factory=list)
    plays: bool = False

    def __post_init__(self) -> None:
        self._requests = map(str, itertools.count(1))
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for text in self.socket:
                self.messages.append(json.loads(text))
                if self.plays:
                    await self._play(self.messages[-1])

    async def _play(self, message: dict[str, Any]) -> None:
        turn = message if message["type"] == "your_turn" else message.get("yourTurn")
        if turn is not None:
            action = "check" if "check" in turn["legalActions"] else "call"
            await self.say("action", turnId=turn["turnId"], action=action)

    async def say(self, kind: str, **fields: object) -> str:
        request_id = next(self._requests)
        await self.socket.send(json.dumps({"type": kind, "requestId": request_id, **fields}))
        return request_id

    async def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        request_id = await self.say(kind, **fields)
        await until(lambda: any(message.get("requestId") == request_id for message in self.messages))
        return next(message for message in self.messages if message.get("requestId") == request_id)

    async def sees(self, kind: str) -> dict[str, Any]:
        await until(lambda: kind in self.kinds())
        return next(message for message in self.messages if message["type"] == kind)

    def kinds(self) -> list[str]:
        return [message["type"] for message in self.messages]

    async def play_from_now(self) -> None:
        """Check or call whenever it is asked, also what it is asked already."""
        self.plays = True
        for message in reversed(self.messages):
            if message["type"] in ("your_turn", "player_action"):
                await self._play(message)
                return

    async def is_closed(self) -> int | None:
        await asyncio.wait_for(self._reading, HAPPENS_WITHIN_S)
        return self.socket.close_code


@asynccontextmanager
async def entered(base: str, table: TableId, token: str | None = None) -> AsyncIterator[Player]:
    """A client that entered and has its snapshot."""
    async with connect(socket_url(base, table), proxy=None) as socket:
        player = Player(socket)
        await player.say("enter", **({} if token is None else {"agentToken": token}))
        await player.sees("snapshot")
        yield player


def socket_url(base: str, table: TableId) -> str:
    return f"{base.replace('http', 'ws')}games/poker/{table}/ws"


async def until(condition: Callable[[], bool], timeout_s: float = HAPPENS_WITHIN_S) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)
