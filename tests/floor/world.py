"""A floor with everything real below and above it: SQLite, the rooms, the views, the door. Connections keep what they are sent.

`journal` has what the store committed and what the door was given, in order. Any part can be told to break.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec
from sqlalchemy import URL

from gameserver.floor.clock import SystemClock
from gameserver.floor.floor import Chances, Floor
from gameserver.floor.ports import Clock, ConnectionId, ResumePoint
from gameserver.floor.settings import FloorSettings
from gameserver.floor.table_task import TableTask
from gameserver.hand.deck import Deck, secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.identity.who import AgentIdentity, Identity, UserIdentity
from gameserver.net.connection import OpenConnection
from gameserver.net.delivery import Delivery
from gameserver.net.tripwire import cards_of_frame
from gameserver.store.accounts import Bankroll, SeatAccount
from gameserver.store.engine import Database, database_url
from gameserver.store.hands import Hands
from gameserver.store.ledger import Ledger
from gameserver.store.people import People
from gameserver.store.posting import Bookkeeping
from gameserver.store.tables import SqlTableStore
from gameserver.table.commands import Player, player_id
from gameserver.table.facts import Fact
from gameserver.table.options import Clocks, TableOptions
from gameserver.table.state import TableState
from gameserver.views.audience import Audience
from gameserver.wire.messages import Action, ClientMessage, NumberedFrame, Sit
from policy.ids import AgentId, AgentVersionId, Seat, TableId, TurnId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind
from tests.net.recording import RecordingOutlet, recorded

FAR_MS: Final = 4_000_000_000_000
STARTING_CHIPS: Final = 10_000
BUY_IN: Final = 1_000
OPEN: Final = RevealOptions(show_hands=True, show_thoughts=True)
HAPPENS_WITHIN_S: Final = 30.0
NOT_SOON_MS: Final = 3_600_000


class Broken(Exception):
    """What a part raises that a test breaks."""


def agent(name: str, *, owner: str | None = None, version: str = "v1", model: str | None = None) -> AgentIdentity:
    """An agent's identity; with `model`, one that the hosting service attests."""
    held_by = UserId(owner if owner is not None else f"owner-of-{name}")
    return AgentIdentity(AgentId(name), held_by, AgentVersionId(version), model is not None, model, FAR_MS, None)


def user(name: str) -> UserIdentity:
    return UserIdentity(UserId(name), FAR_MS, None)


def options(**changed: Any) -> TableOptions:
    """An agent table of blinds 10 and 20, whose clocks do not run out within a test."""
    plain = TableOptions(
        name="The table",
        kind=TableKind.AGENT,
        max_seats=6,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=200,
        max_buy_in_chips=2_000,
        created_by=UserId("creator"),
        clocks=Clocks(turn_ms=NOT_SOON_MS),
    )
    return replace(plain, **changed)


def once(error: Exception) -> Callable[..., None]:
    """Raises this the first time, and lets everything through afterwards."""
    left = [error]

    def call(*given: object) -> None:
        if left:
            raise left.pop()

    return call


def each_time(error: Exception) -> Callable[..., NoReturn]:
    """Raises this each time."""

    def call(*given: object, **named: object) -> NoReturn:
        raise error

    return call


@dataclass
class Journal:
    """What happened in which order: `("store", method, table)` and `("door", audience, kinds, table)`. `breaks`: by name."""

    entries: list[tuple[Any, ...]] = field(default_factory=list)
    breaks: dict[str, Callable[..., None]] = field(default_factory=dict)
    cards_seen: set[str] = field(default_factory=set)

    def pass_through(self, name: str) -> None:
        """Raises where a test wants this to break."""
        if name in self.breaks:
            self.breaks[name]()

    def count(self, *beginning: Any) -> int:
        """How many entries have this beginning."""
        return sum(entry[: len(beginning)] == beginning for entry in self.entries)

    def index(self, *beginning: Any) -> int:
        """Where the first entry with this beginning is."""
        return next(i for i, entry in enumerate(self.entries) if entry[: len(beginning)] == beginning)


class JournalStore(SqlTableStore):
    """The real store, with each commit in the journal."""

    def __init__(self, database: Database, books: Bookkeeping, journal: Journal) -> None:
        super().__init__(database, books)
        self.journal = journal

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or not asyncio.iscoroutinefunction(found):
            return found
        journal: Journal = super().__getattribute__("journal")

        async def noted(*given: Any) -> Any:
            journal.pass_through(name)
            answer = await found(*given)
            journal.entries.append(("store", name, *given[:2]))
            return answer

        return noted


class JournalDoor(Delivery):
    """The real door, with each sending in the journal."""

    journal: Journal

    def send_to_public(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        self._note("public", table_id, frames)
        super().send_to_public(table_id, frames)

    def send_to_unseated_agents(self, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        self._note("agents", table_id, frames)
        super().send_to_unseated_agents(table_id, frames)

    def send_to_seat(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None:
        self._note(audience, table_id, frames)
        super().send_to_seat(table_id, audience, frames)

    def send_to_user(self, user_id: UserId, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        self._note(user_id, table_id, frames)
        super().send_to_user(user_id, table_id, frames)

    def _note(self, audience: object, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        self.journal.pass_through("send")
        for frame in frames:
            self.journal.entries.append(("door", audience, type(frame).__name__, table_id, frame))
            self.journal.cards_seen.update(card for _, cards in cards_of_frame(frame) for card in cards)


class NamesById:
    """Everybody is called by their id."""

    async def name_of(self, player: Player) -> str:
        return player_id(player).partition(":")[2]


@dataclass
class ShiftedClock:
    """The system's clock, and what a test adds to it."""

    monotonic_shift_ms: int = 0
    wall_shift_ms: int = 0
    _system: SystemClock = field(default_factory=SystemClock)

    def monotonic_ms(self) -> int:
        return self._system.monotonic_ms() + self.monotonic_shift_ms

    def wall_ms(self) -> int:
        return self._system.wall_ms() + self.wall_shift_ms


@dataclass
class Client:
    """One connection at one table."""

    world: World
    table_id: TableId
    connection: OpenConnection
    outlet: RecordingOutlet

    async def ask(self, message: ClientMessage) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        request_id = self.send(message)
        await until(lambda: self._answer(request_id) is not None)
        answer = self._answer(request_id)
        assert answer is not None
        return answer

    def send(self, message: ClientMessage) -> str:
        request_id = self.world.new_name()
        whole: Any = msgspec.structs.replace(message, request_id=request_id)
        assert self.world.floor.say(self.table_id, self.connection, whole, self.world.clock.monotonic_ms())
        return request_id

    async def sit(self, seat: int, buy_in: int = BUY_IN) -> None:
        answer = await self.ask(Sit(seat=seat, buy_in=buy_in))
        assert answer["type"] == "ack", answer

    async def refused(self, message: ClientMessage) -> str:
        answer = await self.ask(message)
        assert answer["type"] == "error", answer
        code: str = answer["code"]
        return code

    def leave(self) -> None:
        """The socket is gone."""
        self.world.floor.detach(self.table_id, self.connection)

    async def sees(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Wait for the `count`th message of a type."""
        await until(lambda: self.kinds().count(kind) >= count)
        return [message for message in self.messages if message["type"] == kind][count - 1]

    async def is_closed(self) -> int:
        await until(lambda: bool(self.outlet.closes))
        return self.outlet.closes[0][0]

    def kinds(self) -> list[str]:
        return self.outlet.kinds()

    def resume_point(self) -> ResumePoint:
        """Where this client is: its last snapshot, and the last number it got."""
        at = self.outlet.last("snapshot")
        return ResumePoint(at["session"], at["epoch"], max(m.get("seq", 0) for m in self.messages))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.outlet.messages

    @property
    def text(self) -> str:
        return json.dumps(self.messages)

    def _answer(self, request_id: str) -> dict[str, Any] | None:
        return next((message for message in self.messages if message.get("requestId") == request_id), None)


@dataclass
class World:
    """One process's floor on one database."""

    database: Database
    settings: FloorSettings = field(default_factory=lambda: FloorSettings(hand_gap_ms=0, fault_pause_ms=1))
    invited: Callable[[TableId], AbstractSet[UserId]] = lambda table_id: frozenset()
    clock: ShiftedClock = field(default_factory=ShiftedClock)
    new_deck: Callable[[], Deck] = secure_deck
    facts: list[tuple[TableId, Fact]] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = itertools.count(1)
        self.journal = Journal()
        self.books = Bookkeeping(self.clock.wall_ms, STARTING_CHIPS)
        self.store = JournalStore(self.database, self.books, self.journal)
        self.ledger, self.hands = Ledger(self.database, self.books), Hands(self.database)
        self.people = People(self.database, self.books)
        self.new_name: Callable[[], str] = lambda: f"name-{next(names)}"
        self.door = JournalDoor(new_name=self.new_name, clock=self.clock)
        self.door.journal = self.journal
        self.floor = self._floor()

    def _floor(self) -> Floor:
        tables = itertools.count(1)
        clock: Clock = self.clock
        return Floor(
            store=self.store,
            door=self.door,
            names=NamesById(),
            clock=clock,
            chances=Chances(
                new_deck=self._deck,
                new_turn_id=lambda: TurnId(self.new_name()),
                new_table_id=lambda: TableId(f"t-{next(tables)}"),
                first_button=lambda options: Seat(0),
            ),
            settings=self.settings,
            observe=self._observe,
            invited=self.invited,
        )

    def _observe(self, table_id: TableId, facts: Sequence[Fact]) -> None:
        self.facts += [(table_id, fact) for fact in facts]

    def _deck(self) -> Deck:
        self.journal.pass_through("deck")
        return self.new_deck()

    async def table(self, **changed: Any) -> TableId:
        return await self.floor.create(options(**changed))

    async def enter(
        self, table_id: TableId, identity: Identity | None = None, resume: ResumePoint | None = None
    ) -> Client:
        """A connection that has its snapshot, or what it missed."""
        client = self.client(table_id, identity)
        assert self.floor.attach(table_id, client.connection, resume)
        await until(lambda: bool({"snapshot", "resumed"} & set(client.kinds())))
        return client

    def client(self, table_id: TableId, identity: Identity | None = None) -> Client:
        """A connection that did not enter yet."""
        connection, outlet = recorded(ConnectionId(self.new_name()), identity)
        return Client(self, table_id, connection, outlet)

    async def seated(self, table_id: TableId, *names: str, model: str | None = None) -> list[Client]:
        """Agents of these names, in the seats from 0; a hand begins as soon as two sit."""
        clients = []
        for seat, name in enumerate(names):
            client = await self.enter(table_id, agent(name, model=model))
            await client.sit(seat)
            clients.append(client)
        return clients

    def state(self, table_id: TableId) -> TableState:
        return self.floor.state(table_id)

    def task(self, table_id: TableId) -> TableTask:
        return self.floor._tables[table_id]  # what a test breaks and no user of the floor gets

    async def act(self, table_id: TableId, action: ActionKind | None = None) -> None:
        """Whose turn it is moves: as told, or by checking or calling."""
        answer = await self.move(table_id, action)
        assert answer["type"] == "ack", answer

    async def move(self, table_id: TableId, action: ActionKind | None = None) -> dict[str, Any]:
        """The same, and what was answered."""
        await self.until_hand(table_id)
        client, turn_id, legal = self.turn(table_id)
        plain = ActionKind.CHECK if ActionKind.CHECK in legal else ActionKind.CALL
        return await client.ask(Action(turn_id=turn_id, action=action or plain))

    async def play_hand(self, table_id: TableId, number: int | None = None, *, first: ActionKind | None = None) -> None:
        """Check or call to the end of the hand of this number; without one, of the hand that is in play or begins next.

        `first`: the first move instead, where the rules allow it. No other hand is waited for: after this one the table may have none.
        """
        if number is None:
            await self.until_hand(table_id)
            number = self.state(table_id).hand_number
        wanted = first
        while await self._waits_for_a_move(table_id, number):
            legal = self.turn(table_id)[2]
            await self.act(table_id, wanted if wanted in legal else None)
            wanted = None

    async def begins(self, table_id: TableId, number: int) -> bool:
        """Wait for the hand of this number. False where it cannot begin, as fewer than two have chips."""

        def cannot() -> bool:
            room = self.task(table_id).room
            return room.live_hand_number is None and not room.wants_hand()

        await until(lambda: self.state(table_id).hand_number >= number or cannot())
        return self.state(table_id).hand_number >= number

    async def _waits_for_a_move(self, table_id: TableId, number: int) -> bool:
        """Wait for a turn of this hand. False where it is over; also where the table closed with it."""

        def is_over() -> bool:
            return not self.floor.has(table_id) or self.task(table_id).room.live_hand_number != number

        await until(lambda: is_over() or self._turn_of(table_id) is not None)
        return not is_over()

    async def until_hand(self, table_id: TableId) -> None:
        await until(lambda: self._turn_of(table_id) is not None)

    def turn(self, table_id: TableId) -> tuple[Client, str, Sequence[ActionKind]]:
        """Whose turn it is: a client for the connection, the turn's id, and what is legal."""
        found = self._turn_of(table_id)
        assert found is not None
        return found

    def _turn_of(self, table_id: TableId) -> tuple[Client, str, Sequence[ActionKind]] | None:
        hand = self.state(table_id).hand
        if hand is None or hand.turn is None:
            return None
        seat = next(each for each in self.state(table_id).seats if each.seat == hand.turn.turn.seat)
        callers = self.task(table_id)._parts.lines.callers.of_player(player_id(seat.player))
        if not callers:
            return None
        connection: Any = callers[0].connection
        return Client(self, table_id, connection, connection._outlet), hand.turn.turn_id, hand.turn.turn.legal

    async def chips(self, user_id: str) -> int:
        return await self.ledger.bankroll_chips(UserId(user_id))

    async def seat_chips(self, table_id: TableId, player: str) -> int:
        return await self.ledger.balance_chips(SeatAccount(table_id, player))

    async def bankroll(self, user_id: str, chips: int) -> None:
        """Give a person exactly so many chips."""
        have = await self.chips(user_id)
        assert chips >= have, "the books have no way to take chips away"
        await self.ledger.grant(UserId(user_id), chips - have)
        assert await self.ledger.balance_chips(Bankroll(UserId(user_id))) == chips

    async def crash(self) -> None:
        """The process dies: nothing more is stored, told or closed."""
        for running in tuple(self.floor._running.values()):
            running.cancel()
        await asyncio.gather(*self.floor._running.values(), return_exceptions=True)


@asynccontextmanager
async def opened(database: Database, **given: Any) -> AsyncIterator[World]:
    """A world that is started, and stopped at the end unless a test did so."""
    world = World(database, **given)
    await world.floor.start()
    try:
        yield world
    finally:
        world.journal.breaks.clear()
        await world.floor.stop(grace_ms=0)


def open_database(path: Path) -> Database:
    return Database(database_url(URL.create("sqlite", database=str(path))))


async def until(condition: Callable[[], bool], timeout_s: float = HAPPENS_WITHIN_S) -> None:
    """Wait until it is so; a test's own sense of time is nothing but this bound."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.001)
