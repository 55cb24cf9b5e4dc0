"""A real uvicorn on loopback with one endpoint, and a small floor of one table: every message is acked, and it can broadcast."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.clock import SystemClock
from gameserver.floor.ports import Connection, LastEvent, Resume, Watching
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from gameserver.net.address_places import AddressPlaces
from gameserver.net.delivery import Delivery
from gameserver.net.event_stream import EventLimits, EventPorts, TableEvents
from gameserver.net.http_protocol import ReadyHttp
from gameserver.net.outlet import OutletLimits
from gameserver.net.protocol import UVICORN_SETTINGS, ReadyWebSocket
from gameserver.net.streams import StreamLimits
from gameserver.net.visit import VisitLimits
from gameserver.net.websocket import SocketLimits, SocketPorts, TableSocket
from gameserver.table.commands import PlayerId
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.now import Now
from gameserver.views.snapshot import snapshot
from gameserver.wire.messages import Ack, Chat, Inbound, NumberedFrame
from policy.ids import AgentId, AgentVersionId, Seat, TableId, UserId
from tests.views import scene

TABLE: Final = scene.TABLE
FAR_MS: Final = 4_000_000_000_000
OUTLET: Final = OutletLimits(max_queued_bytes=100_000, patience_s=0.6, linger_s=0.3)
EVENTS: Final = EventLimits(outlet=OUTLET)
_STATUSES: Final = {ErrorCode.BAD_TOKEN: 401, ErrorCode.NOT_ALLOWED: 403, ErrorCode.NOT_FOUND: 404}
VISIT: Final = VisitLimits(enter_within_ms=400)


class OurWebSocket(ReadyWebSocket):
    limits = OUTLET


class OurHttp(ReadyHttp):
    limits = OUTLET


OURS: Final[dict[str, Any]] = {"ws": OurWebSocket, "http": OurHttp}
FOREIGN: Final[dict[str, Any]] = {"ws": "websockets-sansio", "http": "h11"}


def agent(name: str, *, version: str = "v1", owner: str | None = None, expires_at_ms: int = FAR_MS) -> AgentIdentity:
    held_by = UserId(owner or f"owner-of-{name}")
    return AgentIdentity(AgentId(name), held_by, AgentVersionId(version), False, None, expires_at_ms, None)


def user(name: str, *, expires_at_ms: int = FAR_MS) -> UserIdentity:
    return UserIdentity(UserId(name), expires_at_ms, None)


async def authenticate_agent(token: str) -> AgentIdentity:
    """Tokens of these tests: `agent:NAME:VERSION[:EXPIRY]`."""
    kind, *parts = token.split(":")
    if kind != "agent" or len(parts) < 2:
        raise Refusal(ErrorCode.BAD_TOKEN, "the token is not valid")
    return agent(parts[0], version=parts[1], expires_at_ms=int(parts[2]) if len(parts) > 2 else FAR_MS)


async def identify(websocket: HTTPConnection) -> UserIdentity | Nobody:
    """`?token=NAME` is that user; `bad` is refused."""
    name = websocket.query_params.get("token")
    if name == "bad":
        raise Refusal(ErrorCode.BAD_TOKEN, "the token is not valid")
    if name is None:
        return Nobody()
    expires = websocket.query_params.get("expires")
    return user(name, expires_at_ms=int(expires) if expires else FAR_MS)


@dataclass
class TinyFloor:
    """One table, hand-built. `ace` has seat 0; `ann` owns it."""

    door: Delivery | None = None
    said: list[tuple[Connection, Inbound]] = field(default_factory=list)
    attached: list[Connection] = field(default_factory=list)
    detached: list[Connection] = field(default_factory=list)
    full: bool = False
    silent: bool = False
    state: Any = field(default_factory=lambda: scene.table(scene.live_hand(turn=scene.open_turn())))
    snapshots: int = 0
    owners: set[str] = field(default_factory=lambda: {"ann", "ben", "cid"})

    def admit_watcher(self, table_id: TableId, identity: Identity, watching: Watching) -> None:
        owns = isinstance(identity, UserIdentity) and identity.user_id in self.owners
        if watching is Watching.OWNER and not (table_id == TABLE and owns):
            raise Refusal(ErrorCode.NOT_ALLOWED, "an owner stream is for who has an agent at the table")
        if table_id != TABLE:
            raise Refusal(ErrorCode.NOT_FOUND, "there is no such table")

    def watch(
        self, table_id: TableId, connection: Connection, watching: Watching, last_event: LastEvent | None
    ) -> bool:
        self.admit_watcher(table_id, connection.identity, watching)
        if self.full:
            return False
        self.attached.append(connection)
        match connection.identity:
            case UserIdentity(user_id=user_id) if watching is Watching.OWNER:
                self.subscribe(OwnerAudience(user_id), connection, last_event)
            case _:
                self.subscribe(PublicAudience(), connection, last_event)
        return True

    def attach(self, table_id: TableId, connection: Connection, resume: Resume | None) -> bool:
        if table_id != TABLE:
            raise Refusal(ErrorCode.NOT_FOUND, "there is no such table")
        if self.full:
            return False
        self.attached.append(connection)
        self.subscribe(audience_of(connection), connection, resume)
        return True

    def subscribe(self, audience: Audience, connection: Connection, resume: Resume | None = None) -> None:
        def fresh() -> Any:
            self.snapshots += 1
            return snapshot(audience, TABLE, self.state, Now(SystemClock().monotonic_ms(), SystemClock().wall_ms()))

        assert self.door is not None
        self.door.subscribe(TABLE, audience, connection, fresh, resume)

    def say(self, table_id: TableId, connection: Connection, message: Inbound, received_ms: int) -> bool:
        if self.full:
            return False
        self.said.append((connection, message))
        if not self.silent:
            connection.reply(Ack(request_id=message.request_id))
        return True

    def detach(self, table_id: TableId, connection: Connection) -> None:
        self.detached.append(connection)
        assert self.door is not None
        self.door.unsubscribe(table_id, connection)


def audience_of(connection: Connection) -> Audience:
    match connection.identity:
        case AgentIdentity(agent_id="ace"):
            return SeatAudience(Seat(0), PlayerId("agent:ace"))
        case AgentIdentity():
            return AgentsAudience()
        case UserIdentity(user_id="ann"):
            return OwnerAudience(UserId("ann"))
        case _:
            return PublicAudience()


def chat(text: str) -> Chat:
    return Chat(seq=0, table_id=TABLE, sender="x", text=text)


@dataclass
class Server:
    url: str
    floor: TinyFloor
    door: Delivery
    endpoint: TableSocket
    events: TableEvents
    places: AddressPlaces

    def broadcast(self, *frames: NumberedFrame) -> None:
        self.door.send_to_public(TABLE, frames)

    async def client(self, query: str = "", **options: Any) -> ClientConnection:
        """Connected, with `hello` read."""
        client = await self.open(query, **options)
        assert (await read(client))["type"] == "hello"
        return client

    async def open(self, query: str = "", table: str = TABLE, **options: Any) -> ClientConnection:
        url = f"ws://{self.url}/host/games/poker/{table}/ws{query}"
        return await connect(url, proxy=None, **{"compression": None, **options})

    async def entered(self, query: str = "", token: str | None = None, **options: Any) -> ClientConnection:
        """Entered, with the snapshot read."""
        client = await self.client(query, **options)
        await say(client, "enter", **({} if token is None else {"agentToken": token}))
        assert (await read(client))["type"] == "snapshot"
        return client


async def say(client: ClientConnection, kind: str, **fields: object) -> None:
    await client.send(json.dumps({"type": kind, **fields}))


async def read(client: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await asyncio.wait_for(client.recv(), 3))
    return message


async def read_until(client: ClientConnection, kind: str) -> list[dict[str, Any]]:
    """Messages up to and with the first of this type."""
    found = [await read(client)]
    while found[-1]["type"] != kind:
        found.append(await read(client))
    return found


async def closed(client: ClientConnection) -> tuple[int | None, str | None]:
    await asyncio.wait_for(client.wait_closed(), 3)
    return client.close_code, client.close_reason


async def until(condition: Callable[[], bool], timeout_s: float = 5.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.005)


_names: Final = itertools.count(1)


def new_delivery(**limits: int) -> Delivery:
    """No two of them have a name in common, as no two processes have."""
    return Delivery(new_name=lambda: f"name-{next(_names)}", clock=SystemClock(), limits=StreamLimits(**limits))


Identify: TypeAlias = Callable[[HTTPConnection], Awaitable[UserIdentity | Nobody]]


def _event_ports(floor: TinyFloor, ports: SocketPorts, identify: Identify) -> EventPorts:
    chances = itertools.cycle((0.0, 0.25, 0.5, 0.75))
    return EventPorts(
        floor=floor,
        identify=identify,
        refused=lambda refusal: PlainTextResponse(refusal.code, _STATUSES[refusal.code]),
        busy=lambda status, seconds: Response(status_code=status, headers={"Retry-After": str(seconds)}),
        is_origin_allowed=ports.is_origin_allowed,
        clock=ports.clock,
        new_name=ports.new_name,
        chance=lambda: next(chances),
    )


@asynccontextmanager
async def serving(
    protocols: dict[str, Any] = OURS,
    *,
    visit: VisitLimits = VISIT,
    stream: dict[str, int] | None = None,
    max_connections: int = 1000,
    per_address: int = 500,
    events: EventLimits = EVENTS,
    identify: Identify = identify,
    **config: Any,
) -> AsyncIterator[Server]:
    door = new_delivery(**(stream or {}))
    floor = TinyFloor(door)
    door.open_table(TABLE, lambda: floor.state)
    names = map(str, itertools.count(1))
    ports = SocketPorts(
        floor=floor,
        sessions=door,
        identify=identify,
        authenticate_agent=authenticate_agent,
        is_origin_allowed=lambda origin: origin == "https://ours.example",
        clock=SystemClock(),
        new_name=lambda: f"connection-{next(names)}",
    )
    places = AddressPlaces(most_each=per_address)
    limits = SocketLimits(visit=visit, outlet=OUTLET, max_connections=max_connections)
    endpoint = TableSocket(ports, limits, places=places)
    streams = TableEvents(_event_ports(floor, ports, identify), events, places=places)
    routes = [WebSocketRoute("/games/poker/{table_id}/ws", endpoint.endpoint), *streams.routes()]
    app = Starlette(routes=[Mount("/host", Starlette(routes=routes))])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = {**UVICORN_SETTINGS, **protocols, **config}
        server = uvicorn.Server(
            uvicorn.Config(app, log_config=None, log_level="error", timeout_graceful_shutdown=1, **settings)
        )
        task = asyncio.create_task(server.serve(sockets=[listener]))
        await until(lambda: server.started)
        try:
            yield Server(f"127.0.0.1:{listener.getsockname()[1]}", floor, door, endpoint, streams, places)
        finally:
            server.should_exit = True
            await task
