"""One hand: what is asked, what is refused, what is said, and the rules that no case of the casebook speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.hand.deck import scripted_deck, secure_deck
from gameserver.hand.facts import (
    Acted,
    ActionKind,
    CardsShown,
    ChipsReturned,
    ForcedBet,
    ForcedKind,
    HandFact,
    HandOver,
    HoleDealt,
    Mucked,
    Posted,
    ShownBecause,
    Street,
    StreetDealt,
)
from gameserver.hand.hand import Hand
from policy.ids import ActionIndex, Card, HoleCards, Seat
from policy.reveal_policy import Stage, Standing
from policy.sealed import Sealed

FOLD, CHECK, CALL, BET, RAISE, ALL_IN = ActionKind
SMALL, BIG = Seat(1), Seat(2)
BLINDS = (ForcedBet(SMALL, ForcedKind.SMALL_BLIND, 5), ForcedBet(BIG, ForcedKind.BIG_BLIND, 10))
BOARD = tuple(Card(card) for card in ("2h", "5s", "9d", "Tc", "3h"))
HOLE: Mapping[Seat, HoleCards | None] = {
    Seat(1): (Card("Qc"), Card("Qd")),
    Seat(2): (Card("Kc"), Card("Kd")),
    Seat(3): (Card("Ac"), Card("Ad")),
    Seat(4): (Card("7c"), Card("4d")),
}

Move = tuple[int, ActionKind] | tuple[int, ActionKind, int]


def start(
    *stacks: int, forced: Sequence[ForcedBet] = BLINDS, straddle: int | None = None, first: int = 1
) -> tuple[Hand, list[HandFact]]:
    """Seats 1, 2, ...: seat 1 is left of the button, and the last seat has it."""
    seats = [(Seat(first + place), stack) for place, stack in enumerate(stacks)]
    hand = Hand(seats=seats, forced=forced, big_blind_chips=10, straddle_chips=straddle)
    return hand, list(hand.deal(scripted_deck(hole=HOLE, board=BOARD, order=hand.dealt)))


def play(hand: Hand, *moves: Move) -> list[HandFact]:
    facts: list[HandFact] = []
    for seat, action, *amount in moves:
        facts += hand.act(Seat(seat), action, *amount)
    return facts


def check_down(hand: Hand) -> list[HandFact]:
    facts: list[HandFact] = []
    while hand.turn is not None:
        facts += hand.act(hand.turn.seat, hand.turn.legal[1])
    return facts


def asked(hand: Hand) -> tuple[int, int, tuple[int, int] | None]:
    """(seat, chips to call, range of a bet or raise)."""
    assert hand.turn is not None
    return hand.turn.seat, hand.turn.to_call_chips, hand.turn.raise_range


def result(hand: Hand) -> HandOver:
    assert hand.result is not None
    return hand.result


def pots(hand: Hand) -> list[tuple[int, tuple[Seat, ...], tuple[tuple[Seat, int], ...]]]:
    return [(pot.amount_chips, pot.eligible, pot.winners) for pot in result(hand).pots]


# What is said -------------------------------------------------------------------------------------------------------------


def test_the_deal_says_posts_then_sealed_cards() -> None:
    """Posts in the order owed, counted from 0; then a sealed hand for each seat from the left of the button."""
    hand, facts = start(100, 100, 100)
    assert facts[:2] == [
        Posted(SMALL, ForcedKind.SMALL_BLIND, 5, ActionIndex(0)),
        Posted(BIG, ForcedKind.BIG_BLIND, 10, ActionIndex(1)),
    ]
    assert [type(fact) for fact in facts[2:]] == [HoleDealt] * 3
    assert [fact.seat for fact in facts if isinstance(fact, HoleDealt)] == [1, 2, 3]
    assert all(isinstance(fact.cards, Sealed) for fact in facts if isinstance(fact, HoleDealt))
    assert hand.turn is not None
    assert hand.turn.action_index == 2


def test_all_in_is_told_as_what_it_was() -> None:
    """A call for less, a bet or a raise, with all_in true; amounts are totals of the street."""
    hand, _ = start(100, 80, 50)
    facts = play(hand, (3, ALL_IN), (1, ALL_IN), (2, ALL_IN))
    assert facts[:3] == [
        Acted(Seat(3), RAISE, 50, 50, True, Street.PREFLOP, ActionIndex(2)),
        Acted(Seat(1), RAISE, 100, 95, True, Street.PREFLOP, ActionIndex(3)),
        Acted(Seat(2), CALL, 80, 70, True, Street.PREFLOP, ActionIndex(4)),
    ]


def test_going_all_in_is_refused_where_it_would_be_an_illegal_raise() -> None:
    """Facing an all-in with nobody else to act, a bigger stack may call or fold; its all-in would be a raise."""
    hand, _ = start(100, 200, 50)
    play(hand, (3, ALL_IN), (1, ALL_IN))
    assert hand.turn is not None
    assert hand.turn.legal == (FOLD, CALL)
    with pytest.raises(Refusal) as refusal:
        hand.act(Seat(2), ALL_IN)
    assert refusal.value.code is ErrorCode.ILLEGAL_ACTION


def test_an_all_in_first_bet_is_a_bet() -> None:
    """After the flop nobody has bet yet."""
    hand, _ = start(100, 100, 100)
    play(hand, (3, CALL), (1, CALL), (2, CHECK))
    (fact,) = hand.act(Seat(1), ALL_IN)
    assert fact == Acted(Seat(1), BET, 90, 90, True, Street.FLOP, ActionIndex(5))


def test_uncalled_chips_come_back_before_anything_else_is_said() -> None:
    """All fold to a raise: the part that nobody matched returns, then the hand is over, and no card was shown."""
    hand, _ = start(100, 100, 100)
    facts = play(hand, (3, RAISE, 40), (1, FOLD), (2, FOLD))
    assert facts[-2:] == [ChipsReturned(Seat(3), 30), result(hand)]
    assert result(hand).uncontested
    assert result(hand).returned == ((Seat(3), 30),)
    assert pots(hand) == [(25, (Seat(3),), ((Seat(3), 25),))]
    assert not any(isinstance(fact, CardsShown | Mucked | StreetDealt) for fact in facts)


def test_a_walk_without_a_small_blind_has_no_pot() -> None:
    """The big blind alone posted: it all comes back."""
    hand, _ = start(100, 100, 100, forced=BLINDS[1:])
    play(hand, (3, FOLD), (1, FOLD))
    assert pots(hand) == []
    assert result(hand).returned == ((BIG, 10),)
    assert dict(hand.stacks) == {1: 100, 2: 100, 3: 100}


def test_a_post_of_the_last_chips_is_all_in() -> None:
    """A stack below what it owes posts what it has; an ante may be the last of it, and then no blind is posted."""
    forced = (ForcedBet(SMALL, ForcedKind.ANTE, 3), *BLINDS)
    _, facts = start(3, 10, 100, forced=forced)
    posts = [(fact.seat, fact.amount_chips, fact.all_in) for fact in facts if isinstance(fact, Posted)]
    assert posts == [(1, 3, True), (2, 10, True)]


def test_without_blinds_the_first_seat_acts_first() -> None:
    """Antes only: as if the last seat had the blind."""
    hand, _ = start(100, 100, 100, forced=[ForcedBet(Seat(seat), ForcedKind.ANTE, 1) for seat in (1, 2, 3)])
    assert asked(hand) == (1, 10, (20, 99))


# Who is refused -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "action", "amount", "code"),
    [
        (1, FOLD, None, ErrorCode.STALE_TURN),
        (9, FOLD, None, ErrorCode.STALE_TURN),
        (3, CHECK, None, ErrorCode.ILLEGAL_ACTION),
        (3, BET, 20, ErrorCode.ILLEGAL_ACTION),
        (3, RAISE, None, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, RAISE, 19, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, RAISE, 101, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, RAISE, True, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, CALL, 10, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, FOLD, 0, ErrorCode.AMOUNT_OUT_OF_RANGE),
        (3, ALL_IN, 100, ErrorCode.AMOUNT_OUT_OF_RANGE),
    ],
)
def test_what_is_refused(seat: int, action: ActionKind, amount: int | None, code: ErrorCode) -> None:
    """verify, can and act agree, and nothing changes."""
    hand, _ = start(100, 100, 100)
    before = (hand.turn, dict(hand.stacks), dict(hand.bets), hand.pot_chips)
    assert not hand.can(Seat(seat), action, amount)
    for ask in (hand.verify, hand.act):
        with pytest.raises(Refusal) as refusal:
            ask(Seat(seat), action, amount)
        assert refusal.value.code is code
    assert (hand.turn, dict(hand.stacks), dict(hand.bets), hand.pot_chips) == before


def test_a_fold_is_legal_with_nothing_to_call() -> None:
    """The big blind may give up its option."""
    hand, _ = start(100, 100, 100)
    play(hand, (3, CALL), (1, CALL), (2, FOLD))
    assert hand.street is Street.FLOP
    assert hand.folded == {BIG}


@pytest.mark.parametrize(
    ("seats", "forced", "big_blind"),
    [
        ([(Seat(1), 100)], (), 10),
        ([(Seat(1), 100), (Seat(1), 100)], (), 10),
        ([(Seat(number), 100) for number in range(11)], (), 10),
        ([(Seat(1), 100), (Seat(2), 0)], (), 10),
        ([(Seat(1), 100), (Seat(2), 100)], (), 0),
        ([(Seat(1), 100), (Seat(2), 100)], (ForcedBet(Seat(3), ForcedKind.ANTE, 1),), 10),
        ([(Seat(1), 100), (Seat(2), 100)], (ForcedBet(Seat(1), ForcedKind.ANTE, -1),), 10),
        ([(Seat(1), 100), (Seat(2), 100)], (ForcedBet(Seat(1), ForcedKind.STRADDLE, 20),), 10),
    ],
)
def test_a_hand_that_no_table_may_ask_for_is_a_bug(
    seats: list[tuple[Seat, int]], forced: tuple[ForcedBet, ...], big_blind: int
) -> None:
    """Too few or too many seats, a seat twice, no chips, no blind, a bet owed by nobody, a straddle that is not said to be one."""
    with pytest.raises(Bug):
        Hand(seats=seats, forced=forced, big_blind_chips=big_blind, straddle_chips=None)


def test_a_hand_is_dealt_once() -> None:
    """A second deal would give out new cards."""
    hand, _ = start(100, 100, 100)
    with pytest.raises(Bug, match="once"):
        hand.deal(secure_deck())


# Forced bets --------------------------------------------------------------------------------------------------------------


def test_a_dead_post_is_no_bet_and_a_live_post_is() -> None:
    """Seat 3 posts both: the live one counts towards the call, the dead one lies in the main pot."""
    forced = (*BLINDS, ForcedBet(Seat(3), ForcedKind.POST, 10), ForcedBet(Seat(3), ForcedKind.DEAD_POST, 5))
    hand, _ = start(100, 100, 100, 100, forced=forced)
    assert asked(hand) == (3, 0, (20, 95))
    assert hand.turn is not None
    assert hand.turn.legal == (FOLD, CHECK, RAISE, ALL_IN)
    assert hand.pots() == ((5, (1, 2, 3, 4)),)
    assert hand.pot_chips == 30
    assert hand.contributed == {1: 5, 2: 10, 3: 15, 4: 0}


def test_a_poster_keeps_the_option_to_raise() -> None:
    """Posting is no action: a poster is asked though the bet is matched."""
    hand, _ = start(100, 100, 100, forced=(*BLINDS, ForcedBet(Seat(3), ForcedKind.POST, 10)))
    play(hand, (3, CHECK), (1, CALL), (2, CHECK))
    assert hand.street is Street.FLOP


def test_a_short_dead_post_plays_for_the_dead_money_only() -> None:
    """All-in from a dead post: no bet is matched, and the layer of the dead money is what can be won."""
    hand, _ = start(100, 100, 3, 100, forced=(*BLINDS, ForcedBet(Seat(3), ForcedKind.DEAD_POST, 5)))
    assert hand.all_in == {Seat(3)}
    play(hand, (4, FOLD), (1, CALL))
    check_down(hand)
    assert [(amount, eligible) for amount, eligible, _ in pots(hand)] == [(3, (1, 2, 3)), (20, (1, 2))]
    assert dict(hand.stacks) == {1: 90, 2: 110, 3: 3, 4: 100}


def test_the_straddler_acts_last_before_the_flop() -> None:
    """The straddle is the bigger blind: least raise to twice of it; after the flop the least bet is the big blind."""
    forced = (*BLINDS, ForcedBet(Seat(3), ForcedKind.STRADDLE, 20))
    hand, _ = start(100, 100, 100, 100, forced=forced, straddle=20)
    assert asked(hand) == (4, 20, (40, 100))
    play(hand, (4, CALL), (1, FOLD), (2, CALL))
    assert asked(hand) == (3, 0, (40, 100))
    play(hand, (3, CHECK))
    assert asked(hand) == (2, 0, (10, 80))


def test_all_stacks_gone_in_the_antes_are_dealt_out_at_once() -> None:
    """Nobody has a decision: the deal goes to the end, hands face up before the board."""
    antes = tuple(ForcedBet(Seat(seat), ForcedKind.ANTE, 50) for seat in (1, 2, 3))
    hand, facts = start(20, 30, 50, forced=(*antes, *BLINDS))
    assert [type(fact) for fact in facts[6:]] == [CardsShown] * 3 + [StreetDealt] * 3 + [HandOver]
    assert result(hand).show_order == (1, 2, 3)
    assert dict(hand.stacks) == {1: 0, 2: 0, 3: 100}


def test_a_short_big_blind_leaves_the_bet_as_it_was() -> None:
    """The others owe the full blind, the least raise is to twice of it, and what nobody matches comes back."""
    hand, _ = start(100, 4, 100)
    assert asked(hand) == (3, 10, (20, 100))
    play(hand, (3, CALL), (1, FOLD))
    assert result(hand).returned == ((Seat(3), 5),)
    assert [(amount, eligible) for amount, eligible, _ in pots(hand)] == [(12, (2, 3)), (2, (3,))]


def test_a_lone_player_who_covers_the_all_ins_is_not_asked() -> None:
    """A small blind of 5 against a big blind all-in for 4: no decision is left, one chip comes back."""
    hand, _ = start(100, 4, 100)
    facts = play(hand, (3, FOLD))
    assert hand.over
    assert ChipsReturned(SMALL, 1) in facts
    assert not result(hand).uncontested


# Raises -------------------------------------------------------------------------------------------------------------------


def test_a_short_all_in_open_does_not_reopen_for_who_checked() -> None:
    """A bet of 6 with a least bet of 10: who checked may call or fold, who has not acted may raise to 16."""
    hand, _ = start(100, 16, 100)
    play(hand, (3, CALL), (1, CALL), (2, CHECK), (1, CHECK), (2, ALL_IN))
    assert asked(hand) == (3, 6, (16, 90))
    play(hand, (3, CALL))
    assert asked(hand) == (1, 6, None)


def test_short_all_ins_that_add_up_reopen() -> None:
    """Raise to 30 (step 20), all-in 42, all-in 52: the raiser faces 22, more than a full raise."""
    hand, _ = start(42, 52, 300, 300)
    play(hand, (3, RAISE, 30), (4, CALL), (1, ALL_IN))
    assert asked(hand) == (2, 32, (52, 52))
    play(hand, (2, ALL_IN))
    assert asked(hand) == (3, 22, (72, 300))


def test_a_short_all_in_leaves_the_caller_closed() -> None:
    """A caller of the first short all-in faces only the second."""
    hand, _ = start(300, 52, 300, 42)
    play(hand, (3, RAISE, 30), (4, ALL_IN), (1, CALL), (2, ALL_IN))
    assert asked(hand) == (3, 22, (72, 300))
    play(hand, (3, CALL))
    assert asked(hand) == (1, 10, None)


def test_nobody_raises_what_nobody_could_call() -> None:
    """The only other player with chips has fewer than the bet: a raise would come back as it is."""
    hand, _ = start(200, 300, 300, 60)
    play(hand, (3, ALL_IN), (4, FOLD), (1, FOLD))
    assert asked(hand) == (2, 290, None)
    hand, _ = start(60, 500, 300, 500)
    play(hand, (3, ALL_IN), (4, FOLD))
    assert asked(hand) == (1, 55, None)
    hand, _ = start(500, 60, 300)
    play(hand, (3, ALL_IN))
    assert asked(hand) == (1, 295, None)


# The end ------------------------------------------------------------------------------------------------------------------


def test_hands_are_face_up_before_the_rest_of_the_board() -> None:
    """All-in and called on the flop: the last to bet shows first, then the streets come, then the result."""
    hand, _ = start(100, 100, 100)
    play(hand, (3, FOLD), (1, CALL), (2, CHECK), (1, CHECK))
    facts = play(hand, (2, ALL_IN), (1, ALL_IN))
    assert [type(fact) for fact in facts[2:]] == [CardsShown, CardsShown, StreetDealt, StreetDealt, HandOver]
    shown = [fact for fact in facts if isinstance(fact, CardsShown)]
    assert [(fact.seat, fact.because) for fact in shown] == [(2, ShownBecause.ALL_IN), (1, ShownBecause.ALL_IN)]
    assert shown[0].cards == HOLE[BIG]


def test_a_live_side_pot_keeps_all_hands_closed() -> None:
    """One is all-in and two play on: nothing is shown until they have no decision left; then all three are, losers too."""
    hand, _ = start(100, 100, 30)
    play(hand, (3, ALL_IN), (1, CALL), (2, CALL))
    assert hand.cards().stage is Stage.BETTING
    facts = check_down(hand)
    kinds = [type(fact) for fact in facts]
    assert kinds.index(CardsShown) > kinds.index(StreetDealt)
    assert Mucked not in kinds
    assert set(result(hand).show_order) == {1, 2, 3}


def test_a_beaten_hand_mucks_by_itself() -> None:
    """Checked down: seat 1 shows queens first, the kings show, the aces show; seven high mucks."""
    hand, _ = start(100, 100, 100, 100)
    facts = check_down(hand)
    assert [fact.seat for fact in facts if isinstance(fact, CardsShown)] == [1, 2, 3]
    assert [fact.seat for fact in facts if isinstance(fact, Mucked)] == [4]
    assert [entry.standing for entry in hand.cards().seats] == [*[Standing.SHOWN] * 3, Standing.MUCKED]
    assert hand.cards().stage is Stage.OVER


def test_the_last_raiser_of_the_last_street_shows_first() -> None:
    """Bets on earlier streets do not count."""
    hand, _ = start(100, 100, 100)
    play(hand, (3, RAISE, 20), (1, CALL), (2, CALL), *[(seat, CHECK) for _ in range(2) for seat in (1, 2, 3)])
    facts = play(hand, (1, CHECK), (2, BET, 10), (3, CALL), (1, CALL))
    assert [fact.seat for fact in facts if isinstance(fact, CardsShown | Mucked)] == [2, 3, 1]


def test_an_uncontested_winner_stays_closed() -> None:
    """Everybody folded: no card is open, and the winner's standing is still live."""
    hand, _ = start(100, 100, 100)
    play(hand, (3, FOLD), (1, FOLD))
    assert [entry.standing for entry in hand.cards().seats] == [Standing.FOLDED, Standing.LIVE, Standing.FOLDED]
    assert result(hand).show_order == ()


def test_cards_can_be_shown_after_the_hand_by_who_was_dealt_in() -> None:
    """Folded cards too; not before the end, not twice, not by a stranger. It adds nothing to the order of the showdown."""
    hand, _ = start(100, 100, 100)
    with pytest.raises(Refusal) as refusal:
        hand.show(Seat(3))
    assert refusal.value.code is ErrorCode.HAND_LIVE
    play(hand, (3, FOLD), (1, FOLD))
    cards = HOLE[Seat(3)]
    assert cards is not None
    assert hand.show(Seat(3)) == CardsShown(Seat(3), cards, ShownBecause.CHOICE)
    assert hand.cards().seats[2].standing is Standing.SHOWN
    assert result(hand).show_order == ()
    for seat, code in ((3, ErrorCode.ILLEGAL_ACTION), (7, ErrorCode.NOT_SEATED)):
        with pytest.raises(Refusal) as refusal:
            hand.show(Seat(seat))
        assert refusal.value.code is code


def test_a_finished_hand_has_nothing_in_the_middle() -> None:
    """Views of a hand that is over: no turn, no bets, no pots, nobody all-in; what was put in stays known."""
    hand, _ = start(100, 100, 50)
    play(hand, (3, ALL_IN), (1, CALL), (2, FOLD))
    assert hand.over
    assert (hand.turn, hand.pots(), hand.pot_chips, hand.all_in) == (None, (), 0, frozenset())
    assert set(hand.bets.values()) == {0}
    assert hand.contributed == {1: 50, 2: 10, 3: 50}
    assert dict(hand.stacks) == dict(result(hand).stacks) == {1: 50, 2: 90, 3: 110}


def test_heads_up_the_button_acts_first_before_the_flop_and_last_after_it() -> None:
    """The big blind is dealt first and the button last."""
    forced = (ForcedBet(Seat(2), ForcedKind.SMALL_BLIND, 5), ForcedBet(Seat(1), ForcedKind.BIG_BLIND, 10))
    hand, _ = start(100, 100, forced=forced)
    assert asked(hand) == (2, 5, (20, 100))
    play(hand, (2, CALL), (1, CHECK))
    assert asked(hand) == (1, 0, (10, 90))


def test_nothing_of_a_hand_prints_a_card() -> None:
    """Not the hand, not its deck, not a fact of the deal."""
    hand, facts = start(100, 100, 100)
    printed = repr(hand) + repr(facts) + repr(hand.cards()) + repr(vars(hand))
    assert "<sealed>" in printed
    for cards in HOLE.values():
        assert cards is not None
        assert not any(repr(str(card)) in printed for card in cards)  # in quotes: an address may hold "7d"
