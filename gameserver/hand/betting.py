"""One hand's betting: whose turn, what may be done, and where the chips are. No cards, no facts, no winners.

The rule on re-opening (TDA, Robert's Rules): who has acted may raise again when facing, in total, at least a full bet or raise
since then. A short all-in leaves the step of the next raise as it was. A blind posted short leaves the bet as it was. A raise
needs somebody who could call a part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gameserver.hand.facts import ActionKind, ForcedKind, Turn
from gameserver.hand.pots import layers, uncalled
from policy.ids import ActionIndex, Seat

_DEAD: Final = frozenset({ForcedKind.BIG_BLIND_ANTE, ForcedKind.DEAD_POST})
"""No part of any bet; it lies in the main pot."""

# Names for the members: looking one up in its class costs as much as a small function call.
_FOLD, _CHECK, _CALL, _BET, _RAISE, _ALL_IN = ActionKind
_ANTE: Final = ForcedKind.ANTE

_LEGAL: Final = {
    (passive, active, all_in): (_FOLD, passive, *active, *((_ALL_IN,) if all_in else ()))
    for passive in (_CHECK, _CALL)
    for active in ((), (_BET,), (_RAISE,))
    for all_in in (False, True)
}


class Betting:
    """The chips of one hand and the order of play.

    `stacks`, `bets` (this street), `paid` (towards the pots, this street included), `dead` (dead money): chips by seat.
    `live`: seats still in, in order from the left of the button.
    """

    __slots__ = (
        "_able",
        "_aggressor",
        "_faced",
        "_least_bet_chips",
        "_pending",
        "_step_chips",
        "_to_match_chips",
        "bets",
        "dead",
        "live",
        "paid",
        "stacks",
    )

    def __init__(self, seats: Sequence[tuple[Seat, int]], least_bet_chips: int) -> None:
        self.stacks: Final[dict[Seat, int]] = dict(seats)
        self.bets: Final[dict[Seat, int]] = dict.fromkeys(self.stacks, 0)
        self.paid: Final[dict[Seat, int]] = dict.fromkeys(self.stacks, 0)
        self.dead: Final[dict[Seat, int]] = dict.fromkeys(self.stacks, 0)
        self.live: Final[list[Seat]] = list(self.stacks)
        self._able: list[Seat] = []  # live seats with chips behind, in order
        self._pending: list[Seat] = []  # seats that are still to act on this street, the next one first
        self._aggressor: Seat | None = None  # the last to bet or raise on this street
        self._faced: Final[dict[Seat, int]] = {}  # the bet to match when a seat last acted on this street
        self._least_bet_chips: Final = least_bet_chips
        self._to_match_chips = 0
        self._step_chips = least_bet_chips

    def post(self, seat: Seat, kind: ForcedKind, amount_chips: int) -> int:
        """Takes a forced bet, as far as the stack goes, and returns what it took."""
        chips = min(amount_chips, self.stacks[seat])
        self.stacks[seat] -= chips
        if kind in _DEAD:
            self.dead[seat] += chips
            return chips
        self.paid[seat] += chips
        if kind is not _ANTE:
            self.bets[seat] += chips
        return chips

    def open_preflop(self, last: Seat, to_match_chips: int) -> None:
        """The first street: `last` acts last, the bet to match is the full (straddled) blind."""
        self._to_match_chips = self._step_chips = to_match_chips
        self._find_able()
        place = self.live.index(last) + 1
        around = self.live[place:] + self.live[:place]
        self._pending = [seat for seat in around if self.stacks[seat]]

    def open_street(self) -> None:
        """A later street: no bets, first to act is the first live seat left of the button."""
        self.clear_bets()
        self._faced.clear()
        self._to_match_chips = 0
        self._step_chips = self._least_bet_chips
        self._aggressor = None
        self._pending = self._able.copy()

    def next_turn(self, action_index: ActionIndex) -> Turn | None:
        """What the next seat may do; None: nobody has a decision left on this street."""
        if not self._pending or len(self.live) == 1:
            return None
        seat = self._pending[0]
        if len(self._able) > 1:
            return self._turn(seat, self._raise_range(seat), action_index)
        if self.bets[seat] >= max(self.bets[other] for other in self.live if other != seat):
            return None
        return self._turn(seat, None, action_index)

    def no_decision_is_left(self) -> bool:
        """None on this street (`next_turn` gave None), and none on any street to come."""
        return len(self._able) <= 1

    def fold(self, seat: Seat) -> None:
        """The seat whose turn it is gives up its hand."""
        del self._pending[0]
        self.live.remove(seat)
        self._able.remove(seat)

    def put_in(self, seat: Seat, total_chips: int) -> int:
        """The bet of the seat whose turn it is becomes `total_chips`: a check, call, bet or raise. Returns what was added."""
        added = total_chips - self.bets[seat]
        self.stacks[seat] -= added
        self.bets[seat] = total_chips
        self.paid[seat] += added
        del self._pending[0]
        if total_chips > self._to_match_chips:
            self._raise_to(seat, total_chips)
        self._faced[seat] = self._to_match_chips
        if not self.stacks[seat]:
            self._able.remove(seat)
        return added

    def kind_of(self, total_chips: int, to_call_chips: int) -> ActionKind:
        """What a total of this street is: a check, a call, a bet or a raise. Ask before the chips move."""
        if total_chips > self._to_match_chips:
            return _RAISE if self._to_match_chips else _BET
        return _CALL if to_call_chips else _CHECK

    def give_back_uncalled(self) -> tuple[Seat, int] | None:
        """Returns the part of the highest bet that nobody matched; None: there is none."""
        surplus = uncalled(self.bets, self.live)
        if surplus is not None:
            seat, chips = surplus
            self.stacks[seat] += chips
            self.bets[seat] -= chips
            self.paid[seat] -= chips
            self._find_able()
        return surplus

    def showing_order(self) -> list[Seat]:
        """Live seats: the last to bet or raise on this street and on from there, else from the left of the button."""
        if self._aggressor is None:
            return self.live
        place = self.live.index(self._aggressor)
        return self.live[place:] + self.live[:place]

    def all_in(self) -> list[Seat]:
        """Live seats with nothing behind."""
        return [seat for seat in self.live if not self.stacks[seat]]

    def put_in_chips(self, seat: Seat) -> int:
        """One seat's part of `contributed`."""
        return self.paid[seat] + self.dead[seat]

    def contributed(self) -> dict[Seat, int]:
        """All chips put in, by seat, less what was returned."""
        return {seat: paid + self.dead[seat] for seat, paid in self.paid.items()}

    def collected_pots(self) -> tuple[tuple[int, tuple[Seat, ...]], ...]:
        """The pots of what lay in the middle before this street."""
        collected = {seat: paid - self.bets[seat] for seat, paid in self.paid.items()}
        return layers(collected, sum(self.dead.values()), self.live)

    def final_pots(self) -> tuple[tuple[int, tuple[Seat, ...]], ...]:
        """The pots of all that was put in."""
        return layers(self.paid, sum(self.dead.values()), self.live)

    def pay(self, winners: Sequence[tuple[Seat, int]]) -> None:
        """Adds the shares of a pot to the stacks."""
        for seat, chips in winners:
            self.stacks[seat] += chips

    def clear_bets(self) -> None:
        """The chips of this street lie in the middle."""
        for seat in self.bets:
            self.bets[seat] = 0

    def _find_able(self) -> None:
        self._able = [seat for seat in self.live if self.stacks[seat]]

    def _raise_to(self, seat: Seat, total_chips: int) -> None:
        """Everybody else with chips has to act again. The seat itself still counts as able here: it marks the place."""
        self._step_chips = max(total_chips - self._to_match_chips, self._step_chips)
        self._to_match_chips = total_chips
        self._aggressor = seat
        place = self._able.index(seat)
        self._pending = self._able[place + 1 :] + self._able[:place]

    def _raise_range(self, seat: Seat) -> tuple[int, int] | None:
        most = self.bets[seat] + self.stacks[seat]
        to_match, step = self._to_match_chips, self._step_chips
        if most <= to_match or to_match - self._faced.get(seat, -step) < step:  # who has not acted faces all of it
            return None
        if not self._somebody_could_call(seat):
            return None
        return min(to_match + step, most), most

    def _somebody_could_call(self, raiser: Seat) -> bool:
        """Another seat has chips for more than the bet as it is."""
        for other in self._able:
            if other != raiser and self.bets[other] + self.stacks[other] > self._to_match_chips:
                return True
        return False

    def _turn(self, seat: Seat, raise_range: tuple[int, int] | None, action_index: ActionIndex) -> Turn:
        to_match, stack = self._to_match_chips, self.stacks[seat]
        to_call = min(to_match - self.bets[seat], stack)
        active = () if raise_range is None else (_RAISE,) if to_match else (_BET,)
        legal = _LEGAL[_CALL if to_call else _CHECK, active, bool(active) or to_call == stack]
        return Turn(seat, legal, to_call, raise_range, action_index)
