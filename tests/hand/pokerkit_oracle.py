"""PokerKit as the second opinion: the same hand played beside ours, and where PokerKit is known to be wrong.

Each `Divergence` has a predicate that says from our side of the game alone that PokerKit will answer otherwise; where the
predicate can foretell PokerKit's answer, it does. What no predicate explains is a failure. Versions: PokerKit 0.7.7.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pokerkit import Automation, NoLimitTexasHoldem

from gameserver.hand.facts import Acted, ActionKind, HandOver, PotResult, Street, Turn
from gameserver.hand.hand import Hand
from policy.ids import Seat
from tests.hand.setups import BIG_BLIND, SMALL_BLIND, SetUp

_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)

Range: TypeAlias = tuple[int, int] | None


class Divergence(enum.Enum):
    """Where PokerKit answers otherwise than the rules do."""

    REOPENED = "a short all-in as the first raise (or open) counts as a full one, and who has acted may raise again"
    CLOSED_AGAIN = "a short all-in after short ones that came to a full raise together closes the betting again"
    SHORT_BLIND = "a big blind posted short lowers what the others must call, and the least raise"
    STRADDLE_STEP = "with a straddle the least raise adds the big blind"
    ODD_CHIPS = "all odd chips of a pot go to the first winner"
    MERGED_POTS = "pots with the same claimants left merge before they are divided"
    LONE_CHECK = "a lone player with chips against all-ins is asked to check"
    NO_FOLD = "a fold with nothing to call is refused"


@dataclass(frozen=True, slots=True)
class Asked:
    """What PokerKit asks for."""

    seat: Seat
    to_call_chips: int
    raise_range: Range


class PokerKitTable:
    """One hand at PokerKit, with the cards of a set-up."""

    def __init__(self, set_up: SetUp) -> None:
        self._board = list(set_up.board)
        players = len(set_up.stacks)
        self.state: Any = NoLimitTexasHoldem.create_state(
            _AUTOMATIONS,
            not set_up.big_blind_ante_chips,
            _antes(set_up),
            _blinds(set_up),
            BIG_BLIND,
            set_up.stacks,
            players,
        )
        for cards in set_up.hole:
            self.state.deal_hole("".join(cards))
        self._deal()

    def asked(self) -> Asked | None:
        state = self.state
        if state.actor_index is None:
            return None
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        raise_range = None if least is None else (least, most)
        return Asked(Seat(state.actor_index), state.checking_or_calling_amount, raise_range)

    def act(self, kind: ActionKind, total_chips: int | None) -> None:
        if kind is ActionKind.FOLD:
            self.state.fold()
        elif total_chips is None:
            self.state.check_or_call()
        else:
            self.state.complete_bet_or_raise_to(total_chips)
        self._deal()

    def stacks(self) -> tuple[int, ...]:
        return tuple(self.state.stacks)

    def _deal(self) -> None:
        while self.state.can_burn_card("??") or self.state.can_deal_board():
            if self.state.can_burn_card("??"):
                self.state.burn_card("??")
            else:
                count = 3 if len(self._board) == 5 else 1
                street, self._board = self._board[:count], self._board[count:]
                self.state.deal_board("".join(street))


@dataclass(slots=True)
class StreetSoFar:
    """What happened on this street, told from our facts, for the predicates."""

    blind_chips: int
    opened_at_chips: int
    raises: list[int] = field(default_factory=list)
    faced: dict[Seat, int] = field(default_factory=dict)

    @property
    def to_match_chips(self) -> int:
        return self.opened_at_chips + sum(self.raises)

    @property
    def step_chips(self) -> int:
        return max(self.blind_chips, *self.raises, 0)

    def note(self, fact: Acted) -> None:
        if fact.total_chips > self.to_match_chips:
            self.raises.append(fact.total_chips - self.to_match_chips)
        if fact.action is not ActionKind.FOLD:
            self.faced[fact.seat] = self.to_match_chips

    def faces_chips(self, seat: Seat) -> int | None:
        """What came since the seat last acted; None: it has not acted."""
        return None if seat not in self.faced else self.to_match_chips - self.faced[seat]


def explain(
    set_up: SetUp, hand: Hand, street: StreetSoFar, ours: Turn | None, theirs: Asked | None
) -> Divergence | None:
    """The known divergence that accounts for two different answers; None: there is none, and one of us is wrong."""
    if ours is None:
        return Divergence.LONE_CHECK if theirs is not None and theirs.to_call_chips == 0 else None
    if theirs is None or ours.seat != theirs.seat:
        return None
    if _is_big_blind_short(set_up, hand):
        return Divergence.SHORT_BLIND if theirs.to_call_chips == _short_call(hand, ours) else None
    if ours.to_call_chips != theirs.to_call_chips:
        return None
    return _explain_range(set_up, hand, street, ours, theirs.raise_range)


def _explain_range(set_up: SetUp, hand: Hand, street: StreetSoFar, ours: Turn, theirs: Range) -> Divergence | None:
    facing, largest = street.faces_chips(ours.seat), max(street.raises, default=0)
    if ours.raise_range is None:
        is_short_opening = largest < street.blind_chips and facing is not None and facing < street.blind_chips
        return Divergence.REOPENED if theirs is not None and is_short_opening else None
    if theirs is None:
        is_short_again = facing is not None and facing >= street.step_chips > street.raises[-1]
        return Divergence.CLOSED_AGAIN if is_short_again else None
    foretold = min(ours.raise_range[1], street.to_match_chips + max(largest, BIG_BLIND))
    is_straddled = set_up.straddle_chips is not None and hand.street is Street.PREFLOP
    return Divergence.STRADDLE_STEP if is_straddled and theirs == (foretold, ours.raise_range[1]) else None


def _is_big_blind_short(set_up: SetUp, hand: Hand) -> bool:
    """No bet has reached the blind yet, since who posted it could not."""
    return hand.street is Street.PREFLOP and max(hand.bets.values()) < (set_up.straddle_chips or BIG_BLIND)


def _short_call(hand: Hand, ours: Turn) -> int:
    return min(hand.stacks[ours.seat], max(hand.bets.values()) - hand.bets[ours.seat])


def stacks_by_their_odd_chips(result: HandOver, merge: bool) -> tuple[int, ...]:
    """Our final stacks, had each pot's odd chips all gone to its first winner, and pots merged if so asked."""
    stacks = dict(result.stacks)
    for pot in result.pots:
        for seat, chips in pot.winners:
            stacks[seat] -= chips
    pots = (
        [*_merged(result.pots)]
        if merge
        else [(pot.amount_chips, [seat for seat, _ in pot.winners]) for pot in result.pots]
    )
    for amount, winners in pots:
        each, odd = divmod(amount, len(winners))
        for seat in winners:
            stacks[seat] += each
        stacks[winners[0]] += odd
    return tuple(stacks.values())


def _merged(pots: Sequence[PotResult]) -> Iterator[tuple[int, list[Seat]]]:
    """(amount, winners): neighbours with the same claimants, after losing hands are dead, are one pot."""
    alive = {seat for pot in pots for seat, _ in pot.winners}
    last: frozenset[Seat] | None = None
    amount, winners = 0, list[Seat]()
    for pot in pots:
        claimants = frozenset(pot.eligible) & alive
        if claimants != last and amount:
            yield amount, winners
            amount = 0
        amount, winners, last = amount + pot.amount_chips, [seat for seat, _ in pot.winners], claimants
    if amount:
        yield amount, winners


def _antes(set_up: SetUp) -> tuple[int, ...]:
    antes = [set_up.ante_chips] * len(set_up.stacks)
    antes[set_up.big_blind] += set_up.big_blind_ante_chips
    return tuple(reversed(antes)) if len(antes) == 2 else tuple(antes)


def _blinds(set_up: SetUp) -> tuple[int, ...]:
    blinds = (SMALL_BLIND, BIG_BLIND, set_up.straddle_chips or 0)
    return (blinds + (0,) * 7)[: len(set_up.stacks)]
