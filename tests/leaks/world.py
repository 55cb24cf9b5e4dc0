"""One world: a whole server in this process, its stores and routes real, its time, names and decks given; and everybody's bytes.

What leaves it for somebody is filed under who got it and by which way out. It compares nothing.
"""

from __future__ import annotations

import asyncio
import enum
import functools
import itertools
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from unittest import mock

from sqlalchemy import event

from gameserver.floor.floor import Chances
from gameserver.floor.settings import FloorSettings
from gameserver.hand.deck import Deck
from gameserver.http import schemas
from gameserver.identity.service_key import ServiceKey
from gameserver.table.facts import Fact
from gameserver.table.options import AnteKind, Clocks, TableOptions
from gameserver.table.state import OpenTurn, TableState
from gameserver.wire import schema as wire_schemas
from policy.ids import AgentId, Seat, TableId, TurnId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind
from railbird import migrations
from railbird.app import Server, Setup, opened
from tests.leaks import captured, cast
from tests.leaks.callers import EventStream, Headers, Socket
from tests.leaks.cast import CAST, Kind, Who
from tests.leaks.deals import Order, OrderedDeck, Record
from tests.leaks.virtual_loop import BEGINS_AT_MS, AtOnce, VirtualClock, VirtualLoop

TABLE: Final = TableId("t-1")
SERVICE_KEY: Final = "the key of the programs of whoever runs it"
OPERATOR: Final = "olive"
"""A person who runs the server, and is nobody at any table."""
HAND_GAP_MS: Final = 250


class Way(enum.StrEnum):
    """The columns of the matrix."""

    WS_FIRST = "WS first snapshot"
    WS_LIVE = "WS live"
    WS_RESUME = "WS resume"
    SSE_LIVE = "SSE live"
    SSE_RESUME = "SSE resume"
    REST = "REST"
    HISTORY = "history"
    PHH = "PHH"
    OHH = "OHH"
    ERRORS = "error texts"
    LOGS = "logs"
    PAGES = "pages"
    EXPORTS = "exports"


@dataclass(frozen=True, slots=True)
class Setting:
    """A table, and who sits at it. `delay_ms`: for who has no seat."""

    name: str
    kind: TableKind = TableKind.AGENT
    show_hands: bool = False
    show_thoughts: bool = False
    delay_ms: int = 0
    private: bool = False
    agents: tuple[str, ...] = cast.AGENTS
    people: tuple[str, ...] = ()
    small_blind: int = 10
    big_blind: int = 20
    ante: int = 0
    ante_kind: AnteKind = AnteKind.EACH
    buy_ins: tuple[int, ...] = ()
    """Of the players in their order; 1,000 for whoever has none here."""

    def options(self) -> TableOptions:
        return TableOptions(
            name="The table",
            kind=self.kind,
            max_seats=10,
            small_blind_chips=self.small_blind,
            big_blind_chips=self.big_blind,
            min_buy_in_chips=1,
            max_buy_in_chips=100_000_000,
            created_by=UserId("owner-ada"),
            ante_chips=self.ante,
            ante_kind=self.ante_kind,
            straddle=True,
            clocks=Clocks(turn_ms=4_000, time_bank_ms=1_000, disconnect_bank_ms=3_000, rathole_ms=0),
            reveal=RevealOptions(show_hands=self.show_hands, show_thoughts=self.show_thoughts),
            spectator_delay_ms=self.delay_ms,
            powers=MappingProxyType({"dealer_peek": 1}),
            agent_chat=True,
            private=self.private,
        )

    def buy_in_of(self, who: str) -> int:
        return dict(zip(self.players, self.buy_ins, strict=False)).get(who, 1_000)

    @property
    def players(self) -> tuple[str, ...]:
        return (*self.agents, *self.people)


@dataclass(frozen=True, slots=True)
class Chance:
    """All that a world takes from chance. `orders`: of the n-th deck; `button`: the first."""

    orders: Callable[[int], Order]
    button: Seat


class World:
    """`template`: a database with the cast in it. `folder`: where this world's own is. `otherwise`: the agent of which other turns are
    captured.
    """

    def __init__(self, setting: Setting, chance: Chance, folder: Path, template: Path, *, otherwise: str = "") -> None:
        self.setting, self.chance, self.otherwise = setting, chance, otherwise
        self.loop = VirtualLoop()
        self.record = Record(show_hands=setting.show_hands)
        self.files: dict[tuple[str, Way], list[bytes]] = defaultdict(list)
        self.sockets: dict[str, Socket] = {}
        self.streams: dict[str, EventStream] = {}
        self.seats: dict[str, Seat] = {}
        self.owners = {who.agent: who.name for who in CAST.values() if who.agent}
        self.facts: list[Fact] = []
        self._names, self._turns = itertools.count(1), itertools.count(1)
        self._tables, self._decks = itertools.count(1), itertools.count(1)
        self._database = folder / "world.db"
        if not self._database.exists():
            shutil.copy(template, self._database)
        asyncio.set_event_loop(self.loop)
        self._open_server()
        assert self.loop.run(self.server.floor.create(setting.options())) == TABLE

    # --- the process ----------------------------------------------------------------------------------------------------

    def _open_server(self) -> None:
        # With its own database threads: it is only once it is open that the order of their work matters.
        self._opened: AbstractAsyncContextManager[Server] = opened(self._setup())
        with _made_once():
            self.server: Server = self.loop.run_until_complete(self._opened.__aenter__())
        database: Any = self.server.store._database
        database._backend._writer.shutdown()
        database._backend._readers.shutdown()
        database._backend._writer = database._backend._readers = AtOnce()
        database.engine.dispose()
        event.listen(database.engine, "connect", _without_waiting_for_the_disk)
        self.loop.settle()

    def _setup(self) -> Setup:
        clock = VirtualClock(self.loop)
        return Setup(
            database_url=f"sqlite:///{self._database}",
            keys=cast.RING,
            starting_chips=1_000_000_000,
            grace_ms=0,
            clock=clock,
            chances=Chances(
                new_deck=self._deck,
                new_turn_id=lambda: TurnId(f"T{next(self._turns):015d}"),
                new_table_id=lambda: TableId(f"t-{next(self._tables)}"),
                first_button=lambda options: self.chance.button,
            ),
            new_name=lambda: f"N{next(self._names):021d}",
            floor=FloorSettings(hand_gap_ms=HAND_GAP_MS, fault_pause_ms=1, operators=frozenset({UserId(OPERATOR)})),
            observe=self._observe,
            service_key=ServiceKey(SERVICE_KEY),
        )

    def _deck(self) -> Deck:
        return OrderedDeck(self.chance.orders(next(self._decks)))

    def _observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        self.facts += facts
        self.record.learn(facts)

    def keep_turns(self, words: str = "") -> None:
        """Of each hand until now, a turn of each agent in it is captured and kept: with its own cards, as its prompt has them.

        Its time is the hand's, whenever somebody asks. `words`: that are in each besides.
        """
        for number, dealt in enumerate(self.record.hands, start=1):
            order, at_ms = self.chance.orders(number), BEGINS_AT_MS + number
            turns = captured.turns_of(TABLE, number, dealt, order, at_ms, words=words, otherwise=self.otherwise)
            for hand, turn in turns:
                self.loop.run(self.server.record.stores.durable.keep(hand, [turn], now_us=at_ms * 1_000))

    def operate(self, path: str, method: str = "GET", body: bytes = b"") -> EventStream:
        """One request with the service key, and its whole answer."""
        headers = [*self.service_headers, (b"content-type", b"application/json")]
        return EventStream(self.server.app, self.loop, path, headers, method, body).open()

    @property
    def service_headers(self) -> Headers:
        return [(b"x-service-key", SERVICE_KEY.encode())]

    def crash(self) -> None:
        """Everything of the process is gone at once, and another process opens its stores."""
        for socket in self.sockets.values():
            socket.kill()
        for stream in self.streams.values():
            stream.kill()
        self.sockets.clear()
        self.streams.clear()
        floor: Any = self.server.floor
        for running in tuple(floor._running.values()):
            running.cancel()
        self.loop.settle()
        self._open_server()

    def close(self) -> None:
        """End everything, and whatever still waits."""
        self.loop.run_until_complete(self._opened.__aexit__(None, None, None))
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.settle()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        asyncio.set_event_loop(None)

    # --- what everybody can see -----------------------------------------------------------------------------------------

    def state(self) -> TableState:
        return self.server.floor.state(TABLE)

    def open_turn(self) -> tuple[str, OpenTurn] | None:
        """Who is asked, and what."""
        hand = self.state().hand
        if hand is None or hand.turn is None:
            return None
        seat = hand.turn.turn.seat
        who = next((name for name, at in self.seats.items() if at == seat), None)
        return None if who is None else (who, hand.turn)

    # --- ways in --------------------------------------------------------------------------------------------------------

    def now_ms(self) -> int:
        return VirtualClock(self.loop).wall_ms()

    def owner_of(self, who: Who) -> str:
        """Of an agent, now."""
        return self.owners.get(who.name, who.owner)

    def headers(self, name: str) -> Headers:
        """How somebody proves who they are to a route."""
        who = CAST[name]
        match who.kind:
            case Kind.USER:
                token = cast.user_token(name, self.now_ms())
            case Kind.AGENT:
                token = cast.agent_token(who, self.owner_of(who), self.now_ms())
            case Kind.BROKEN:
                token = "broken"
            case Kind.NONE:
                return []
        return [(b"authorization", f"Bearer {token}".encode())]

    def enter_message(self, name: str) -> dict[str, Any]:
        who = CAST[name]
        if who.kind is not Kind.AGENT:
            return {}
        return {"agentToken": cast.agent_token(who, self.owner_of(who), self.now_ms())}

    def new_socket(self, name: str, table: str = TABLE) -> Socket:
        headers = [] if CAST[name].kind is Kind.AGENT else self.headers(name)
        return Socket(self.server.app, self.loop, f"/games/poker/{table}/ws", headers).open()

    def new_stream(self, name: str, path: str, headers: Headers | None = None) -> EventStream:
        return EventStream(self.server.app, self.loop, path, self.headers(name) + (headers or [])).open()

    def ask(self, name: str, path: str, method: str = "GET", body: bytes = b"", accept: bytes = b"*/*") -> EventStream:
        """One request, and its whole answer."""
        headers = [*self.headers(name), (b"accept", accept)]
        headers += [(b"content-type", b"application/json")] if body else []
        return EventStream(self.server.app, self.loop, path, headers, method, body).open()

    # --- ways out -------------------------------------------------------------------------------------------------------

    def file(self, name: str, way: Way, *payloads: bytes) -> None:
        self.files[name, way] += payloads

    def file_socket(self, name: str, way: Way) -> None:
        """What is new at somebody's socket; errors under their own name."""
        socket = self.sockets.get(name)
        if socket is None:
            return
        for text in socket.texts[socket.seen :]:
            self.file(name, Way.ERRORS if text.startswith(b'{"type":"error"') else way, text)
        socket.seen = len(socket.texts)
        if socket.ends:
            self.file(name, Way.ERRORS, *socket.ends)
            del self.sockets[name]

    def file_stream(self, name: str, way: Way) -> None:
        stream = self.streams.get(name)
        if stream is not None:
            self.file(name, way, *stream.chunks[stream.seen :])
            stream.seen = len(stream.chunks)

    def file_live(self) -> None:
        """What came to everybody by itself."""
        for name in tuple(self.sockets):
            self.file_socket(name, Way.WS_LIVE)
        for name in tuple(self.streams):
            self.file_stream(name, Way.SSE_LIVE)


_schemas = functools.cache(wire_schemas.schemas)


@contextmanager
def _made_once() -> Iterator[None]:
    """What costs half a second at the opening of a server and is the same in each: schemas, and the newest tables."""

    async def is_there(url: object) -> None:
        pass

    with mock.patch.object(schemas, "schemas", _schemas), mock.patch.object(migrations, "upgrade", is_there):
        yield


def _without_waiting_for_the_disk(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous = OFF")


def new_template(path: Path) -> Path:
    """A database with the cast in it: everybody's agents and their versions."""

    async def fill() -> None:
        setup = Setup(f"sqlite:///{path}", cast.RING, grace_ms=0, starting_chips=1_000_000_000, clock=_DayBefore())
        async with opened(setup) as server:
            for who in CAST.values():
                if who.kind is Kind.AGENT:
                    await server.people.create_agent(AgentId(who.name), who.name.title(), UserId(who.owner))
                    await server.people.publish_version(AgentId(who.name), cast.version_of(who.name), b"{}")
                elif who.kind is Kind.USER:
                    await server.people.name_user(UserId(who.name), who.name.title())

    asyncio.run(fill())
    return path


class _DayBefore:
    """The cast was there before any world began."""

    def monotonic_ms(self) -> int:
        return 0

    def wall_ms(self) -> int:
        return BEGINS_AT_MS - 86_400_000
