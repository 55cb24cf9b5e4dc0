"""What all parts of the room read and change: the chairs, the positions, the hand in play, and the facts not yet told.

A command is carried out in two steps: it is prepared, which checks everything and changes nothing, and gives a `Change`;
then the change is made, which refuses nothing. So whatever is refused has left everything as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from gameserver.errors import ErrorCode, Refusal
from gameserver.hand.hand import Hand
from gameserver.table.clock import Banks
from gameserver.table.commands import PlayerId
from gameserver.table.debts import NONE, Debt
from gameserver.table.facts import Fact, HandResult, SeatStatus, StatusChanged
from gameserver.table.memory import Begun, Departure, RoomMemory
from gameserver.table.options import TableOptions
from gameserver.table.play import Play
from gameserver.table.seats import Chair, status_beside_a_hand, status_in_a_hand
from policy.ids import Seat, TurnId
from policy.reveal_policy import HandCards

Change: TypeAlias = Callable[[int], None]
"""Makes a prepared change, at a time in milliseconds. It refuses nothing."""

RECENT_HANDS = 20


def nothing(now_ms: int) -> None:
    """The change that changes nothing."""


class Table:
    """The present state of one room. `begun`: a hand that began before a restart and has to be cancelled."""

    def __init__(
        self,
        options: TableOptions,
        memory: RoomMemory,
        new_turn_id: Callable[[], TurnId],
        recent: Sequence[HandResult] = (),
    ) -> None:
        self.options = options
        self.new_turn_id = new_turn_id
        self.chairs = {chair.seat: replace(chair, connected=False) for chair in memory.chairs}
        self.departures = list(memory.departures)
        self.marks = memory.marks
        self.drawn = memory.drawn
        self.hand_number = memory.hand_number
        self.status = memory.status
        self.closing = memory.closing
        self.begun = memory.begun
        self.play: Play | None = None
        self.next_name: str | None = None
        self.ended: Hand | None = None
        self.ended_players: dict[Seat, PlayerId] = {}
        self.recent: list[HandResult] = [*recent][-RECENT_HANDS:]
        self.facts: list[Fact] = []
        self._told_status = {chair.seat: self.status_of(chair) for chair in self.chairs.values()}

    # --- reading --------------------------------------------------------------------------------------------------------

    def seat_of(self, player: PlayerId) -> Seat | None:
        """Where the player sits; a player who left and was paid in mid-hand sits nowhere."""
        return next((c.seat for c in self.chairs.values() if c.player_id == player and not c.paid_out), None)

    def chair_of(self, player: PlayerId) -> Chair:
        """The player's chair. Raises Refusal(not_seated)."""
        seat = self.seat_of(player)
        if seat is None:
            raise Refusal(ErrorCode.NOT_SEATED, "this needs a seat")
        return self.chairs[seat]

    def staying_chair_of(self, player: PlayerId) -> Chair:
        """The chair of a player who is not about to leave it. Raises Refusal(not_seated)."""
        chair = self.chair_of(player)
        if chair.leaving is not None:
            raise Refusal(ErrorCode.NOT_SEATED, "the seat is given up already")
        return chair

    def is_in_hand(self, seat: Seat) -> bool:
        """Dealt in and not folded, in a hand that began."""
        return self.play is not None and self.play.is_in(seat)

    def debt_of(self, chair: Chair) -> Debt:
        """What the seat owes as things stand; before the first hand of a table nobody owes."""
        if self.play is not None:
            return self.play.plan.debts.get(chair.seat, chair.debt)
        return chair.debt if self.marks is not None else NONE

    def stack_of(self, chair: Chair) -> int:
        """Chips behind."""
        return chair.stack_chips - (self.play.put_in_chips(chair.seat) if self.play is not None else 0)

    def banks_of(self, chair: Chair) -> Banks:
        """The banks, but for what the open turn has used."""
        return self.play.banks.get(chair.seat, chair.banks) if self.play is not None else chair.banks

    def status_of(self, chair: Chair) -> SeatStatus:
        play = self.play
        if play is None or not play.is_dealt(chair.seat):
            leaves = chair.leaving is not None
            return SeatStatus.LEAVING if leaves else status_beside_a_hand(chair, self.debt_of(chair))
        hand = play.hand
        if hand is None:
            return status_in_a_hand(chair, folded=False, all_in=False)
        return status_in_a_hand(chair, folded=hand.is_folded(chair.seat), all_in=hand.is_all_in(chair.seat))

    def last_cards(self) -> HandCards | None:
        return self.ended.cards() if self.ended is not None and self.play is None else None

    def memory(self, now_ms: int) -> RoomMemory:
        """What outlives a restart, as if the hand in play were cancelled now."""
        play = self.play
        return RoomMemory(
            chairs=tuple(replace(self.chairs[seat], connected=False) for seat in sorted(self.chairs)),
            departures=tuple(self.departures),
            marks=self.marks,
            drawn=self.drawn,
            hand_number=self.hand_number,
            status=self.status,
            closing=self.closing,
            begun=Begun(play.hand_number, play.plan.dealt) if play is not None else self.begun,
            taken_at_ms=now_ms,
        )

    # --- changing -------------------------------------------------------------------------------------------------------

    def tell(self, *facts: Fact) -> None:
        self.facts.extend(facts)

    def put(self, chair: Chair) -> None:
        self.chairs[chair.seat] = chair

    def free(self, seat: Seat) -> None:
        del self.chairs[seat]
        self._told_status.pop(seat, None)

    def remember_departure(self, player: PlayerId, took_chips: int, now_ms: int) -> None:
        """For the return rule; what is too old for it is forgotten."""
        limit = self.options.clocks.rathole_ms
        kept = [each for each in self.departures if each.player != player and now_ms - each.left_at_ms < limit]
        self.departures = [*kept, Departure(player, took_chips, now_ms)]

    def settle(self, now_ms: int) -> None:
        """After a change: idle times start or end, and statuses that changed are told."""
        for chair in tuple(self.chairs.values()):
            self._settle_idle(chair, now_ms)
        for seat in sorted(self.chairs):
            self._tell_status(self.chairs[seat])

    def _settle_idle(self, chair: Chair, now_ms: int) -> None:
        plays = self.play is not None and self.play.is_dealt(chair.seat)
        idle = chair.is_idle and not plays and chair.leaving is None
        if idle != (chair.idle_since_ms is not None):
            self.put(replace(chair, idle_since_ms=now_ms if idle else None))

    def _tell_status(self, chair: Chair) -> None:
        status = self.status_of(chair)
        if self._told_status.get(chair.seat) is not status:
            self._told_status[chair.seat] = status
            self.tell(StatusChanged(chair.seat, status))
