"""All tables of this process: made, found, started again, stopped. One task each; nothing is shared between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.floor.access import Access, Invited, admit_owner, nobody_is_invited
from gameserver.floor.asks import Asks
from gameserver.floor.chat import ChatLine
from gameserver.floor.chips import TableChips
from gameserver.floor.keeper import Keeper
from gameserver.floor.lines import Lines
from gameserver.floor.mail import Mail
from gameserver.floor.notes import GiveNotes, nobody_writes
from gameserver.floor.ports import Clock, Connection, Door, LastEvent, Names, ResumePoint, TableStore, Watching
from gameserver.floor.requests import Attach, Detach, Operate, Request, Say, Stop
from gameserver.floor.settings import FloorSettings
from gameserver.floor.showing import Later, Showing, by_the_loop
from gameserver.floor.shown_live import ShownLive
from gameserver.floor.table_task import Parts, TableTask
from gameserver.floor.thoughts import Thoughts
from gameserver.hand.deck import Deck
from gameserver.identity.who import Identity
from gameserver.store.stored import StoredTable
from gameserver.table import memory
from gameserver.table.commands import Command, PlayerId
from gameserver.table.facts import Fact, HandResult
from gameserver.table.options import TableOptions
from gameserver.table.room import Room
from gameserver.table.state import TableState
from gameserver.table.table import RECENT_HANDS
from gameserver.views.audience import PublicAudience
from gameserver.wire.messages import Error, Inbound
from policy.ids import Seat, TableId, TurnId
from policy.spectator_policy import RevealOptions


@dataclass(frozen=True, slots=True)
class Chances:
    """Everything that is drawn or made up: a deck a hand, names of turns and tables, the seat of a table's first button."""

    new_deck: Callable[[], Deck]
    new_turn_id: Callable[[], TurnId]
    new_table_id: Callable[[], TableId]
    first_button: Callable[[TableOptions], Seat]


def _nobody_observes(table_id: TableId, facts: Sequence[Fact]) -> None:
    pass


class Floor:
    """The tables of one process. `observe` is told every table's facts once they are stored; it must not raise.

    `invited`: who is invited to a private table.
    """

    def __init__(
        self,
        *,
        store: TableStore,
        door: Door,
        names: Names,
        clock: Clock,
        chances: Chances,
        settings: FloorSettings,
        observe: Callable[[TableId, Sequence[Fact]], None] = _nobody_observes,
        invited: Invited = nobody_is_invited,
        give_notes: GiveNotes = nobody_writes,
        later: Later = by_the_loop,
    ) -> None:
        self._store = store
        self._door = door
        self._names = names
        self._clock = clock
        self._chances = chances
        self._settings = settings
        self._observe = observe
        self._access = Access(settings, invited)
        self._give_notes = give_notes
        self._later = later
        self._stopping = False
        self._tables: dict[TableId, TableTask] = {}
        self._running: dict[TableId, asyncio.Task[None]] = {}
        self._showings: dict[TableId, Showing] = {}
        self._faults_before = 0

    # --- tables ---------------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open every stored table again. A hand that began and never ended is cancelled before anything else happens."""
        for stored in await self._store.tables():
            self._open(stored, await self._recent(stored))

    async def create(self, options: TableOptions) -> TableId:
        """A new table, open at once."""
        if self._stopping:
            raise Refusal(ErrorCode.TABLE_CLOSED, "the server stops")
        table_id = self._chances.new_table_id()
        first = memory.encode(memory.new_memory(self._chances.first_button(options)))
        await self._store.create_table(table_id, options, first)
        self._open(StoredTable(table_id, options, first, None, memory_ms=self._clock.wall_ms()), ())
        return table_id

    async def stop(self, *, grace_ms: int) -> None:
        """No new hand anywhere; hands in play may end within the grace time, and are cancelled then."""
        self._stopping = True
        now_ms = self._clock.monotonic_ms()
        for table in self._tables.values():
            table.inbox.put(Stop(now_ms + grace_ms, now_ms))
        await asyncio.gather(*self._running.values())

    async def operate(self, table_id: TableId, command: Command) -> None:
        """Carry out a command of the table's creator, an operator or the server itself. Raises Refusal."""
        done = asyncio.get_running_loop().create_future()
        self._put(table_id, Operate(command, done, self._clock.monotonic_ms()))
        await done

    def state(self, table_id: TableId) -> TableState:
        """A table as it stands now, for the server's own use. The cards in it are sealed. Raises Refusal(not_found)."""
        return self._table(table_id).room.state(self._clock.monotonic_ms())

    def states(self) -> Mapping[TableId, TableState]:
        """All tables that are open here, in the order of creation, for the server's own use."""
        return {table_id: self.state(table_id) for table_id, table in self._tables.items() if not table.inbox.closed}

    def options(self) -> Mapping[TableId, TableOptions]:
        """How the open tables are set up, in the order of creation; no table is looked at further."""
        return {table_id: table.room.options for table_id, table in self._tables.items() if not table.inbox.closed}

    def visible_state(self, table_id: TableId, identity: Identity) -> TableState:
        """A table as it is shown to those who watch, for somebody who may know of it: late where its watchers see it late.

        Raises Refusal(not_found) for one that is not there and for anybody else alike.
        """
        self._access.admit(identity, table_id, self._table(table_id).room.options)
        return self._showings[table_id].state_shown_to(PublicAudience())

    def visible_states(self, identity: Identity) -> Mapping[TableId, TableState]:
        """The open tables that somebody may know of, as they are shown to those who watch, in the order of creation."""
        visible = (table_id for table_id in self._tables if self._is_visible(table_id, identity))
        return {table_id: self.visible_state(table_id, identity) for table_id in visible}

    def admit(self, identity: Identity, table_id: TableId, options: TableOptions) -> None:
        """Of a table that need not be open here: raises Refusal(not_found) for whoever may not know of it."""
        self._access.admit(identity, table_id, options)

    @property
    def faults(self) -> int:
        """How many faults of ours there were at the tables of this process, closed ones too."""
        return self._faults_before + sum(table.faults_in_all for table in self._tables.values())

    def sits_at(self, player: PlayerId) -> Sequence[RevealOptions]:
        """What every table here reveals where this player sits; what `whisper_policy` asks."""
        rooms = (table.room for table in self._tables.values())
        return [room.options.reveal for room in rooms if room.seat_of(player) is not None]

    # --- connections ----------------------------------------------------------------------------------------------------

    def has(self, table_id: TableId) -> bool:
        return table_id in self._tables

    def attach(self, table_id: TableId, connection: Connection, resume: ResumePoint | None) -> bool:
        """A connection has entered. False where the table's inbox is full.

        Raises Refusal(not_found) where there is no such table, or none that this identity may know of.
        """
        self._access.admit(connection.identity, table_id, self._table(table_id).room.options)
        return self._put(table_id, Attach(connection, resume, self._clock.monotonic_ms()))

    def admit_watcher(self, table_id: TableId, identity: Identity, watching: Watching) -> None:
        """Raises Refusal where this identity may not watch so: `not_found` for the public view, `not_allowed` for an owner's; both
        the same for a table that is not there and for one that is not for them.
        """
        match watching:
            case Watching.PUBLIC:
                self._access.admit(identity, table_id, self._table(table_id).room.options)
            case Watching.OWNER:
                admit_owner(self._room_for(table_id, identity), identity)
            case _:
                assert_never(watching)

    def watch(
        self, table_id: TableId, connection: Connection, watching: Watching, last_event: LastEvent | None
    ) -> bool:
        """A connection that only reads has opened. False where the table's inbox is full. Raises Refusal as `admit_watcher`."""
        self.admit_watcher(table_id, connection.identity, watching)
        return self._put(table_id, Attach(connection, last_event, self._clock.monotonic_ms(), watching))

    def say(self, table_id: TableId, connection: Connection, message: Inbound, received_ms: int) -> bool:
        """A message of an entered connection. False where the table's inbox is full."""
        try:
            return self._put(table_id, Say(connection, message, received_ms))
        except Refusal:  # it closed a moment ago, and the connection's own close is on its way
            gone = Error(code=ErrorCode.TABLE_CLOSED, message="this table is closed", request_id=message.request_id)
            connection.reply(gone)
            return True

    def detach(self, table_id: TableId, connection: Connection) -> None:
        """A connection is gone."""
        if table_id in self._tables:
            self._tables[table_id].inbox.put(Detach(connection, self._clock.monotonic_ms()))

    # --- inside ---------------------------------------------------------------------------------------------------------

    def _put(self, table_id: TableId, request: Request) -> bool:
        return self._table(table_id).inbox.put(request)

    def _table(self, table_id: TableId) -> TableTask:
        table = self._tables.get(table_id)
        if table is None or table.inbox.closed:
            raise Refusal(ErrorCode.NOT_FOUND, "no such table")
        return table

    def _room_for(self, table_id: TableId, identity: Identity) -> Room | None:
        """A table's room for somebody who may know of the table; None for anybody else, and where there is none."""
        return self._tables[table_id].room if self._is_visible(table_id, identity) else None

    def _is_visible(self, table_id: TableId, identity: Identity) -> bool:
        try:
            self._access.admit(identity, table_id, self._table(table_id).room.options)
        except Refusal:
            return False
        return True

    def _open(self, stored: StoredTable, recent: Sequence[HandResult]) -> None:
        table = self._build(stored, recent)
        self._tables[stored.table_id] = table
        running = asyncio.create_task(table.run(), name=f"table {stored.table_id}")
        self._running[stored.table_id] = running
        running.add_done_callback(lambda _: self._forget(stored.table_id))

    def _forget(self, table_id: TableId) -> None:
        gone = self._tables.pop(table_id, None)
        self._faults_before += 0 if gone is None else gone.faults_in_all
        self._running.pop(table_id, None)
        self._showings.pop(table_id, None)

    def _build(self, stored: StoredTable, recent: Sequence[HandResult]) -> TableTask:
        table_id = stored.table_id
        chips = TableChips(table_id, practice=stored.options.practice)
        shown_live = ShownLive()
        keeper = Keeper(table_id, self._store, chips, shown_live)
        showing = Showing(table_id, self._door, self._clock, self._later)
        mail = Mail(table_id, self._door, self._clock, showing, shown_live, self._give_notes)
        lines = Lines(mail, self._settings.platform_models)
        thoughts = Thoughts(table_id, showing)
        chat = ChatLine(table_id, showing, lines.callers, self.sits_at)
        asks = Asks(
            keeper=keeper,
            chips=chips,
            names=self._names,
            thoughts=thoughts,
            chat=chat,
            settings=self._settings,
            sits_at=self.sits_at,
        )
        parts = Parts(asks, keeper, lines, mail, thoughts, chat, self._clock, self._chances.new_deck)
        task = TableTask(
            table_id=table_id,
            room=self._restore(stored, recent),
            parts=parts,
            settings=self._settings,
            reload=lambda: self._reload(table_id),
            observe=self._observe,
        )
        showing.open(lambda: task.room)
        self._showings[table_id] = showing
        return task

    def _restore(self, stored: StoredTable, recent: Sequence[HandResult]) -> Room:
        return Room(
            options=stored.options,
            memory=memory.decode(stored.memory),
            new_turn_id=self._chances.new_turn_id,
            now_ms=self._clock.monotonic_ms(),
            elapsed_ms=max(0, self._clock.wall_ms() - stored.memory_ms),
            platform_models=self._settings.platform_models,
            recent=recent,
        )

    async def _recent(self, stored: StoredTable) -> Sequence[HandResult]:
        return await self._store.recent_hands(stored.table_id, RECENT_HANDS)

    async def _reload(self, table_id: TableId) -> Room:
        stored = await self._store.table(table_id)
        if stored is None:
            raise Bug("a table is not in the store")
        return self._restore(stored, await self._recent(stored))
