"""The room's face: a command in, facts out.

    room = Room(options=options, memory=new_memory(first_button), new_turn_id=new_turn_id, now_ms=now_ms)
    facts = room.receive(command, now_ms)

It dispatches and lets time pass; what a command does is in the module that the match names. Time, ids and decks come in as
arguments. It opens no seal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import assert_never

from gameserver.errors import Bug
from gameserver.table import clock, commands, controls, hand_end, hand_flow, leaving, picture, rebuy, wishes
from gameserver.table.commands import Command, Player, PlayerId
from gameserver.table.facts import Fact, HandResult, LeftBecause, PresenceChanged
from gameserver.table.memory import RoomMemory, rebased
from gameserver.table.options import TableOptions
from gameserver.table.sit import prepare_sit
from gameserver.table.state import TableState
from gameserver.table.table import Change, Table, nothing
from policy import spectator_policy
from policy.ids import HandNumber, Seat, TurnId


class Room:
    """One table. Whoever restores it after a crash sends `CancelHand` first where `live_hand_number` is not None."""

    def __init__(
        self,
        *,
        options: TableOptions,
        memory: RoomMemory,
        new_turn_id: Callable[[], TurnId],
        now_ms: int,
        elapsed_ms: int = 0,
        platform_models: AbstractSet[str] = frozenset(),
        recent: Sequence[HandResult] = (),
    ) -> None:
        """A new table or one that is restored; every line is down.

        `recent`: the last finished hands of a table that is restored, oldest first. `elapsed_ms`: what passed since the memory
        was taken. `platform_models`: what may play at a table that reveals anything.
        """
        reveal = spectator_policy.fold_reveal_options(table_kind=options.kind, stored=options.reveal)
        kept = rebased(memory, now_ms, elapsed_ms)
        self._table = Table(replace(options, reveal=reveal), kept, new_turn_id, recent)
        self._platform_models = platform_models
        self._now_ms = now_ms
        self._table.settle(now_ms)
        self._table.facts.clear()  # nobody has been told anything yet: a snapshot has it all

    # --- commands -------------------------------------------------------------------------------------------------------

    def receive(self, command: Command, now_ms: int) -> tuple[Fact, ...]:
        """Carries a command out. Facts of what fell due before it come first.

        Raises Refusal where the command changes nothing; facts of what fell due are then told by the next call.
        """
        self._now_ms = now_ms
        self._let_fall_due(now_ms)
        change = self._prepare(command, now_ms)
        change(now_ms)
        self._table.settle(now_ms)
        facts = tuple(self._table.facts)
        self._table.facts.clear()
        return facts

    def verify(self, command: Command, now_ms: int) -> None:
        """Raises the Refusal that `receive` would; changes nothing."""
        self._prepare(command, now_ms)

    def _prepare(self, command: Command, now_ms: int) -> Change:
        table = self._table
        if table.begun is not None:
            return self._prepare_to_recover(command)
        match command:
            case commands.Sit():
                return prepare_sit(table, self._platform_models, command, now_ms)
            case commands.Stand(player):
                return self._prepare_to_leave(player, LeftBecause.STOOD)
            case commands.Leave(player):
                return self._prepare_to_leave(player, LeftBecause.LEFT)
            case commands.SitOut():
                return wishes.prepare_sit_out(table, command)
            case commands.SitIn(player):
                return wishes.prepare_sit_in(table, player)
            case commands.PostBlind(player):
                return wishes.prepare_posting(table, player, posts=True)
            case commands.WaitForBigBlind(player):
                return wishes.prepare_posting(table, player, posts=False)
            case commands.WishStraddle(player):
                return wishes.prepare_straddle(table, player)
            case commands.Rebuy():
                return rebuy.prepare_rebuy(table, command)
            case commands.Act():
                return hand_flow.prepare_act(table, command, now_ms)
            case commands.ReportProviderDown():
                return controls.prepare_report(table, command)
            case commands.ShowCards(player):
                return controls.prepare_show(table, player)
            case commands.UsePower():
                return controls.prepare_power(table, command)
            case commands.SetVersion():
                return controls.prepare_set_version(table, command)
            case commands.Connect(player):
                return self._prepare_line(player, connected=True)
            case commands.Disconnect(player):
                return self._prepare_line(player, connected=False)
            case commands.BeginHand():
                return hand_flow.prepare_begin(table)
            case commands.Deal(deck):
                return hand_flow.prepare_deal(table, deck)
            case commands.Tick():
                return nothing
            case commands.Pause():
                return controls.prepare_pause(table)
            case commands.Resume():
                return controls.prepare_resume(table)
            case commands.Close():
                return controls.prepare_close(table)
            case commands.Rename():
                return controls.prepare_rename(table, command)
            case commands.NarrowReveal():
                return controls.prepare_narrow_reveal(table, command)
            case commands.CancelHand(why):
                return hand_end.prepare_cancel(table, why)
            case commands.Remove():
                return controls.prepare_remove(table, command)
            case _:
                assert_never(command)

    def _prepare_to_recover(self, command: Command) -> Change:
        """A hand that began before a restart is cancelled before anything else happens."""
        match command:
            case commands.CancelHand(why):
                return hand_end.prepare_cancel(self._table, why)
            case commands.Tick():
                return nothing
            case _:
                raise Bug("a hand that never ended has to be cancelled first")

    def _prepare_to_leave(self, player: PlayerId, because: LeftBecause) -> Change:
        return partial(hand_flow.leave, self._table, self._table.chair_of(player).seat, because)

    # --- lines ----------------------------------------------------------------------------------------------------------

    def _prepare_line(self, player: PlayerId, *, connected: bool) -> Change:
        seat = self._table.seat_of(player)
        if seat is None or self._table.chairs[seat].connected == connected:
            return nothing
        return partial(self._change_line, seat, connected)

    def _change_line(self, seat: Seat, connected: bool, now_ms: int) -> None:
        self._table.put(replace(self._table.chairs[seat], connected=connected))
        hand_flow.line_changed(self._table, seat, connected=connected, now_ms=now_ms)
        self._table.tell(PresenceChanged(seat, connected))

    # --- time -----------------------------------------------------------------------------------------------------------

    def next_due_ms(self) -> int | None:
        """When a `Tick` is needed; None: nothing falls due by itself."""
        dues = [due for due in (self._turn_due_ms(), self._removal_due_ms()) if due is not None]
        return min(dues, default=None)

    def _let_fall_due(self, now_ms: int) -> None:
        while (due_ms := self.next_due_ms()) is not None and due_ms <= now_ms:
            if due_ms == self._turn_due_ms():
                hand_flow.time_out(self._table)
                due_ms -= 1  # the deadline itself, where the next clock starts
            else:
                self._remove_idle(due_ms)
            self._table.settle(due_ms)

    def _turn_due_ms(self) -> int | None:
        play = self._table.play
        return None if play is None or play.clock is None else clock.acts_for_at_ms(play.clock) + 1

    def _removal_due_ms(self) -> int | None:
        since = [c.idle_since_ms for c in self._table.chairs.values() if c.idle_since_ms is not None]
        return min(since) + self._table.options.clocks.sit_out_remove_ms + 1 if since else None

    def _remove_idle(self, due_ms: int) -> None:
        limit = self._table.options.clocks.sit_out_remove_ms
        for chair in tuple(self._table.chairs.values()):
            if chair.idle_since_ms is not None and chair.idle_since_ms + limit < due_ms:
                leaving.give_up(self._table, chair, LeftBecause.SAT_OUT_TOO_LONG, due_ms)

    # --- reading --------------------------------------------------------------------------------------------------------

    @property
    def options(self) -> TableOptions:
        """As they are now: the name and what is revealed may have changed."""
        return self._table.options

    @property
    def live_hand_number(self) -> HandNumber | None:
        """The hand that began and has not ended, also one from before a restart."""
        if self._table.begun is not None:
            return self._table.begun.hand_number
        return self._table.play.hand_number if self._table.play is not None else None

    @property
    def closed(self) -> bool:
        """Everybody is paid out, and nothing happens here any more."""
        return self._table.status == "closed"

    def wants_hand(self) -> bool:
        """Whether a hand can begin now: open, none in play, two ready."""
        table = self._table
        if table.status != "open" or table.closing or self.live_hand_number is not None:
            return False
        return sum(chair.is_ready for chair in table.chairs.values()) >= 2

    def seat_of(self, player: PlayerId) -> Seat | None:
        """Where the player sits; a player who left and was paid in mid-hand sits nowhere."""
        return self._table.seat_of(player)

    def player_of(self, player: PlayerId) -> Player:
        """The seated player. Raises Refusal(not_seated)."""
        return self._table.chair_of(player).player

    def players(self) -> tuple[tuple[Seat, Player], ...]:
        """Who holds which seat, those who left in mid-hand included."""
        return tuple((chair.seat, chair.player) for chair in self._table.chairs.values())

    def state(self, now_ms: int) -> TableState:
        """The table as it stands. Hole cards in it are sealed."""
        return picture.state_of(self._table, now_ms)

    def memory(self) -> RoomMemory:
        """What outlives a restart, as if the hand in play were cancelled now; no card."""
        return self._table.memory(self._now_ms)
