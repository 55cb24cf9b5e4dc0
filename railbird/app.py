"""The composition root: the rooms of the server, wired together. It holds no rule.

async with opened(setup) as server:
    server.app        the ASGI application: sockets, routes, pages
    server.floor      the tables
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, WebSocketRoute

from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Chances, Floor
from gameserver.floor.ports import Clock
from gameserver.floor.settings import FloorSettings
from gameserver.hand.deck import secure_deck
from gameserver.http.history import HistoryPorts, history_routes
from gameserver.identity.keys import KeyRing
from gameserver.identity.origins import AllowedOrigins
from gameserver.identity.tokens import TokenRules, verify_agent_token
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from gameserver.net.delivery import Delivery
from gameserver.net.websocket import SocketPorts, TableSocket
from gameserver.store.engine import Database, open_database
from gameserver.store.hands import Hands
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from gameserver.table.commands import AgentPlayer, Player, UserPlayer
from gameserver.table.facts import Fact
from gameserver.table.options import TableOptions
from gameserver.wire.close_codes import CloseCode
from policy.ids import Seat, TableId, TurnId
from railbird import migrations
from railbird.lobby import OpenTables
from railbird.pages.routes import page_routes


@dataclass(frozen=True, slots=True)
class Setup:
    """What a server is made from. `keys`: public keys that verify tokens. `origins`: of our own pages.

    `grace_ms`: how long a hand may go on once the server stops. `observe`: is told every table's facts once they are stored.
    `clock`, `chances` and `new_name` (128 random bits in text) are all that a server takes from time and chance; what is there
    by default is the operating system's.
    """

    database_url: str
    keys: KeyRing = field(repr=False)
    origins: Sequence[str] = ()
    starting_chips: int = 10_000
    grace_ms: int = 10_000
    clock: Clock = field(default_factory=SystemClock)
    chances: Chances = field(default_factory=lambda: _chances())
    new_name: Callable[[], str] = lambda: _new_name()
    floor: FloorSettings = field(default_factory=FloorSettings)
    token_rules: TokenRules = field(default_factory=TokenRules)
    observe: Callable[[TableId, Sequence[Fact]], None] = lambda table_id, facts: None


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is open: its tables run."""

    app: Starlette
    floor: Floor
    people: People
    ledger: Ledger
    store: SqlTableStore
    socket: TableSocket
    door: Delivery
    grace_ms: int
    come_back_after_ms: int

    async def stop(self) -> None:
        """No new hand; those in play end within the grace time or are cancelled. Once is enough, and twice does no harm."""
        await self.floor.stop(grace_ms=self.grace_ms)
        self.door.close_all(CloseCode.RESTART, reconnect_after_ms=self.come_back_after_ms)


class RegisteredNames:
    """`gameserver.floor.ports.Names` from the register of agents and people."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def name_of(self, player: Player) -> str:
        """The registered name, or the id."""
        match player:
            case AgentPlayer(agent_id=agent_id):
                agent = await self._people.agent(agent_id)
                return agent_id if agent is None else agent.name
            case UserPlayer(user_id=user_id):
                return await self._people.user_name(user_id) or user_id


@asynccontextmanager
async def opened(setup: Setup) -> AsyncIterator[Server]:
    """Open the stores, start every stored table again, and serve until the end of the block; then stop with grace."""
    database = await open_database(setup.database_url, migrate=migrations.upgrade)
    try:
        server = _wire(setup, database)
        await server.floor.start()
        try:
            yield server
        finally:
            await server.stop()
    finally:
        await database.dispose()


def _wire(setup: Setup, database: Database) -> Server:
    clock = setup.clock
    books = Bookkeeping(clock.wall_ms, setup.starting_chips)
    store, people, ledger = SqlTableStore(database, books), People(database, books), Ledger(database, books)
    door = Delivery(new_name=setup.new_name, clock=clock)
    floor = Floor(
        store=store,
        door=door,
        names=RegisteredNames(people),
        clock=clock,
        chances=setup.chances,
        settings=setup.floor,
        observe=setup.observe,
    )
    socket = TableSocket(_socket_ports(setup, floor, door, clock))
    history = HistoryPorts(
        tables=store, hands=Hands(database), identify=_identify, admit=floor.admit, now_ms=clock.wall_ms
    )
    return Server(
        app=Starlette(routes=_routes(floor, socket, history)),
        floor=floor,
        people=people,
        ledger=ledger,
        store=store,
        socket=socket,
        door=door,
        grace_ms=setup.grace_ms,
        come_back_after_ms=setup.floor.come_back_after_ms,
    )


def _routes(floor: Floor, socket: TableSocket, history: HistoryPorts) -> list[BaseRoute]:
    return [
        WebSocketRoute("/games/poker/{table_id}/ws", socket.endpoint),
        *history_routes(history),
        *page_routes(OpenTables(floor, _identify)),
    ]


def _socket_ports(setup: Setup, floor: Floor, door: Delivery, clock: Clock) -> SocketPorts:
    origins = AllowedOrigins(setup.origins)

    async def authenticate_agent(token: str) -> AgentIdentity:
        return verify_agent_token(token, keys=setup.keys, rules=setup.token_rules, now_s=clock.wall_ms() / 1_000)

    return SocketPorts(
        floor=floor,
        sessions=door,
        identify=_identify,
        authenticate_agent=authenticate_agent,
        is_origin_allowed=lambda origin: origins.allows([origin]),
        clock=clock,
        new_name=setup.new_name,
    )


async def _identify(connection: HTTPConnection) -> UserIdentity | Nobody:
    """Nobody is signed in here yet."""
    return Nobody()


def _chances() -> Chances:
    return Chances(
        new_deck=secure_deck,
        new_turn_id=lambda: TurnId(secrets.token_urlsafe(12)),
        new_table_id=lambda: TableId(f"t-{secrets.token_hex(4)}"),
        first_button=_lot,
    )


def _lot(options: TableOptions) -> Seat:
    return Seat(secrets.randbelow(options.max_seats))


def _new_name() -> str:
    return secrets.token_urlsafe(16)
