"""Our server under measurement: the endpoints, the door and uvicorn with our protocols, and one table whose state is drawn anew for
each update. `python -m benchmarks.fanout.ours PORT N SECONDS LOOP`
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import WebSocketRoute

from benchmarks.fanout.ticking import tick
from benchmarks.views import a_call
from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.clock import SystemClock
from gameserver.floor.ports import Connection, LastEvent, Resume, Watching
from gameserver.identity.who import AgentIdentity, Identity, Nobody
from gameserver.net.delivery import Delivery
from gameserver.net.event_stream import EventPorts, TableEvents
from gameserver.net.http_protocol import ReadyHttp
from gameserver.net.protocol import UVICORN_SETTINGS, ReadyWebSocket
from gameserver.net.websocket import SocketPorts, TableSocket
from gameserver.table.state import TableState
from gameserver.views import sight
from gameserver.views.audience import PublicAudience
from gameserver.views.now import Now
from gameserver.views.snapshot import snapshot
from gameserver.views.table_view import table_view
from gameserver.wire.encode import encode
from gameserver.wire.messages import GameState, Inbound, Snapshot
from policy.ids import TableId

TABLE: Final = TableId("table-1")
WS_PATH: Final = f"/games/poker/{TABLE}/ws"
SSE_PATH: Final = f"/games/poker/{TABLE}/stream"


class OneTable:
    """The floor of one table that nobody plays at; what it shows is marked anew with each update."""

    def __init__(self, door: Delivery, clock: SystemClock) -> None:
        self._door, self._clock = door, clock
        self._state = a_call()[1]
        self.watchers = 0
        door.open_table(TABLE, lambda: self._state)

    def update(self, mark: str) -> None:
        """The first seat's name is the mark."""
        self._state = _marked(self._state, mark)
        self._door.send_to_public(TABLE, [self._frame()])

    def frame_bytes(self) -> int:
        """The size of an update."""
        self._state = _marked(self._state, "~T" + "0" * 15)
        return len(encode(self._frame()))

    def attach(self, table_id: TableId, connection: Connection, resume: Resume | None) -> bool:
        self.watchers += 1
        self._door.subscribe(TABLE, PublicAudience(), connection, self._snapshot, resume)
        return True

    def say(self, table_id: TableId, connection: Connection, message: Inbound, received_ms: int) -> bool:
        return True

    def detach(self, table_id: TableId, connection: Connection) -> None:
        self._door.unsubscribe(table_id, connection)

    def admit_watcher(self, table_id: TableId, identity: Identity, watching: Watching) -> None:
        pass

    def watch(
        self, table_id: TableId, connection: Connection, watching: Watching, last_event: LastEvent | None
    ) -> bool:
        return self.attach(table_id, connection, last_event)

    def _frame(self) -> GameState:
        spectator = sight.view_of_spectator(sight.sight_of_table(self._state))
        return table_view(TABLE, self._state, self._now()).for_audience(spectator)

    def _snapshot(self) -> Snapshot:
        return snapshot(PublicAudience(), TABLE, self._state, self._now())

    def _now(self) -> Now:
        return Now(self._clock.monotonic_ms(), self._clock.wall_ms())


def _marked(state: TableState, mark: str) -> TableState:
    first, *others = state.seats
    return replace(state, seats=(replace(first, name=mark), *others))


async def nobody(connection: HTTPConnection) -> Nobody:
    return Nobody()


async def no_agent(token: str) -> AgentIdentity:
    raise Refusal(ErrorCode.BAD_TOKEN, "here are watchers only")


def application(table: OneTable, door: Delivery, clock: SystemClock) -> Starlette:
    """The two endpoints."""

    def new_name() -> str:
        return secrets.token_urlsafe(16)

    sockets = TableSocket(SocketPorts(table, door, nobody, no_agent, lambda origin: True, clock, new_name))
    halves = itertools.repeat(0.5)
    events = TableEvents(
        EventPorts(
            floor=table,
            identify=nobody,
            refused=lambda refusal: Response(status_code=403),
            busy=lambda status, seconds: Response(status_code=status),
            is_origin_allowed=lambda origin: True,
            clock=clock,
            new_name=new_name,
            chance=lambda: next(halves),
        )
    )
    return Starlette(routes=[WebSocketRoute("/games/poker/{table_id}/ws", sockets.endpoint), *events.routes()])


def new_table() -> tuple[OneTable, Starlette]:
    """A table and the application that shows it."""
    clock = SystemClock()
    door = Delivery(new_name=lambda: secrets.token_urlsafe(16), clock=clock)
    table = OneTable(door, clock)
    return table, application(table, door, clock)


async def measure(port: int, count: int, seconds: float) -> None:
    """Serve until the measurement is made."""
    table, app = new_table()
    table.update("~T0")
    settings = {"ws": ReadyWebSocket, "http": ReadyHttp, **UVICORN_SETTINGS}
    await serve_while(app, port, lambda: table.watchers >= count, table.update, seconds, **settings)


async def serve_while(
    app: Starlette,
    port: int,
    ready: Callable[[], bool],
    update: Callable[[str], None],
    seconds: float,
    **settings: Any,
) -> None:
    """An application on a uvicorn of this process, for as long as the measurement lasts."""
    listener = socket.create_server(("127.0.0.1", port), backlog=4_096)
    server = _Quiet(
        uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", timeout_graceful_shutdown=1, **settings
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await tick(ready, update, seconds)
    server.should_exit = True
    await serving


class _Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run_on(loop: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """A coroutine function's work on one of the two loops."""
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop if loop == "uvloop" else None) as runner:
        runner.run(work())


if __name__ == "__main__":
    _, port, count, seconds, loop = sys.argv
    run_on(loop, lambda: measure(int(port), int(count), float(seconds)))
