"""The hand in play, as the table room knows it: the plan, the engine's hand, the clock that runs, and what is so far only true if
the hand is played to its end.

It decides nothing; `hand_flow` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gameserver.errors import Bug
from gameserver.hand.facts import Posted
from gameserver.hand.hand import Hand
from gameserver.table.clock import Banks, TurnClock
from gameserver.table.facts import Moved
from gameserver.table.plan import Plan
from gameserver.table.seats import Chair
from policy.ids import HandNumber, HoleCards, Seat, TurnId
from policy.reveal_policy import HandCards, Peek


class Play:
    """One hand from its plan to its last chip.

    `hand`: None until it is dealt. `banks`, `timeouts`: by seat dealt in, as the hand makes them. `lost_line`: seats whose line
    was down in this hand. `straddles_again`: seats that straddle in it and wish to at the next chance too.
    `turn_id`, `clock`: of the open turn; None: there is none. `provider_down`: reported for the open turn.
    """

    __slots__ = (
        "banks",
        "clock",
        "hand",
        "hand_number",
        "lost_line",
        "moves",
        "peeks",
        "plan",
        "provider_down",
        "shown",
        "straddles_again",
        "timeouts",
        "turn_id",
    )

    def __init__(self, plan: Plan, hand_number: HandNumber, chairs: Mapping[Seat, Chair]) -> None:
        self.plan: Final = plan
        self.hand_number: Final = hand_number
        self.hand: Hand | None = None
        self.banks: Final[dict[Seat, Banks]] = {seat: chairs[seat].banks for seat, _ in plan.dealt}
        self.timeouts: Final[dict[Seat, int]] = {seat: chairs[seat].timeouts for seat, _ in plan.dealt}
        self.lost_line: Final[set[Seat]] = set()
        self.straddles_again: Final[set[Seat]] = set()
        self.moves: Final[list[Posted | Moved]] = []
        self.shown: Final[list[tuple[Seat, HoleCards]]] = []
        self.peeks: Final[list[Peek]] = []
        self.turn_id: TurnId | None = None
        self.clock: TurnClock | None = None
        self.provider_down = False

    def is_dealt(self, seat: Seat) -> bool:
        return seat in self.banks

    def is_in(self, seat: Seat) -> bool:
        """Dealt in and not folded."""
        return self.is_dealt(seat) and (self.hand is None or not self.hand.is_folded(seat))

    @property
    def turn_seat(self) -> Seat | None:
        """Whose turn is open."""
        if self.hand is None or self.hand.turn is None:
            return None
        return self.hand.turn.seat

    @property
    def engine(self) -> Hand:
        """The hand, once it is dealt."""
        if self.hand is None:
            raise Bug("the hand is not dealt yet")
        return self.hand

    def put_in_chips(self, seat: Seat) -> int:
        """What the seat has put into this hand, net of what was returned."""
        return self.hand.put_in_chips(seat) if self.hand is not None and self.is_dealt(seat) else 0

    def cards(self) -> HandCards:
        """What the reveal gate asks about, with the peeks of this hand."""
        return replace(self.engine.cards(), peeks=tuple(self.peeks))
