"""Every hand case of the casebook, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from gameserver.errors import ErrorCode, Refusal
from gameserver.hand.deck import scripted_deck
from gameserver.hand.facts import (
    ActionKind,
    CardsShown,
    ForcedBet,
    ForcedKind,
    HandFact,
    HandOver,
    Mucked,
    ShownBecause,
    StreetDealt,
)
from gameserver.hand.hand import Hand
from gameserver.hand.showdown import strengths
from policy.ids import Seat
from policy.sealed import Sealed
from tests.cases.casebook import HandCase, hand_cases

CASES = hand_cases()


def test_all_twenty_hand_cases_are_here() -> None:
    """The casebook has 20 cases of one hand; o21 is the table room's."""
    assert len(CASES) == 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_hand_case(case: HandCase) -> None:
    """What may be done before each step, each refusal, and the whole outcome are as the casebook says."""
    play = Play(case)
    for step in case.steps:
        play.step(step)
    play.compare_outcome(case.expect)


class Play:
    """One case as it is played."""

    def __init__(self, case: HandCase) -> None:
        self.case = case
        self.hand = Hand(
            seats=case.seats_from_left_of_button(),
            forced=_blinds(case),
            big_blind_chips=case.big_blind_chips,
            straddle_chips=None,
        )
        self.facts: list[HandFact] = list(
            self.hand.deal(scripted_deck(hole={**case.hole}, board=case.board, order=self.hand.dealt))
        )

    def step(self, step: dict[str, Any]) -> None:
        if "before" in step:
            assert self._before() == step["before"]
        if step.get("result") == "rejected":
            self._is_refused(step)
            return
        do = step["becomes"] if step.get("event") == "timeout" else step["do"]
        self.facts += self.hand.act(Seat(step["seat"]), self._kind(do), step.get("amount"))

    def compare_outcome(self, expect: dict[str, Any]) -> None:
        result = self.hand.result
        assert result is not None
        assert self.facts[-1] == result
        assert [_pot(amount, eligible, winners) for amount, eligible, winners in _pots(result)] == expect["pots"]
        assert {str(seat): chips for seat, chips in result.stacks} == expect["stacks"]
        assert {str(seat): chips for seat, chips in result.returned} == expect.get("returned", {})
        assert result.uncontested is expect.get("uncontested", False)
        assert self._is_run_out() is expect.get("runout", False)
        self._compare_showdown(expect)

    def _before(self) -> dict[str, Any]:
        turn = self.hand.turn
        assert turn is not None
        return {
            "to_act": turn.seat,
            "call": turn.to_call_chips,
            "raise_to": None if turn.raise_range is None else list(turn.raise_range),
        }

    def _is_refused(self, step: dict[str, Any]) -> None:
        before = self._state()
        seat, kind, amount = Seat(step["seat"]), self._kind(step["do"]), step.get("amount")
        assert not self.hand.can(seat, kind, amount)
        with pytest.raises(Refusal) as refusal:
            self.hand.act(seat, kind, amount)
        assert refusal.value.code in {ErrorCode.STALE_TURN, ErrorCode.ILLEGAL_ACTION, ErrorCode.AMOUNT_OUT_OF_RANGE}
        assert self._state() == before

    def _state(self) -> tuple[object, ...]:
        hand = self.hand
        return hand.turn, hand.board, dict(hand.stacks), dict(hand.bets), hand.pots(), hand.pot_chips, hand.result

    def _kind(self, do: str) -> ActionKind:
        if do != "raise_to":
            return ActionKind(do)
        return ActionKind.RAISE if any(self.hand.bets.values()) else ActionKind.BET

    def _is_run_out(self) -> bool:
        """Hands went face up with a part of the board still to come."""
        shown = [i for i, fact in enumerate(self.facts) if isinstance(fact, CardsShown) and _is_all_in(fact)]
        dealt = [i for i, fact in enumerate(self.facts) if isinstance(fact, StreetDealt)]
        return bool(shown and dealt) and max(shown) < max(dealt)

    def _compare_showdown(self, expect: dict[str, Any]) -> None:
        shown = [fact.seat for fact in self.facts if isinstance(fact, CardsShown)]
        mucked = [fact.seat for fact in self.facts if isinstance(fact, Mucked)]
        if "show_order" in expect:
            assert shown == [seat for seat in expect["show_order"] if seat not in mucked]
        assert set(expect.get("must_show", [])) <= set(shown)
        assert not set(expect.get("must_not_show", [])) & set(shown)
        if "may_muck" in expect:
            assert set(mucked) <= set(expect["may_muck"])
        assert self._ranking(expect.get("ranking", [])) == expect.get("ranking", [])
        assert len(self.hand.board) == expect.get("board_dealt", len(self.hand.board))

    def _ranking(self, seats: list[int]) -> list[Seat]:
        """Best hand first."""
        strength = strengths({Seat(seat): Sealed(self.case.hole[Seat(seat)]) for seat in seats}, self.case.board)
        return sorted(strength, key=lambda seat: strength[seat])


def _blinds(case: HandCase) -> tuple[ForcedBet, ...]:
    order = [seat for seat, _ in case.seats_from_left_of_button()]
    small, big = (order[1], order[0]) if len(order) == 2 else (order[0], order[1])
    return (
        ForcedBet(small, ForcedKind.SMALL_BLIND, case.small_blind_chips),
        ForcedBet(big, ForcedKind.BIG_BLIND, case.big_blind_chips),
    )


def _is_all_in(fact: CardsShown) -> bool:
    return fact.because is ShownBecause.ALL_IN


def _pots(result: HandOver) -> list[tuple[int, tuple[Seat, ...], list[Seat]]]:
    return [(pot.amount_chips, pot.eligible, [seat for seat, _ in pot.winners]) for pot in result.pots]


def _pot(amount: int, eligible: tuple[Seat, ...], winners: list[Seat]) -> dict[str, Any]:
    return {"amount": amount, "eligible": sorted(eligible), "winners": sorted(winners)}
