"""One occupied seat, and how it stands. Values and pure functions; what changes them is elsewhere.

While a hand is in play a chair is as it would be if that hand were cancelled: its chips, banks, debts and wishes are those from
before the deal, and the play (`play.py`) holds what the hand makes of them. So a crash and a cancelled hand need no undoing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gameserver.table.clock import Banks
from gameserver.table.commands import Player, PlayerId, player_id
from gameserver.table.debts import NONE, Debt
from gameserver.table.facts import LeftBecause, NotDealt, SeatStatus
from policy.ids import AgentVersionId, Seat


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat and its player. Chips are whole numbers, times are milliseconds of the room's own clock.

    `sit_out_asked`: from the end of this hand. `reserved_chips`: a rebuy that waits for it. `idle_since_ms`: from when the seat
    has been sitting out, away or without chips, and not in a hand; None: it is not. `leaving`: gives the seat up when the hand
    is over; `paid_out`: and has its chips already, but for what it put into this hand.
    """

    seat: Seat
    player: Player
    name: str
    stack_chips: int
    banks: Banks
    connected: bool = False
    sitting_out: bool = False
    sit_out_asked: bool = False
    out_at_big_blind: bool = False
    posts: bool = False
    straddles: bool = False
    debt: Debt = NONE
    hands_dealt: int = 0
    timeouts: int = 0
    reserved_chips: int = 0
    leaving: LeftBecause | None = None
    paid_out: bool = False
    next_version: AgentVersionId | None = None
    idle_since_ms: int | None = None

    @property
    def player_id(self) -> PlayerId:
        return player_id(self.player)

    @property
    def is_idle(self) -> bool:
        """Sitting out, away or without chips."""
        return self.sitting_out or not self.connected or self.stack_chips == 0

    @property
    def is_ready(self) -> bool:
        """Chips, a line, not sitting out, and here to stay."""
        return not self.is_idle and self.leaving is None


def sit_out(chair: Chair) -> Chair:
    """The chair sitting out. The wish to post goes with it: who comes back asks again."""
    return replace(chair, sitting_out=True, sit_out_asked=False, out_at_big_blind=False, posts=False)


def status_beside_a_hand(chair: Chair, debt: Debt) -> SeatStatus:
    """How a seat stands that is not dealt in. Where several hold, the last one in the order of `SeatStatus` counts."""
    if chair.stack_chips == 0:
        return SeatStatus.NO_CHIPS
    if not chair.connected:
        return SeatStatus.AWAY
    if chair.sitting_out:
        return SeatStatus.SITTING_OUT
    if not debt.owes:
        return SeatStatus.READY
    return SeatStatus.POSTING if chair.posts else SeatStatus.WAITING_BIG_BLIND


def status_in_a_hand(chair: Chair, *, folded: bool, all_in: bool) -> SeatStatus:
    """How a seat stands that is dealt in."""
    if chair.leaving is not None:
        return SeatStatus.LEAVING
    if all_in:
        return SeatStatus.ALL_IN
    return SeatStatus.FOLDED if folded else SeatStatus.IN_HAND


def why_not_dealt(chair: Chair) -> NotDealt:
    """Why an occupied seat gets no cards in the coming hand."""
    if chair.stack_chips == 0:
        return NotDealt.NO_CHIPS
    if not chair.connected:
        return NotDealt.AWAY
    if chair.sitting_out:
        return NotDealt.SITTING_OUT
    return NotDealt.BUTTON_NOT_PASSED if chair.posts else NotDealt.WAITING_BIG_BLIND
