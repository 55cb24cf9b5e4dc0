"""The deck and the names of things."""

from __future__ import annotations

import re

from policy.ids import DECK, RANKS, SUITS


def test_the_deck_has_each_of_the_52_cards_once() -> None:
    """Thirteen ranks in four suits, each card two characters."""
    assert len(DECK) == len(set(DECK)) == 52
    assert all(re.fullmatch("[2-9TJQKA][cdhs]", card) for card in DECK)


def test_the_order_of_the_deck_is_fixed() -> None:
    """Deuces first, suits in the order of their names: seeded deals of old records depend on it."""
    assert DECK[:5] == ("2c", "2d", "2h", "2s", "3c")
    assert DECK[-1] == "As"
    assert (RANKS, SUITS) == ("23456789TJQKA", "cdhs")
