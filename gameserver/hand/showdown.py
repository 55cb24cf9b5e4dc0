"""SECURITY: not display logic. Opens hole cards to compare them and to lay them face up, and for nothing else.

Cards in, strengths and winners out: no chips, no turns, no state. It is the one place of the hand room that opens a seal.
Who shows and when is decided by `showing_order` and by the hand; whom a live hand is shown to, by `policy.reveal_policy`.
Hand ranking is phevaluator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NewType

from phevaluator.evaluator import evaluate_7cards

from policy.ids import DECK, Card, HoleCards, Seat
from policy.sealed import Sealed, open_sealed

Strength = NewType("Strength", int)
"""How good a hand is: smaller is better, equal ties. It says which cards somebody holds, so it stays in the hand room."""

_NUMBERS: Final[Mapping[Card, int]] = {card: number for number, card in enumerate(DECK)}
"""phevaluator's card numbers; it counts as DECK does (test_each_card_has_the_number_of_the_evaluator)."""


def strengths(hands: Mapping[Seat, Sealed[HoleCards]], board: Sequence[Card]) -> dict[Seat, Strength]:
    """The strength of each hand with a board of five cards."""
    common = [_NUMBERS[card] for card in board]
    return {seat: _strength(cards, common) for seat, cards in hands.items()}


def face_up(cards: Sealed[HoleCards]) -> HoleCards:
    """The cards of a hand that lies open for everybody from now on. Only for a fact that says so (`CardsShown`)."""
    return open_sealed(cards)


def best(eligible: Sequence[Seat], strength: Mapping[Seat, Strength]) -> tuple[Seat, ...]:
    """Who wins a pot, in the order of `eligible`. A pot with one claimant needs no strength."""
    if len(eligible) == 1:
        return tuple(eligible)
    top = min(strength[seat] for seat in eligible)
    return tuple(seat for seat in eligible if strength[seat] == top)


def must_show(order: Sequence[Seat], strength: Mapping[Seat, Strength]) -> tuple[Seat, ...]:
    """Of the seats at a showdown for one pot, in showing order, those that show: the first, and whoever is not beaten by then."""
    shown: list[Seat] = []
    for seat in order:
        if not shown or strength[seat] <= min(strength[other] for other in shown):
            shown.append(seat)
    return tuple(shown)


def _strength(cards: Sealed[HoleCards], common: Sequence[int]) -> Strength:
    first, second = open_sealed(cards)
    return Strength(evaluate_7cards(_NUMBERS[first], _NUMBERS[second], *common))
