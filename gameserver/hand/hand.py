"""One hand from the forced bets to the last pot: verify, can, act.

    hand = Hand(seats=..., forced=..., big_blind_chips=..., straddle_chips=None)
    facts = hand.deal(secure_deck())
    facts = hand.act(hand.turn.seat, ActionKind.CALL)

It knows who owes what only from what it is told, and neither clocks, names, buttons nor viewers. Cards are sealed as they are
dealt; they come out in `CardsShown` facts. The rules are in docs/decisions/0004-own-betting-round.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.hand import pots, showdown
from gameserver.hand.betting import Betting
from gameserver.hand.deck import Deck
from gameserver.hand.facts import (
    Acted,
    ActionKind,
    CardsShown,
    ChipsReturned,
    ForcedBet,
    HandFact,
    HandOver,
    Posted,
    PotResult,
    ShownBecause,
    Street,
    StreetDealt,
    Turn,
)
from gameserver.hand.hole_cards import DealtCards
from gameserver.hand.opening import check_set_up, last_to_act
from policy.ids import ActionIndex, Card, Seat
from policy.reveal_policy import HandCards, Stage

_NEXT_STREET: Final = MappingProxyType(
    {Street.PREFLOP: (Street.FLOP, 3), Street.FLOP: (Street.TURN, 1), Street.TURN: (Street.RIVER, 1)}
)
"""The street after each, and its number of cards. No card is burned: nobody can mark the backs of these."""

# Names for the members: looking one up in its class costs as much as a small function call.
_FOLD: Final = ActionKind.FOLD
_ALL_IN: Final = ActionKind.ALL_IN
_AMOUNT_ACTIONS: Final = frozenset({ActionKind.BET, ActionKind.RAISE})


class Hand:
    """One hand of no-limit hold'em for two to ten seats."""

    def __init__(
        self,
        *,
        seats: Sequence[tuple[Seat, int]],
        forced: Sequence[ForcedBet],
        big_blind_chips: int,
        straddle_chips: int | None,
    ) -> None:
        """Nothing is posted or dealt yet.

        `seats`: (seat, stack in chips) of those dealt in, first left of the button first; heads-up the big blind first.
        `forced`: who owes what, in order of posting. `big_blind_chips`: what a call costs before the flop, and the least bet
        after it. `straddle_chips`: the bigger big blind before the flop. Raises Bug for what no table may ask for.
        """
        to_match_chips = big_blind_chips if straddle_chips is None else straddle_chips
        check_set_up(seats, forced, to_match_chips)
        self.dealt: Final = tuple(seat for seat, _ in seats)
        self.street = Street.PREFLOP
        self.board: tuple[Card, ...] = ()
        self.turn: Turn | None = None
        self.result: HandOver | None = None
        self._betting: Final = Betting(seats, big_blind_chips)
        self._forced: Final = tuple(forced)
        self._to_match_chips: Final = to_match_chips
        self._deck: Deck | None = None
        self._hole_cards: Final = DealtCards(self.dealt)
        self._returned: Final[dict[Seat, int]] = {}
        self._actions = 0

    def deal(self, deck: Deck) -> tuple[HandFact, ...]:
        """Takes the forced bets, deals the hole cards and opens the first turn, or runs out where nobody has one."""
        if self._deck is not None:
            raise Bug("a hand is dealt once")
        self._deck = deck
        facts: list[HandFact] = []
        for bet in self._forced:
            self._post(bet, facts)
        facts += self._hole_cards.deal(deck)
        self._betting.open_preflop(last_to_act(self._forced, self.dealt), self._to_match_chips)
        self._go_on(facts)
        return tuple(facts)

    def verify(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> None:
        """Raises Refusal (stale_turn, illegal_action or amount_out_of_range) where the move is not legal; changes nothing.

        `amount_chips`: the total of the street for a bet or raise, None for the rest.
        """
        self._verified(seat, action, amount_chips)

    def can(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> bool:
        """Whether `verify` lets the move through."""
        try:
            self._verified(seat, action, amount_chips)
        except Refusal:
            return False
        return True

    def act(self, seat: Seat, action: ActionKind, amount_chips: int | None = None) -> tuple[HandFact, ...]:
        """Makes the move and all that follows from it, up to the next turn or the end. Refuses as `verify` does."""
        turn = self._verified(seat, action, amount_chips)
        facts: list[HandFact] = []
        if action is _FOLD:
            self._fold(seat, facts)
        else:
            self._put_in(turn, self._total_of(turn, action, amount_chips), facts)
        self._go_on(facts)
        return tuple(facts)

    def show(self, seat: Seat) -> CardsShown:
        """Lays a seat's own cards face up after the hand, folded ones too. Refuses: hand_live, not_seated, illegal_action."""
        if self.result is None:
            raise Refusal(ErrorCode.HAND_LIVE, "cards can be shown when the hand is over")
        if seat not in self.dealt:
            raise Refusal(ErrorCode.NOT_SEATED, "this seat was not dealt in")
        if self._hole_cards.is_shown(seat):
            raise Refusal(ErrorCode.ILLEGAL_ACTION, "these cards are face up already")
        return self._hole_cards.face_up(seat, ShownBecause.CHOICE)

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def stacks(self) -> Mapping[Seat, int]:
        """Chips behind, by seat; a live view."""
        return MappingProxyType(self._betting.stacks)

    @property
    def bets(self) -> Mapping[Seat, int]:
        """Chips bet on this street, by seat; a live view. Antes and dead posts are not in it."""
        return MappingProxyType(self._betting.bets)

    @property
    def contributed(self) -> Mapping[Seat, int]:
        """All chips that each seat put in during this hand, less what was returned."""
        return self._betting.contributed()

    def put_in_chips(self, seat: Seat) -> int:
        """What this seat, dealt in, has in `contributed`."""
        return self._betting.put_in_chips(seat)

    @property
    def pot_chips(self) -> int:
        """All chips in the middle, the bets of this street included; 0 when the hand is over."""
        return 0 if self.over else sum(self._betting.contributed().values())

    @property
    def folded(self) -> AbstractSet[Seat]:
        return self._hole_cards.folded()

    @property
    def all_in(self) -> AbstractSet[Seat]:
        """Seats still in with nothing behind; empty when the hand is over."""
        return frozenset() if self.over else frozenset(self._betting.all_in())

    def is_folded(self, seat: Seat) -> bool:
        """Whether this seat, dealt in, is in `folded`."""
        return self._hole_cards.is_folded(seat)

    def is_all_in(self, seat: Seat) -> bool:
        """Whether this seat, dealt in, is in `all_in`."""
        return not self.over and not self._betting.stacks[seat] and seat in self._betting.live

    def pots(self) -> tuple[tuple[int, tuple[Seat, ...]], ...]:
        """(amount, eligible seats) of what was collected before this street, main pot first; `bets` lie apart."""
        return () if self.over else self._betting.collected_pots()

    def cards(self) -> HandCards:
        """What the reveal gate asks about: the stage, and each seat's sealed cards and standing.

        A hand runs out within one step, with a `CardsShown` fact for each seat, so the stage between two steps is BETTING or OVER.
        """
        return self._hole_cards.for_the_gate(Stage.OVER if self.over else Stage.BETTING)

    def _verified(self, seat: Seat, action: ActionKind, amount_chips: int | None) -> Turn:
        turn = self.turn
        if turn is None or turn.seat != seat:
            raise Refusal(ErrorCode.STALE_TURN, "it is not this seat's turn")
        if action not in turn.legal:
            raise Refusal(ErrorCode.ILLEGAL_ACTION, "the rules do not allow this action here")
        if not _is_amount_in_range(turn, action, amount_chips):
            raise Refusal(ErrorCode.AMOUNT_OUT_OF_RANGE, "the amount is not a whole number of chips in the range")
        return turn

    def _total_of(self, turn: Turn, action: ActionKind, amount_chips: int | None) -> int:
        """The whole bet on this street that a legal move comes to."""
        bet = self._betting.bets[turn.seat]
        if action is _ALL_IN:
            return bet + self._betting.stacks[turn.seat]
        return bet + turn.to_call_chips if amount_chips is None else amount_chips

    def _post(self, bet: ForcedBet, facts: list[HandFact]) -> None:
        chips = self._betting.post(bet.seat, bet.kind, bet.amount_chips)
        if chips:
            all_in = self._betting.stacks[bet.seat] == 0
            facts.append(Posted(bet.seat, bet.kind, chips, self._count_action(), all_in))

    def _fold(self, seat: Seat, facts: list[HandFact]) -> None:
        self._betting.fold(seat)
        self._hole_cards.fold(seat)
        facts.append(self._acted(seat, _FOLD, 0))

    def _put_in(self, turn: Turn, total_chips: int, facts: list[HandFact]) -> None:
        kind = self._betting.kind_of(total_chips, turn.to_call_chips)
        added = self._betting.put_in(turn.seat, total_chips)
        facts.append(self._acted(turn.seat, kind, added))

    def _acted(self, seat: Seat, kind: ActionKind, added_chips: int) -> Acted:
        all_in = added_chips > 0 and self._betting.stacks[seat] == 0
        return Acted(seat, kind, self._betting.bets[seat], added_chips, all_in, self.street, self._count_action())

    def _count_action(self) -> ActionIndex:
        self._actions += 1
        return ActionIndex(self._actions - 1)

    def _go_on(self, facts: list[HandFact]) -> None:
        """Opens the next turn; where nobody has one, closes the street, and so on to the end."""
        self.turn = self._betting.next_turn(ActionIndex(self._actions))
        while self.turn is None:
            self._close_street(facts)
            if self.result is not None:
                return
            self.turn = self._betting.next_turn(ActionIndex(self._actions))

    def _close_street(self, facts: list[HandFact]) -> None:
        self._give_back_uncalled(facts)
        if len(self._betting.live) == 1:
            self._finish({}, facts)
        elif self.street is Street.RIVER:
            self._showdown(facts)
        else:
            self._lay_open_when_no_decision_is_left(facts)
            self._deal_street(facts)

    def _give_back_uncalled(self, facts: list[HandFact]) -> None:
        surplus = self._betting.give_back_uncalled()
        if surplus is not None:
            seat, chips = surplus
            self._returned[seat] = self._returned.get(seat, 0) + chips
            facts.append(ChipsReturned(seat, chips))

    def _lay_open_when_no_decision_is_left(self, facts: list[HandFact]) -> None:
        if self._betting.no_decision_is_left():
            facts += self._hole_cards.show_all(self._betting.showing_order())

    def _deal_street(self, facts: list[HandFact]) -> None:
        if self._deck is None:
            raise Bug("a street is dealt from a deck")
        deck = self._deck
        self.street, count = _NEXT_STREET[self.street]
        cards = tuple([deck.deal() for _ in range(count)])
        self.board += cards
        self._betting.open_street()
        facts.append(StreetDealt(self.street, cards))

    def _showdown(self, facts: list[HandFact]) -> None:
        """All hands face up where somebody is all-in (TDA: no muck then), else in order, and beaten hands muck."""
        strength = self._hole_cards.strengths(self._betting.live, self.board)
        order = self._betting.showing_order()
        if self._betting.all_in():
            facts += self._hole_cards.show_all(order)
        else:
            facts += self._hole_cards.show_or_muck(order, strength)
        self._finish(strength, facts)

    def _finish(self, strength: Mapping[Seat, showdown.Strength], facts: list[HandFact]) -> None:
        results = tuple(_divide(amount, eligible, strength) for amount, eligible in self._betting.final_pots())
        for pot in results:
            self._betting.pay(pot.winners)
        self._betting.clear_bets()
        self.result = HandOver(
            pots=results,
            returned=tuple(self._returned.items()),
            uncontested=not strength,
            stacks=tuple(self._betting.stacks.items()),
            show_order=tuple(self._hole_cards.show_order),
        )
        facts.append(self.result)


def _divide(amount: int, eligible: tuple[Seat, ...], strength: Mapping[Seat, showdown.Strength]) -> PotResult:
    return PotResult(amount, eligible, pots.shares(amount, showdown.best(eligible, strength)))


def _is_amount_in_range(turn: Turn, action: ActionKind, amount_chips: int | None) -> bool:
    if action not in _AMOUNT_ACTIONS:
        return amount_chips is None
    if type(amount_chips) is not int or turn.raise_range is None:  # True is an int to isinstance
        return False
    least, most = turn.raise_range
    return least <= amount_chips <= most
