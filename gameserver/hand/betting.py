"""One hand's betting: whose turn, what may be done, and where the chips are. No cards, no facts, no winners.

The rule on re-opening (TDA, Robert's Rules): who has acted may raise again when facing, in total, at least a full bet or raise
since then. A short all-in leaves the step of the next raise as it was. A blind posted short leaves the bet as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gameserver.hand.facts import ActionKind, ForcedKind, Turn
from gameserver.hand.pots import layers, uncalled
from policy.ids import ActionIndex, Seat

_DEAD: Final = frozenset({ForcedKind.BIG_BLIND_ANTE, ForcedKind.DEAD_POST})
"""No part of any bet; it lies in the main pot."""


class Betting:
    """The chips of one hand and the order of play.

    `stacks`, `bets` (this street), `paid` (towards the pots, this street included), `dead` (dead money): chips by seat.
    `live`: seats still in, in order from the left of the button. `aggressor`: the last to bet or raise on this street.
    """

    __slots__ = (
        "_faced",
        "_least_bet_chips",
        "_order",
        "_pending",
        "_step_chips",
        "_to_match_chips",
        "aggressor",
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
        self.aggressor: Seat | None = None
        self._order: Final = tuple(self.stacks)
        self._least_bet_chips: Final = least_bet_chips
        self._to_match_chips = 0
        self._step_chips = least_bet_chips
        self._pending: list[Seat] = []
        self._faced: Final[dict[Seat, int]] = {}  # the bet to match when a seat last acted on this street

    def post(self, seat: Seat, kind: ForcedKind, amount_chips: int) -> int:
        """Takes a forced bet, as far as the stack goes, and returns what it took."""
        chips = min(amount_chips, self.stacks[seat])
        self.stacks[seat] -= chips
        if kind in _DEAD:
            self.dead[seat] += chips
            return chips
        self.paid[seat] += chips
        if kind is not ForcedKind.ANTE:
            self.bets[seat] += chips
        return chips

    def open_preflop(self, after: Seat, to_match_chips: int) -> None:
        """The first street: first to act is left of `after`, the bet to match is the full (straddled) blind."""
        self._to_match_chips = self._step_chips = to_match_chips
        self._pending = [seat for seat in self._from_left_of(after) if self.stacks[seat]]

    def open_street(self) -> None:
        """A later street: no bets, first to act is the first live seat left of the button."""
        self.clear_bets()
        self._faced.clear()
        self._to_match_chips = 0
        self._step_chips = self._least_bet_chips
        self.aggressor = None
        self._pending = [seat for seat in self.live if self.stacks[seat]]

    def next_turn(self, action_index: ActionIndex) -> Turn | None:
        """What the next seat may do; None: nobody has a decision left on this street."""
        if not self._pending or len(self.live) == 1:
            return None
        seat = self._pending[0]
        alone = self._has_the_only_chips(seat)
        if alone and self.bets[seat] >= max(self.bets[other] for other in self.live if other != seat):
            return None
        return self._turn(seat, None if alone else self._raise_range(seat), action_index)

    def no_decision_is_left(self) -> bool:
        """None on this street (`next_turn` gave None), and none on any street to come."""
        return sum(1 for seat in self.live if self.stacks[seat]) <= 1

    def fold(self, seat: Seat) -> None:
        self._pending.remove(seat)
        self.live.remove(seat)

    def put_in(self, seat: Seat, total_chips: int) -> int:
        """The seat's bet on this street becomes `total_chips`: a check, a call, a bet or a raise. Returns what was added."""
        added = total_chips - self.bets[seat]
        self.stacks[seat] -= added
        self.bets[seat] = total_chips
        self.paid[seat] += added
        self._pending.remove(seat)
        if total_chips > self._to_match_chips:
            self._raise_to(seat, total_chips)
        self._faced[seat] = self._to_match_chips
        return added

    def kind_of(self, total_chips: int, to_call_chips: int) -> ActionKind:
        """What a total of this street is: a check, a call, a bet or a raise. Ask before the chips move."""
        if total_chips > self._to_match_chips:
            return ActionKind.RAISE if self._to_match_chips else ActionKind.BET
        return ActionKind.CALL if to_call_chips else ActionKind.CHECK

    def give_back_uncalled(self) -> tuple[Seat, int] | None:
        """Returns the part of the highest bet that nobody matched; None: there is none."""
        surplus = uncalled(self.bets, self.live)
        if surplus is not None:
            seat, chips = surplus
            self.stacks[seat] += chips
            self.bets[seat] -= chips
            self.paid[seat] -= chips
        return surplus

    def showing_order(self) -> tuple[Seat, ...]:
        """Live seats: the last to bet or raise on this street and on from there, else from the left of the button."""
        if self.aggressor is None:
            return tuple(self.live)
        return tuple(seat for seat in self._from(self.aggressor) if seat in self.live)

    def all_in(self) -> list[Seat]:
        """Live seats with nothing behind."""
        return [seat for seat in self.live if not self.stacks[seat]]

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

    def _raise_to(self, seat: Seat, total_chips: int) -> None:
        step = total_chips - self._to_match_chips
        self._step_chips = max(step, self._step_chips)
        self._to_match_chips = total_chips
        self.aggressor = seat
        self._pending = [other for other in self._from_left_of(seat) if self._is_able(other) and other != seat]

    def _raise_range(self, seat: Seat) -> tuple[int, int] | None:
        most = self.bets[seat] + self.stacks[seat]
        if most <= self._to_match_chips or not self._may_raise(seat):
            return None
        return min(self._to_match_chips + self._step_chips, most), most

    def _may_raise(self, seat: Seat) -> bool:
        faced = self._faced.get(seat)
        return faced is None or self._to_match_chips - faced >= self._step_chips

    def _turn(self, seat: Seat, raise_range: tuple[int, int] | None, action_index: ActionIndex) -> Turn:
        stack = self.stacks[seat]
        to_call = min(self._to_match_chips - self.bets[seat], stack)
        legal = [ActionKind.FOLD, ActionKind.CALL if to_call else ActionKind.CHECK]
        if raise_range is not None:
            legal.append(ActionKind.RAISE if self._to_match_chips else ActionKind.BET)
        if raise_range is not None or to_call == stack:
            legal.append(ActionKind.ALL_IN)
        return Turn(seat, tuple(legal), to_call, raise_range, action_index)

    def _has_the_only_chips(self, seat: Seat) -> bool:
        return not any(self.stacks[other] for other in self.live if other != seat)

    def _is_able(self, seat: Seat) -> bool:
        return seat in self.live and self.stacks[seat] > 0

    def _from(self, seat: Seat) -> tuple[Seat, ...]:
        place = self._order.index(seat)
        return self._order[place:] + self._order[:place]

    def _from_left_of(self, seat: Seat) -> tuple[Seat, ...]:
        place = self._order.index(seat) + 1
        return self._order[place:] + self._order[:place]
