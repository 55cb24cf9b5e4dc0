"""The one task of a table: take a request, let the room decide, store what must outlive us, tell everybody.

The room decides, the keeper stores, the views draw and the door sends; this module holds the order in which they are asked.
What happened is stored before it is told (test_nothing_is_told_before_it_is_stored).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

import structlog
from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import faults, unanswered
from gameserver.floor.asks import Asks, Done
from gameserver.floor.chat import ChatLine
from gameserver.floor.inbox import Inbox
from gameserver.floor.keeper import Keeper
from gameserver.floor.lines import Lines
from gameserver.floor.mail import Mail
from gameserver.floor.ports import Clock
from gameserver.floor.requests import Attach, Detach, Operate, Request, Say, Stop
from gameserver.floor.settings import FloorSettings
from gameserver.floor.thoughts import Thoughts
from gameserver.hand.deck import Deck
from gameserver.table import commands
from gameserver.table.commands import Command
from gameserver.table.facts import Fact, HandBegan, HandCancelled, HandEnded
from gameserver.table.room import Room
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Ack, Error
from policy.ids import TableId

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a table's task asks, each for its own matter."""

    asks: Asks
    keeper: Keeper
    lines: Lines
    mail: Mail
    thoughts: Thoughts
    chat: ChatLine
    clock: Clock
    new_deck: Callable[[], Deck]


class TableTask:
    """One table's loop.

    `reload` gives the room anew from what is stored, after a fault; `observe` is told all facts once they are stored.
    """

    def __init__(
        self,
        *,
        table_id: TableId,
        room: Room,
        parts: Parts,
        settings: FloorSettings,
        reload: Callable[[], Awaitable[Room]],
        observe: Callable[[TableId, Sequence[Fact]], None],
    ) -> None:
        self.table_id = table_id
        self.room = room
        self.inbox = Inbox(max_requests=settings.inbox_requests)
        self._parts = parts
        self._settings = settings
        self._reload = reload
        self._observe = observe
        self._next_hand_ms = parts.clock.monotonic_ms()
        self._stop: Stop | None = None
        self._faults = 0
        self.faults_in_all = 0

    async def run(self) -> None:
        """Serve the table until it is closed or stopped. A fault in it is its own: no other table learns of it
        (test_a_fault_in_one_table_touches_no_other).
        """
        code = CloseCode.INTERNAL
        try:
            code = await self._serve_through_faults()
        finally:
            self._end(code)

    async def _serve_through_faults(self) -> CloseCode:
        """Until it is over, and with what its connections are closed then."""
        going_on = True
        while going_on:
            try:
                await self._serve()
                return CloseCode.RESTART if self._stop is not None else CloseCode.TABLE_CLOSED
            except Exception as error:  # noqa: BLE001 - whatever it is, it ends at this table
                going_on = await self._after_fault(error)
        return CloseCode.INTERNAL

    async def _serve(self) -> None:
        await self._cancel_what_never_ended()
        while not self._finished():
            if not await self._begin_hand_if_due():
                await self._take(await self.inbox.get(self._wait_s()))

    # --- requests -------------------------------------------------------------------------------------------------------

    async def _take(self, request: Request | None) -> None:
        """A request, or the passing of time."""
        now_ms = self._now_ms() if request is None else request.received_ms
        try:
            await self._let_fall_due(now_ms)
            if request is not None:
                await self._carry_out(request)
        except Exception:
            if request is not None:
                unanswered.after_a_fault(request, self._parts.lines.callers)
            raise
        await self._cancel_if_grace_is_over()

    async def _let_fall_due(self, now_ms: int) -> None:
        """Whatever fell due before a request happens before it, and is told though the request may be refused."""
        due_ms = self.room.next_due_ms()
        if due_ms is not None and due_ms <= now_ms:
            await self._took(self.room.receive(commands.Tick(), now_ms))

    async def _carry_out(self, request: Request) -> None:
        match request:
            case Attach():
                await self._attach(request)
            case Detach(connection, received_ms):
                await self._took(self._parts.lines.detach(self.room, connection, received_ms))
            case Say():
                await self._say(request)
            case Operate():
                await self._operate(request)
            case Stop():
                self._stop = request
            case _:
                assert_never(request)

    async def _attach(self, request: Attach) -> None:
        facts: Sequence[Fact] = ()
        try:
            if request.watching is not None:
                caller = self._parts.lines.watch(self.room, request.connection, request.watching)
            else:
                caller, facts = self._parts.lines.attach(self.room, request.connection, request.received_ms)
        except Refusal as refusal:
            unanswered.turn_away(request.connection, refusal)
            return
        await self._took(facts)
        self._parts.mail.subscribe(caller, request.resume)

    async def _say(self, request: Say) -> None:
        if request.connection not in self._parts.lines.callers:
            return  # replaced while the message waited
        try:
            done = await self._parts.asks.carry_out(self.room, request)
        except Refusal as refusal:
            self._refuse(request, refusal)
            return
        await self._answer(request, done)

    async def _answer(self, request: Say, done: Done) -> None:
        if not done.stored:
            await self._parts.keeper.keep(self.room, done.facts)
        request.connection.reply(Ack(request_id=request.message.request_id))
        self._tell(done.facts)

    def _refuse(self, request: Say, refusal: Refusal) -> None:
        turn = self._parts.mail.open_turn_of(self.room, request.connection)
        shown = turn if refusal.code is ErrorCode.STALE_TURN and turn is not None else UNSET
        request.connection.reply(
            Error(code=refusal.code, message=refusal.why, request_id=request.message.request_id, turn=shown)
        )

    async def _operate(self, request: Operate) -> None:
        try:
            facts = self.room.receive(request.command, request.received_ms)
        except Refusal as refusal:
            request.fail(refusal)
            return
        await self._took(facts)
        request.succeed()

    # --- hands ----------------------------------------------------------------------------------------------------------

    async def _begin_hand_if_due(self) -> bool:
        now_ms = self._now_ms()
        if self._stop is not None or now_ms < self._next_hand_ms or not self.room.wants_hand():
            return False
        facts = self.room.receive(commands.BeginHand(), now_ms)
        for began in facts:
            if isinstance(began, HandBegan):
                await self._parts.keeper.begin(self.room, began)
                facts = (*facts, *self.room.receive(commands.Deal(self._parts.new_deck()), now_ms))
        self._next_hand_ms = now_ms + self._settings.hand_gap_ms
        await self._took(facts)
        return True

    async def _cancel_what_never_ended(self) -> None:
        """At the start, and after a fault: a hand that began and never ended did not take place."""
        if self.room.live_hand_number is not None:
            await self._order(commands.CancelHand("the table was interrupted"))

    async def _cancel_if_grace_is_over(self) -> None:
        if self._stop is None or self.room.live_hand_number is None:
            return
        if self._now_ms() >= self._stop.grace_ends_ms:
            await self._order(commands.CancelHand("the server stops"))

    async def _order(self, command: Command) -> None:
        await self._took(self.room.receive(command, self._now_ms()))

    # --- facts ----------------------------------------------------------------------------------------------------------

    async def _took(self, facts: Sequence[Fact]) -> None:
        if facts:
            await self._parts.keeper.keep(self.room, facts)
            self._tell(facts)

    def _tell(self, facts: Sequence[Fact]) -> None:
        if not facts:
            return
        if any(isinstance(fact, HandEnded | HandCancelled) for fact in facts):
            self._next_hand_ms = self._now_ms() + self._settings.hand_gap_ms
        self._parts.mail.deliver(self.room, facts, self._parts.lines.callers)
        self._parts.thoughts.settle(self.room, facts)
        self._parts.chat.settle(facts)
        self._observe(self.table_id, facts)
        if any(isinstance(fact, HandEnded) for fact in facts):
            self._faults = 0

    # --- time -----------------------------------------------------------------------------------------------------------

    def _now_ms(self) -> int:
        return self._parts.clock.monotonic_ms()

    def _finished(self) -> bool:
        return self.room.live_hand_number is None and (self._stop is not None or self.room.closed)

    def _wait_s(self) -> float | None:
        """Until something falls due; None where nothing but a request can change anything."""
        dues = (self.room.next_due_ms(), self._hand_due_ms(), self._grace_due_ms())
        due_ms = min((due for due in dues if due is not None), default=None)
        return None if due_ms is None else max(0, due_ms - self._now_ms()) / 1_000

    def _hand_due_ms(self) -> int | None:
        return self._next_hand_ms if self._stop is None and self.room.wants_hand() else None

    def _grace_due_ms(self) -> int | None:
        return self._stop.grace_ends_ms if self._stop is not None else None

    # --- faults and the end ---------------------------------------------------------------------------------------------

    async def _after_fault(self, error: Exception) -> bool:
        """Go on from what is stored, after a pause. False where there were too many faults in a row."""
        while True:
            self._faults += 1
            self.faults_in_all += 1
            self._log("table_fault", error)
            if self._faults >= self._settings.faults_to_close:
                return False
            await asyncio.sleep(self._settings.fault_pause_ms * 2 ** (self._faults - 1) / 1_000)
            try:
                await self._start_again()
            except Exception as another:  # noqa: BLE001 - the store may be away, or the fault may be in what is told
                error = another
            else:
                return True

    async def _start_again(self) -> None:
        self.room = await self._reload()
        self._next_hand_ms = self._now_ms() + self._settings.hand_gap_ms
        await self._cancel_what_never_ended()
        self._parts.thoughts.discard()
        await self._took(self._parts.lines.start_again(self.room, self._now_ms()))

    def _end(self, code: CloseCode) -> None:
        """Nobody is left waiting, in the inbox or on a line."""
        for request in self.inbox.close():
            unanswered.after_the_end(request, code)
        try:
            if code is CloseCode.RESTART:
                self._parts.mail.say_when_to_come_back(self._settings.come_back_after_ms)
            self._parts.mail.close(code)
        except Exception as error:  # noqa: BLE001 - the table is over either way
            self._log("table_not_closed", error)

    def _log(self, event: str, error: Exception) -> None:
        """The kind of a fault and its place, and no value (test_a_fault_is_logged_without_a_card)."""
        log.error(event, table=self.table_id, error=type(error).__name__, where=faults.where(error))
