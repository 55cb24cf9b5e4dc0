"""From facts to the door: every audience of one table gets the frames that the views draw for it, and nothing else.

It chooses no content: what an audience may see is the views' and the gates' matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from gameserver.errors import Bug, Refusal
from gameserver.floor import faults
from gameserver.floor.access import owns_an_agent
from gameserver.floor.callers import Caller, Callers, audience_now, audience_of
from gameserver.floor.notes import GiveNotes, nobody_writes, notes_at_the_start
from gameserver.floor.ports import Clock, Connection, Door, Resume
from gameserver.floor.showing import Showing
from gameserver.floor.shown_live import ShownLive
from gameserver.table.commands import player_id
from gameserver.table.facts import Fact, SeatFreed, SeatPaid, SeatTaken
from gameserver.table.room import Room
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.change import Change
from gameserver.views.now import Now
from gameserver.views.replies import dropped_wishes
from gameserver.views.sight import occupant
from gameserver.views.turns import present_turn
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Error, Snapshot, YourTurn
from policy.ids import TableId

log = structlog.get_logger()


class Mail:
    """The outgoing side of one table."""

    def __init__(
        self,
        table_id: TableId,
        door: Door,
        clock: Clock,
        showing: Showing,
        shown_live: ShownLive,
        give_notes: GiveNotes = nobody_writes,
    ) -> None:
        self._table_id = table_id
        self._door = door
        self._clock = clock
        self._showing = showing
        self._shown_live = shown_live
        self._give_notes = give_notes

    def deliver(self, room: Room, facts: Sequence[Fact], callers: Callers) -> None:
        """Tell every audience what happened; then move those whose audience is another one now."""
        now = self._now()
        state = room.state(now.monotonic_ms)
        change = Change(self._table_id, facts, state, now)
        with self._showing.drawing(state):
            self._showing.tell(change, facts, state, now)
            self._shown_live.sent(state, change.sight, now.wall_ms)
            for audience in _seats_told(facts, state):
                if not self._door.has_listeners(self._table_id, audience):
                    continue
                notes = notes_at_the_start(self._table_id, facts, state, audience, self._give_notes)
                self._door.send_to_seat(self._table_id, audience, [*notes, *change.seat(audience)])
        self._tell_dropped_wishes(facts, callers)
        if any(isinstance(fact, SeatTaken | SeatPaid | SeatFreed) for fact in facts):
            self._move(room, callers)

    def subscribe(self, caller: Caller, resume: Resume | None) -> None:
        """Put a connection into the stream of its audience."""
        audience = caller.audience
        self._door.subscribe(self._table_id, audience, caller.connection, lambda: self._snapshot(audience), resume)

    def place(self, room: Room, caller: Caller) -> None:
        """Put a connection into the stream of the audience that it has now. Whose right to one has ended is closed."""
        try:
            caller.audience = audience_now(room, caller)
        except Refusal as refused:
            self._door.unsubscribe(self._table_id, caller.connection)
            caller.connection.reply(Error(code=refused.code, message=refused.why))
            caller.connection.close(CloseCode.NOT_ALLOWED)
        else:
            self.subscribe(caller, None)

    def unsubscribe(self, connection: Connection) -> None:
        self._door.unsubscribe(self._table_id, connection)

    def open_turn_of(self, room: Room, connection: Connection) -> YourTurn | None:
        """The request that waits for the player of this connection, if one does."""
        audience = audience_of(room, connection)
        now = self._now()
        state = room.state(now.monotonic_ms)
        seat = occupant(audience, state) if isinstance(audience, SeatAudience) else None
        return None if seat is None else present_turn(self._table_id, state, seat, now)

    def end_streams(self, callers: Callers) -> None:
        """Forget all streams: what was sent in them cannot be resumed. Those that strangers share begin anew also where nobody
        listens (test_a_fault_tells_nobody_who_watched).
        """
        for audience in {PublicAudience(), AgentsAudience(), *(caller.audience for caller in callers)}:
            self._door.end_stream(self._table_id, audience)

    def close(self, code: CloseCode) -> None:
        """Close every connection of this table."""
        self._showing.close()
        self._door.close_table(self._table_id, code)

    def say_when_to_come_back(self, after_ms: int) -> None:
        """The server goes, and another one comes: around this time, for each at another one."""
        self._door.say_when_to_come_back(self._table_id, after_ms)

    def _snapshot(self, audience: Audience) -> Snapshot:
        """Raises Bug in place of whatever went wrong: the door logs it, and an error of the views may hold a card in its text
        (test_a_fault_is_logged_without_a_card).
        """
        try:
            return self._showing.snapshot(audience)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays here
            log.error("snapshot_fault", table=self._table_id, error=type(error).__name__, where=faults.where(error))
        raise Bug("a snapshot could not be drawn")

    def _move(self, room: Room, callers: Callers) -> None:
        for caller in callers:
            left = caller.audience
            if _has_another_audience(room, caller):
                self.place(room, caller)
                if isinstance(left, SeatAudience):
                    self._door.end_stream(self._table_id, left)
        for user_id in self._door.owners_listening(self._table_id):
            if not owns_an_agent(room, user_id):
                self._door.end_stream(self._table_id, OwnerAudience(user_id))

    def _tell_dropped_wishes(self, facts: Sequence[Fact], callers: Callers) -> None:
        for player, error in dropped_wishes(facts):
            for caller in callers.of_player(player):
                caller.connection.reply(error)

    def _now(self) -> Now:
        return Now(self._clock.monotonic_ms(), self._clock.wall_ms())


def _has_another_audience(room: Room, caller: Caller) -> bool:
    try:
        return audience_now(room, caller) != caller.audience
    except Refusal:
        return True


def _seats_told(facts: Sequence[Fact], state: TableState) -> list[SeatAudience]:
    """The seats' audiences as the streams stand: those who hold a seat and did not just take it."""
    taken = {fact.seat for fact in facts if isinstance(fact, SeatTaken)}
    freed = {SeatAudience(fact.seat, player_id(fact.player)) for fact in facts if isinstance(fact, SeatFreed)}
    held = [SeatAudience(seat.seat, player_id(seat.player)) for seat in state.seats if seat.seat not in taken]
    return sorted(freed.union(held), key=lambda each: each.seat) if freed else held
