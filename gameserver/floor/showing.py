"""SECURITY: not display logic. When those without a seat are shown what happens at a table: at once, or `spectatorDelayMs` later.

Withholds the present of such a table from the public stream and from agents without a seat, in every frame and snapshot, chat and
thoughts included; and from an owner where the table reveals anything, but for their own agent's cards and reasoning, which are live.
Seats are live. What is late is drawn when it is shown, from the state of then and by the reveals of now: the gates are asked at that
moment (`thought_policy` too), and nothing that was drawn is kept. A reveal that is switched off begins new epochs at once.

It takes the place of the door for whoever speaks to watchers; the bytes are the door's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias, assert_never

import structlog

from gameserver.errors import Bug
from gameserver.floor import faults
from gameserver.floor.late_line import Held, HeldBeginning, HeldChange, HeldThought, HeldWords, LateLine
from gameserver.floor.ports import Clock, Door
from gameserver.table.facts import Fact, OptionsChanged
from gameserver.table.room import Room
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.change import Change
from gameserver.views.fact_frames import fact_frames
from gameserver.views.now import Now
from gameserver.views.snapshot import snapshot
from gameserver.wire.messages import AgentThought, Chat, NumberedFrame, Snapshot
from policy import thought_policy
from policy.ids import TableId, UserId
from policy.spectator_policy import CLOSED
from policy.thought_policy import Moment, ToPublic

log = structlog.get_logger()

Later: TypeAlias = Callable[[int, Callable[[], None]], object]
"""Calls something after so many milliseconds."""


def by_the_loop(after_ms: int, call: Callable[[], None]) -> object:
    """The running event loop's own timer."""
    return asyncio.get_running_loop().call_later(after_ms / 1_000, call)


class Showing:
    """What the watchers of one table are shown. `Sends` for chat and thoughts."""

    def __init__(self, table_id: TableId, door: Door, clock: Clock, later: Later = by_the_loop) -> None:
        self._table_id, self._door, self._clock, self._later = table_id, door, clock, later
        self._room: Callable[[], Room] = _not_open
        self._drawn: TableState | None = None
        self._line: LateLine | None = None
        self._waits = self._closed = False

    def open(self, room: Callable[[], Room]) -> None:
        """Before anything is sent. `room`: the table's present one; after a fault it is another."""
        self._room = room
        state, delay_ms = self.state(), room().options.spectator_delay_ms
        if delay_ms > 0:
            self._line = LateLine(delay_ms, state, self._clock.monotonic_ms())
            self._wait()
        self._door.open_table(self._table_id, self.state, self.state_shown_to)

    def close(self) -> None:
        """Nothing more is shown."""
        self._closed = True

    # --- the table, as it is and as it is shown -------------------------------------------------------------------------

    @contextmanager
    def drawing(self, state: TableState) -> Iterator[None]:
        """While the frames of one change are drawn and sent, the table is this one: it is not built again for each of them."""
        self._drawn = state
        try:
            yield
        finally:
            self._drawn = None

    def state(self) -> TableState:
        """The table as it is."""
        return self._room().state(self._clock.monotonic_ms()) if self._drawn is None else self._drawn

    def state_shown_to(self, audience: Audience) -> TableState:
        """The table as this audience is shown it. An owner's own cards are live all the same."""
        return self._line.shown if self._line is not None and self._is_late(audience) else self.state()

    def snapshot(self, audience: Audience) -> Snapshot:
        """The whole of it for one audience."""
        now = Now(self._clock.monotonic_ms(), self._clock.wall_ms())
        return snapshot(audience, self._table_id, self.state_shown_to(audience), now, own_cards_from=self.state())

    def _is_late(self, audience: Audience) -> bool:
        if self._line is None:
            return False
        match audience:
            case PublicAudience() | AgentsAudience():
                return True
            case OwnerAudience():
                return self._room().options.reveal != CLOSED
            case SeatAudience():
                return False
            case _:
                assert_never(audience)

    # --- what happens ---------------------------------------------------------------------------------------------------

    def tell(self, change: Change, facts: Sequence[Fact], state: TableState, now: Now) -> None:
        """A change of the table, to everybody without a seat."""
        options = [fact for fact in facts if isinstance(fact, OptionsChanged)]
        if self._line is None:
            self._show_change(change)
        else:
            self._send_to_all_watchers(fact_frames(self._table_id, options, self._line.shown))
            rest = [fact for fact in facts if not isinstance(fact, OptionsChanged)]
            self._hold(HeldChange(rest, state, now))
        for user_id in self._door.owners_listening(self._table_id):
            self._tell_owner_at_once(change, user_id)
        if options:
            self._begin_epochs()

    def send_to_public(self, table_id: TableId, frames: Sequence[Chat]) -> None:
        """Chat, to everybody who watches, owners included."""
        for chat in frames:
            self._words(HeldWords(PublicAudience(), chat))

    def send_to_unseated_agents(self, table_id: TableId, frames: Sequence[Chat]) -> None:
        """Chat, to agents without a seat."""
        for chat in frames:
            self._words(HeldWords(AgentsAudience(), chat))

    def send_to_seat(self, table_id: TableId, audience: Audience, frames: Sequence[NumberedFrame]) -> None:
        """To the occupant of a seat, at once."""
        self._door.send_to_seat(table_id, audience, frames)

    def send_to_user(self, user_id: UserId, table_id: TableId, frames: Sequence[NumberedFrame]) -> None:
        """What is an owner's own, at once."""
        self._door.send_to_user(user_id, table_id, frames)

    def send_thought_to_public(self, owner: UserId, table_id: TableId, thought: AgentThought) -> None:
        """A thought whose turn has its action, to the public view; `owner` has it already."""
        held = HeldThought(owner, thought)
        if self._line is None:
            self._show_thought(held)
        else:
            self._hold(held)

    def _words(self, words: HeldWords) -> None:
        if self._line is None:
            self._show_words(words)
        else:
            self._hold(words)
        if isinstance(words.audience, PublicAudience):
            self._tell_owners([words.chat], late=False)

    def _tell_owner_at_once(self, change: Change, user_id: UserId) -> None:
        late = self._is_late(OwnerAudience(user_id))
        self._door.send_to_user(user_id, self._table_id, change.own_cards(user_id) if late else change.owner(user_id))

    # --- what is shown --------------------------------------------------------------------------------------------------

    def show_due(self) -> None:
        """Show what is old enough. A fault in it is logged without a value, and the rest is shown."""
        self._waits = False
        if self._line is None or self._closed:
            return
        for held in self._line.take_due(self._clock.monotonic_ms()):
            try:
                self._show(held)
            except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold a card
                log.error("late_fault", table=self._table_id, error=type(error).__name__, where=faults.where(error))
        self._wait()

    def _show(self, held: Held) -> None:
        match held:
            case HeldBeginning(state=state):
                self._show_state(state)
                self._begin_epochs()
                self._door.renew_stream(self._table_id, AgentsAudience())
            case HeldChange(facts=facts, state=state, now=now):
                shown = self._show_state(state)
                self._show_change(Change(self._table_id, facts, shown, now))
            case HeldWords():
                self._show_words(held)
                if isinstance(held.audience, PublicAudience):
                    self._tell_owners([held.chat], late=True)
            case HeldThought():
                self._show_thought(held)
            case _:
                assert_never(held)

    def _show_state(self, state: TableState) -> TableState:
        """The state of then, with the reveals of now."""
        assert self._line is not None
        reveal = self._room().options.reveal
        self._line.shown = replace(state, options=replace(state.options, reveal=reveal))
        return self._line.shown

    def _show_change(self, change: Change) -> None:
        """To the public and to agents without a seat; and to owners, where they are shown it as late."""
        if self._door.has_listeners(self._table_id, PublicAudience()):
            self._door.send_to_public(self._table_id, change.public())
        if self._door.has_listeners(self._table_id, AgentsAudience()):
            self._door.send_to_unseated_agents(self._table_id, change.unseated_agents())
        for user_id in self._door.owners_listening(self._table_id):
            if self._is_late(OwnerAudience(user_id)):
                self._door.send_to_user(user_id, self._table_id, change.owner_without_cards(user_id))

    def _show_words(self, words: HeldWords) -> None:
        match words.audience:
            case PublicAudience():
                self._door.send_to_public(self._table_id, [words.chat])
            case AgentsAudience():
                self._door.send_to_unseated_agents(self._table_id, [words.chat])
            case _:
                assert_never(words.audience)

    def _show_thought(self, held: HeldThought) -> None:
        reveal = self._room().options.reveal
        if ToPublic() in thought_policy.address_thought(moment=Moment.ACTED, owner=held.owner, options=reveal):
            self._door.send_to_public(self._table_id, [held.thought])
            for user_id in self._door.owners_listening(self._table_id):
                if user_id != held.owner:
                    self._door.send_to_user(user_id, self._table_id, [held.thought])

    def _tell_owners(self, frames: Sequence[NumberedFrame], *, late: bool) -> None:
        for user_id in self._door.owners_listening(self._table_id):
            if self._is_late(OwnerAudience(user_id)) is late:
                self._door.send_to_user(user_id, self._table_id, frames)

    def _send_to_all_watchers(self, frames: Sequence[NumberedFrame]) -> None:
        if frames:
            self._door.send_to_public(self._table_id, frames)
            self._door.send_to_unseated_agents(self._table_id, frames)
            self._tell_owners(frames, late=True)

    def _begin_epochs(self) -> None:
        """For everybody who has reveals: what was sent before cannot be resumed, and a snapshot shows what there is now."""
        if self._line is not None:
            self._show_state(self._line.shown)
        self._door.renew_stream(self._table_id, PublicAudience())
        for user_id in self._door.owners_listening(self._table_id):
            self._door.renew_stream(self._table_id, OwnerAudience(user_id))

    # --- time -----------------------------------------------------------------------------------------------------------

    def _hold(self, held: Held) -> None:
        assert self._line is not None
        self._line.hold(held, self._clock.monotonic_ms())
        self._wait()

    def _wait(self) -> None:
        due_ms = None if self._line is None else self._line.next_due_ms()
        if due_ms is not None and not self._waits and not self._closed:
            self._waits = True
            self._later(max(0, due_ms - self._clock.monotonic_ms()), self.show_due)


def _not_open() -> Room:
    raise Bug("a table is opened before anything is sent")
