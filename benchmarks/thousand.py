"""A thousand tables in one process, over real sockets: six agents and a watcher at each, and a move each two seconds at each.

The server is this process: endpoint, strict decoding, inbox, room, gates, views, door, SQLite with its commits on the disk, and 7,000
WebSockets. The players are another process (`players`), which makes the load and shares the machine's cores; nothing is pinned. Not
in it are tokens (an agent's name is taken for one) and pages.

Two times are measured: in the server from the receipt of a move to when all its frames are handed to their sockets; and by the player,
from when the move was due to when its frame arrived, the way through both processes and all queues included. After the rate that is
asked for, twice that shows what is left.

It takes about a minute, says what it does meanwhile, and ends with a reason where something takes too long.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute

from benchmarks.hall import SEATS, agent_in, counted_names, in_a_folder, new_floor, store_of, store_tables, until
from benchmarks.measure import Figure, percentile
from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Connection, ResumePoint
from gameserver.floor.settings import FloorSettings
from gameserver.identity.who import AgentIdentity, Nobody
from gameserver.net.delivery import Delivery
from gameserver.net.http_protocol import ReadyHttp
from gameserver.net.protocol import UVICORN_SETTINGS, ReadyWebSocket
from gameserver.net.websocket import SocketPorts, TableSocket
from gameserver.store.engine import Database
from gameserver.table import commands
from gameserver.table.facts import Fact, HandEnded, Moved
from gameserver.wire.messages import Action, Inbound
from policy.ids import TableId

TABLES: Final = 1_000
PACES_S: Final = (2.0, 1.0)
"""A move at each table each so many seconds: what is asked for, and half."""
GOAL_MS: Final = 50
_SETTLE_S: Final = 4.0
_STORED_WITHIN_S: Final = 60.0
_ENTERED_WITHIN_S: Final = 90.0
_TOLD_WITHIN_S: Final = 20.0
_FILES: Final = TABLES * (SEATS + 1) + 500


@dataclass(frozen=True, slots=True)
class Measured:
    """At one pace. `handed_ms`: each move's time in the server, in order of length. `seen`: what the players tell."""

    pace_s: float
    handed_ms: list[float]
    hands: int
    cpu: float
    seen: dict[str, Any]


class NotMeasured(Exception):
    """Why there are no figures."""


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; twice `seconds` by the clock at each pace."""
    title = f"{TABLES:,} tables in one process, {TABLES * (SEATS + 1):,} sockets to another, with SQLite"
    try:
        _allow_files()
        measured = in_a_folder(lambda database: _measure(database, max(10.0, seconds * 2)))
    except NotMeasured as why:
        return title, [Figure("all of it", None, "", f"not measured: {why}")]
    return title, [figure for each in measured for figure in _figures(each)]


def _figures(measured: Measured) -> list[Figure]:
    handed, seen = measured.handed_ms, measured.seen
    pace = f"a move each {measured.pace_s:g} s"
    server = f"of {len(handed):,} moves, {measured.hands:,} hands stored; {measured.cpu:.0%} of a core"
    players = f"{seen['moves_per_s']:,.0f} moves and {seen['messages_per_s']:,.0f} messages/s; late themselves: "
    players += f"p99 {seen['late_p99_ms']:.1f} ms; {seen['cpu']:.0%} of a core; {seen['refused']} refused"
    goal = f" (goal {GOAL_MS})" if measured.pace_s == PACES_S[0] else ""
    return [
        _ms(f"{pace}: receipt to frames handed over, p50", percentile(handed, 0.5)),
        _ms(f"  p99{goal}", percentile(handed, 0.99), server),
        _ms("  longest", handed[-1]),
        _ms(f"{pace}: due to seen by its player, p50", seen["p50_ms"]),
        _ms("  p99", seen["p99_ms"], players),
        _ms("  longest", seen["max_ms"]),
    ]


def _ms(name: str, value: float, note: str = "") -> Figure:
    return Figure(name, value, "ms", note, higher=False)


# --- the server ---------------------------------------------------------------------------------------------------------


class Timed:
    """The floor, as the endpoint sees it. It notes when a move is received, and opens a table when all are there."""

    def __init__(self) -> None:
        self.floor: Floor | None = None
        self.handed_ms: list[float] = []
        self.hands = 0
        self._received_s: dict[TableId, float] = {}
        self._here: dict[TableId, int] = {}
        self._opening: set[asyncio.Task[None]] = set()

    def attach(self, table_id: TableId, connection: Connection, resume: ResumePoint | None) -> bool:
        assert self.floor is not None
        self._here[table_id] = here = self._here.get(table_id, 0) + 1
        taken = self.floor.attach(table_id, connection, resume)
        if here == SEATS + 1:
            self._opening.add(asyncio.create_task(self.floor.operate(table_id, commands.Resume())))
        return taken

    def say(self, table_id: TableId, connection: Connection, message: Inbound, received_ms: int) -> bool:
        assert self.floor is not None
        if isinstance(message, Action):
            self._received_s[table_id] = time.perf_counter()
        return self.floor.say(table_id, connection, message, received_ms)

    def detach(self, table_id: TableId, connection: Connection) -> None:
        assert self.floor is not None
        self.floor.detach(table_id, connection)

    def observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        """Called when the frames of these facts were handed over."""
        if any(isinstance(fact, Moved) for fact in facts) and table_id in self._received_s:
            self.handed_ms.append((time.perf_counter() - self._received_s.pop(table_id)) * 1_000)
        self.hands += sum(isinstance(fact, HandEnded) for fact in facts)


class _Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def _served(timed: Timed, door: Delivery) -> AsyncIterator[int]:
    """The endpoint on a port of this machine."""
    agents = {str(each.agent_id): each for each in _all_agents()}

    async def nobody(connection: HTTPConnection) -> Nobody:
        return Nobody()

    async def agent_named(token: str) -> AgentIdentity:
        return agents[token]

    ports = SocketPorts(timed, door, nobody, agent_named, lambda origin: True, SystemClock(), counted_names())
    app = Starlette(routes=[WebSocketRoute("/games/poker/{table_id}/ws", TableSocket(ports).endpoint)])
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_024)
    config = uvicorn.Config(
        app,
        http=ReadyHttp,
        ws=ReadyWebSocket,
        log_level="error",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        **UVICORN_SETTINGS,
    )
    server = _Quiet(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


def _all_agents() -> Iterator[AgentIdentity]:
    return (agent_in(number, seat) for number in range(TABLES) for seat in range(SEATS))


# --- measuring ----------------------------------------------------------------------------------------------------------


async def _measure(database: Database, seconds: float) -> list[Measured]:
    timed, store, new_name = Timed(), store_of(database), counted_names()
    door = Delivery(new_name=new_name, clock=SystemClock())
    timed.floor = floor = new_floor(store, door, new_name, FloorSettings(hand_gap_ms=1_000), timed.observe)
    with _within(_STORED_WITHIN_S, f"storing {TABLES:,} tables"):
        async with asyncio.timeout(_STORED_WITHIN_S):
            await store_tables(store, TABLES, paused=True)
            await floor.start()
    async with _served(timed, door) as port, _players(port) as players:
        with _within(_ENTERED_WITHIN_S, f"connecting {TABLES * (SEATS + 1):,} sockets"):
            await _answer(players, _ENTERED_WITHIN_S)
            await until(lambda: timed.hands > 0)
        measured = [await _at_pace(timed, players, pace_s, seconds) for pace_s in PACES_S]
        _told(players).write(b"end\n")
        await floor.stop(grace_ms=0)
    return measured


@contextlib.contextmanager
def _within(seconds: float, what: str) -> Iterator[None]:
    """Say what is done and how long it took. Raises NotMeasured for what takes too long."""
    began = time.monotonic()
    print(f"  {what} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    except TimeoutError:
        raise NotMeasured(f"{what} took more than {seconds:.0f} s") from None
    print(f" {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)


@contextlib.asynccontextmanager
async def _players(port: int) -> AsyncIterator[Process]:
    command = (sys.executable, "-m", "benchmarks.players", str(port), str(TABLES))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _told(players: Process) -> asyncio.StreamWriter:
    """What the players are told."""
    assert players.stdin is not None
    return players.stdin


async def _answer(players: Process, within_s: float) -> dict[str, Any]:
    """The next line that the players tell. Raises TimeoutError."""
    assert players.stdout is not None
    async with asyncio.timeout(within_s):
        line = await players.stdout.readline()
    if not line:
        raise NotMeasured("the players' process ended")
    answer: dict[str, Any] = json.loads(line)
    return answer


async def _at_pace(timed: Timed, players: Process, pace_s: float, seconds: float) -> Measured:
    with _within(
        _TOLD_WITHIN_S, f"a move each {pace_s:g} s: settling {_SETTLE_S:.0f} s, then measuring {seconds:.0f} s"
    ):
        _told(players).write(b"pace %g\n" % pace_s)
        await asyncio.sleep(_SETTLE_S)
        _told(players).write(b"measure\n")
        timed.handed_ms, timed.hands = [], 0
        cpu_s, since = time.process_time(), time.monotonic()
        await asyncio.sleep(seconds)
        cpu = (time.process_time() - cpu_s) / (time.monotonic() - since)
        handed_ms, hands = sorted(timed.handed_ms), timed.hands
        _told(players).write(b"tell\n")
        return Measured(pace_s, handed_ms, hands, cpu, await _answer(players, _TOLD_WITHIN_S))


def _allow_files() -> None:
    """Raises NotMeasured where the system does not let a process have so many sockets."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _FILES:
        raise NotMeasured(f"it needs {_FILES:,} open files, and {hard:,} are allowed (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _FILES), hard))
