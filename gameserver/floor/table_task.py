"""The one task of a table: take a request, let the room decide, store what must outlive us, tell everybody.

The room decides, the keeper stores, the views draw and the door sends; this module holds the order in which they are asked.
What happened is stored before it is told (test_nothing_is_told_before_it_is_stored).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from msgspec import UNSET

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor import faults
from gameserver.floor.asks import Asks, Done
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

    async def run(self) -> None:
        """Serve the table until it is closed or stopped. A fault in it is its own: no other table learns of it
        (test_a_fault_in_one_table_touches_no_other).
        """
        going_on = True
        while going_on:
            try:
                await self._serve()
                going_on = False
            except Exception as error:  # noqa: BLE001 - whatever it is, it ends at this table
                going_on = await self._after_fault(error)

    async def _serve(self) -> None:
        await self._cancel_what_never_ended()
        while not self._finished():
            if not await self._begin_hand_if_due():
                await self._carry_out(await self.inbox.get(self._wait_s()))
        self._parts.mail.close(CloseCode.RESTART if self._stop is not None else CloseCode.TABLE_CLOSED)

    # --- requests -------------------------------------------------------------------------------------------------------

    async def _carry_out(self, request: Request | None) -> None:
        now_ms = self._now_ms() if request is None else request.received_ms
        await self._took(self.room.receive(commands.Tick(), now_ms))
        match request:
            case None:
                pass
            case Attach(connection, resume):
                caller, facts = self._parts.lines.attach(self.room, connection, now_ms)
                await self._took(facts)
                self._parts.mail.subscribe(self.room, caller, resume)
            case Detach(connection):
                await self._took(self._parts.lines.detach(self.room, connection, now_ms))
            case Say():
                await self._say(request)
            case Operate():
                await self._operate(request)
            case Stop():
                self._stop = request
        await self._cancel_if_grace_is_over()

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
            self._faults = 0
        self._parts.mail.deliver(self.room, facts, self._parts.lines.callers)
        self._parts.thoughts.settle(self.room, facts)
        self._observe(self.table_id, facts)

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

    # --- faults ---------------------------------------------------------------------------------------------------------

    async def _after_fault(self, error: Exception) -> bool:
        """Log it without a value, and go on from what is stored. False where the table has to close."""
        self._faults += 1
        log.error("table_fault", table=self.table_id, error=type(error).__name__, where=faults.where(error))
        if self._faults >= self._settings.faults_to_close or not await self._start_again():
            self._parts.mail.close(CloseCode.INTERNAL)
            return False
        return True

    async def _start_again(self) -> bool:
        try:
            self.room = await self._reload()
            await self._cancel_what_never_ended()
            await self._took(self._parts.lines.start_again(self.room, self._now_ms()))
        except Exception as error:  # noqa: BLE001 - the table closes, and the others go on
            log.error("table_lost", table=self.table_id, error=type(error).__name__, where=faults.where(error))
            return False
        return True
