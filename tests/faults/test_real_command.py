"""F35 and F36 at the real command: odd requests to it, and SIGTERM in the middle of a hand, with everybody connected who can be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest

from tests.faults import wire
from tests.faults.sse import Events, open_events
from tests.faults.wire import Peer
from tests.faults.world import HOST, OPTIONS
from tests.system.process import Home, Process, running

GRACE_MS = 1_000
MARGIN_S = 20.0
"""What two busy cores may add."""


@dataclass
class Command:
    """`railbird serve` at its most talkative log level, with a table."""

    home: Home
    process: Process
    port: int
    path: str


@pytest.fixture(scope="module")
async def command(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Command]:
    home = Home(tmp_path_factory.mktemp("command"))
    table = await home.with_table(replace(OPTIONS, agent_chat=False))
    settings = {"PORT": "0", "GRACE_MS": str(GRACE_MS), "HAND_GAP_MS": "0", "LOG_LEVEL": "debug"}
    async with running(home, "serve", **{f"RAILBIRD_{name}": value for name, value in settings.items()}) as process:
        line = await process.line("Railbird is open on ")
        port = urlsplit(line.removeprefix("Railbird is open on ")).port or 0
        yield Command(home, process, port, f"/games/poker/{table}")


async def test_f35_odd_requests_to_the_real_command(command: Command) -> None:
    """Each is answered or ended; what the log got of them is read when the process is over (test_f36_shutdown)."""
    for sent in (
        b"GET /%0d%0aERROR%20gameserver%20forged HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[2J\r\nConnection: close\r\n\r\n",
        b"GET /\x1b[2J\x9b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x1b[2J ERROR gameserver forged\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: \x1b[2J\r\nConnection: upgrade\r\n\r\n",
        b"G\0T / HTTP/9.9\r\n\r\n",
    ):
        reader, writer = await asyncio.open_connection(HOST, command.port)
        writer.write(sent)
        writer.write_eof()
        await asyncio.wait_for(reader.read(), 12.0)
        writer.transport.abort()


async def test_f36_shutdown(command: Command) -> None:
    """Nobody new is let in; sockets get 1012, streams a last event and a clean end; it exits by itself within the grace time.

    Its whole log is lines without a control byte (F35) and without an error.
    """
    peers = [await entered(command, command.home.token(name)) for name in ("ann", "bob")]
    peers.append(await entered(command))
    for seat, peer in enumerate(peers[:2]):
        assert (await peer.ask("sit", seat=seat, buyIn=1_000))["type"] == "ack"
    await peers[2].sees(lambda m: m["type"] == "hand_started")
    owner = ("Authorization", f"Bearer {command.home.user_token('owner-of-ann')}")
    streams = [
        await open_events(HOST, command.port, f"{command.path}/stream"),
        await open_events(HOST, command.port, f"{command.path}/owner-stream", [owner]),
    ]
    for stream in streams:
        await stream.snapshot()
    await is_told_and_gone(command.process, command.port, peers, streams)
    assert all(line.isprintable() for line in command.process.said), command.process.said
    assert not errors_in(command.process.said), command.process.said


def errors_in(said: list[str]) -> list[str]:
    """Errors, and what each traceback ends with. A knock of `accepts` in the last instant is taken by the system and by no loop any
    more, and a Python that is told of warnings says so as it ends.
    """
    ends = [
        next((line for line in said[place + 1 :] if not line.startswith(" ")), "a traceback without an end")
        for place, line in enumerate(said)
        if "Traceback" in line
    ]
    return [
        *(line for line in said if "ERROR" in line),
        *(end for end in ends if not end.startswith("ResourceWarning: unclosed transport")),
    ]


async def entered(command: Command, token: str | None = None) -> Peer:
    peer = await wire.connect(HOST, command.port, f"{command.path}/ws")
    peer.say("enter", **({} if token is None else {"agentToken": token}))
    await peer.sees(lambda m: m["type"] == "snapshot")
    return peer


async def is_told_and_gone(process: Process, port: int, peers: list[Peer], streams: list[Events]) -> None:
    began = process.terminate()
    async with asyncio.timeout(GRACE_MS / 1_000 + MARGIN_S):
        while await accepts(port):  # noqa: ASYNC110 - a port that closes has no event
            await asyncio.sleep(0.02)
    assert await process.ended(GRACE_MS / 1_000 + MARGIN_S) == 0
    assert time.monotonic() - began < GRACE_MS / 1_000 + MARGIN_S
    for peer in peers:
        assert await peer.is_closed() == 1012
        assert "hand_cancelled" in peer.kinds() and peer.kinds()[-1] == "reconnect"
        await peer.end()
    for stream in streams:
        await asyncio.wait_for(stream.ended.wait(), 30.0)
        assert stream.ended_cleanly and stream.events[-1].name == "reconnect"
        assert "hand_cancelled" in [event.name for event in stream.events]
        await stream.end()


async def accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(HOST, port)
    except OSError:
        return False
    writer.transport.abort()
    return True
