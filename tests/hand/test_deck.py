"""Where cards come from."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from unittest.mock import patch

import pytest

from gameserver.errors import Bug
from gameserver.hand.deck import Deck, scripted_deck, secure_deck
from policy.ids import DECK, Card, HoleCards, Seat
from policy.sealed import SealedError

KINGS: HoleCards = (Card("Ks"), Card("Kd"))


def drain(deck: Deck) -> list[Card]:
    return [deck.deal() for _ in DECK]


def test_a_secure_deck_deals_each_card_once_and_is_empty_then() -> None:
    """52 different cards, and no 53rd."""
    deck = secure_deck()
    assert sorted(drain(deck)) == sorted(DECK)
    with pytest.raises(Bug, match="empty"):
        deck.deal()


def test_each_order_of_the_deck_has_one_number() -> None:
    """The digits of the number drawn choose among the cards left: 0 and 52! - 1 give two different full decks."""
    with patch("gameserver.hand.deck.secrets.randbelow", side_effect=lambda orders: 0) as randbelow:
        first = drain(secure_deck())
    with patch("gameserver.hand.deck.secrets.randbelow", side_effect=lambda orders: orders - 1):
        last = drain(secure_deck())
    assert randbelow.call_args.args[0] == 80658175170943878571660636856403766975289505440883277824000000000000
    assert sorted(first) == sorted(last) == sorted(DECK)
    assert first[0] == DECK[0]
    assert last[0] == DECK[-1]


def test_each_card_comes_first_about_as_often_as_any_other() -> None:
    """Over 10,400 decks a card comes first 200 times, give or take; 7 standard deviations are allowed."""
    first = Counter(secure_deck().deal() for _ in range(10_400))
    assert set(first) == set(DECK)
    assert all(abs(count - 200) < 7 * 200**0.5 for count in first.values())


@pytest.mark.parametrize("deck", [secure_deck(), scripted_deck(hole={Seat(0): KINGS}, board=(), order=(Seat(0),))])
def test_a_deck_shows_nothing(deck: Deck) -> None:
    """It prints as <deck>, and nothing reachable by attributes is a card or a collection of cards."""
    assert repr(deck) == str(deck) == f"{deck}" == "<deck>"
    assert not hasattr(deck, "__dict__")
    for name in dir(deck):
        value = getattr(deck, name)
        assert not isinstance(value, (list, tuple, str)) or name.startswith("__"), name
        owner = getattr(value, "__self__", None)
        assert owner is deck or not isinstance(owner, (list, dict))


@pytest.mark.parametrize("way_out", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deepcopy", "pickle"])
def test_a_deck_does_not_leave(way_out: object) -> None:
    """What copies or encodes a deck is refused."""
    assert callable(way_out)
    with pytest.raises(SealedError):
        way_out(secure_deck())


def test_a_scripted_deck_deals_around_twice_and_then_the_board() -> None:
    """One card to each seat in order, then the second one, then the board, then what is left in the fixed order."""
    hole: dict[Seat, HoleCards | None] = {Seat(4): (Card("As"), Card("Ad")), Seat(7): KINGS}
    board = [Card("2c"), Card("3c"), Card("4c"), Card("5c"), Card("6c")]
    cards = drain(scripted_deck(hole=hole, board=board, order=(Seat(7), Seat(4))))
    assert cards[:4] == ["Ks", "As", "Kd", "Ad"]
    assert cards[4:9] == board
    assert sorted(cards) == sorted(DECK)
    assert cards[9:] == [card for card in DECK if card in cards[9:]]


def test_unknown_cards_of_a_script_are_unused_ones() -> None:
    """A seat that is None or absent gets cards that nobody else has."""
    hole: dict[Seat, HoleCards | None] = {Seat(0): None, Seat(1): KINGS}
    cards = drain(scripted_deck(hole=hole, board=[Card("2c")], order=(Seat(0), Seat(1), Seat(2))))
    assert len(set(cards)) == 52
    assert (cards[1], cards[4], cards[6]) == (*KINGS, "2c")


@pytest.mark.parametrize("board", [[Card("Ks")], [Card("1s")]], ids=["twice", "no such card"])
def test_a_script_that_cannot_be_dealt_is_a_bug(board: list[Card]) -> None:
    """A card named twice, or one that the deck does not have."""
    with pytest.raises(Bug, match="twice"):
        scripted_deck(hole={Seat(0): KINGS}, board=board, order=(Seat(0),))
