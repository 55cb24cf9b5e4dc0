"""What the history of a finished hand discloses to whom: what the public stream did, and one's own."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import history_policy
from policy.errors import PolicyRefusal
from policy.history_policy import (
    Disclosed,
    Ending,
    PastAgent,
    PastHand,
    PastPerson,
    PastSeat,
    Player,
    PublicStream,
    Reader,
    Stranger,
)
from policy.ids import DECK, AgentId, HoleCards, Seat, UserId
from policy.sealed import Sealed, open_sealed
from policy.spectator_policy import RevealOptions

CLOSED = RevealOptions(show_hands=False, show_thoughts=False)
HANDS = RevealOptions(show_hands=True, show_thoughts=False)
THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)
ANN, BOB, CAT, DAN = map(UserId, ("ann", "bob", "cat", "dan"))
NO, STREAMED, FACE_UP = Disclosed.NO, Disclosed.STREAMED, Disclosed.FACE_UP


def cards_of(seat: int) -> HoleCards:
    return DECK[2 * seat], DECK[2 * seat + 1]


def past(number: int, player: Player, disclosed: Disclosed) -> PastSeat:
    return PastSeat(Seat(number), player, Sealed(cards_of(number)), disclosed)


# Seats 0 to 2 are Ann's, Bob's and nobody's agents; 3 is Cat's own seat; 4 was streamed to the public; 5 was face up.
SEATS = (
    past(0, PastAgent(AgentId("a"), ANN), NO),
    past(1, PastAgent(AgentId("b"), BOB), NO),
    past(2, PastAgent(AgentId("x"), None), NO),
    past(3, PastPerson(CAT), NO),
    past(4, PastAgent(AgentId("d"), DAN), STREAMED),
    past(5, PastAgent(AgentId("e"), UserId("eve")), FACE_UP),
)
READERS: dict[str, Reader] = {
    "stranger": Stranger(),
    "ann": PastPerson(ANN),
    "bob": PastPerson(BOB),
    "cat": PastPerson(CAT),
    "dan": PastPerson(DAN),
    "zoe": PastPerson(UserId("zoe")),
    "nobody": PastPerson(UserId("")),
    "agent a": PastAgent(AgentId("a"), ANN),
    "agent a, sold": PastAgent(AgentId("a"), BOB),
    "agent b": PastAgent(AgentId("b"), BOB),
    "agent x": PastAgent(AgentId("x"), None),
    "agent x, owned since": PastAgent(AgentId("x"), ANN),
    "agent d": PastAgent(AgentId("d"), DAN),
    "agent of ann's, not in the hand": PastAgent(AgentId("a2"), ANN),
    "agent with a person's name": PastAgent(AgentId("cat"), None),
}

# What each reader gets of a finished hand. Behind: the public stream has not shown it yet.
TRUTH = [
    # reader, done, behind at a closed table, behind at a revealing table
    ("stranger", "45", "-", "-"),
    ("ann", "045", "045", "-"),
    ("bob", "145", "145", "-"),
    ("cat", "345", "345", "345"),
    ("dan", "45", "45", "-"),
    ("zoe", "45", "-", "-"),
    ("nobody", "45", "-", "-"),
    ("agent a", "05", "05", "05"),
    ("agent a, sold", "5", "-", "-"),
    ("agent b", "15", "15", "15"),
    ("agent x", "25", "25", "25"),
    ("agent x, owned since", "5", "-", "-"),
    ("agent d", "45", "45", "45"),
    ("agent of ann's, not in the hand", "5", "-", "-"),
    ("agent with a person's name", "5", "-", "-"),
]
SITUATIONS = (
    (PublicStream.DONE, CLOSED),
    (PublicStream.BEHIND, CLOSED),
    (PublicStream.BEHIND, HANDS),
)


def disclosed(reader: Reader, hand: PastHand) -> str:
    """The seats whose cards the gate gave, as digits, or "-" for a refusal; checks whose cards they are."""
    try:
        given_cards = history_policy.compute_disclosed_hole_cards(reader=reader, hand=hand)
    except PolicyRefusal as refused:
        assert (refused.code, refused.why) == ("not_found", "no such hand")
        return "-"
    assert list(given_cards) == [entry.seat for entry in hand.seats if entry.seat in given_cards]
    assert all(cards == cards_of(seat) for seat, cards in given_cards.items())
    return "".join(map(str, given_cards))


def test_the_truth_table_is_whole() -> None:
    """Every reader has a row."""
    assert [row[0] for row in TRUTH] == list(READERS)


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: row[0])
def test_the_truth_table(row: tuple[str, str, str, str]) -> None:
    """A reader gets exactly the cards of its row, or nothing of the hand at all."""
    reader, *answers = row
    for (public_stream, options), seats in zip(SITUATIONS, answers, strict=True):
        assert disclosed(READERS[reader], PastHand(Ending.FINISHED, public_stream, options, SEATS)) == seats


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: row[0])
def test_a_cancelled_hand_shows_no_card_to_anybody(row: tuple[str, str, str, str]) -> None:
    """Its players get none of it either, and who may not know of the hand yet is refused as ever."""
    reader, *answers = row
    for (public_stream, options), seats in zip(SITUATIONS, answers, strict=True):
        hand = PastHand(Ending.CANCELLED, public_stream, options, SEATS)
        assert disclosed(READERS[reader], hand) == ("-" if seats == "-" else "")


def test_what_the_table_revealed_changes_nothing_once_the_public_stream_is_done() -> None:
    """What was really shown is marked seat by seat; the table's options are no second source."""
    for reader, options in itertools.product(READERS.values(), (HANDS, THOUGHTS)):
        done = PastHand(Ending.FINISHED, PublicStream.DONE, options, SEATS)
        assert disclosed(reader, done) == disclosed(reader, dataclasses.replace(done, options=CLOSED))


def test_an_owner_is_not_ahead_of_a_delayed_stream_that_shows_thoughts() -> None:
    """At a table that reveals anything the public part of an owner's view is late too."""
    hand = PastHand(Ending.FINISHED, PublicStream.BEHIND, THOUGHTS, SEATS)
    assert disclosed(READERS["ann"], hand) == "-"


def test_thoughts_and_peeked_cards_have_no_place_in_a_past_hand() -> None:
    """Nothing that the gate takes in could hold one."""
    assert [field.name for field in dataclasses.fields(PastHand)] == ["ending", "public_stream", "options", "seats"]
    assert [field.name for field in dataclasses.fields(PastSeat)] == ["seat", "player", "cards", "disclosed"]


def test_only_what_is_given_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seal of a card that the reader does not get stays closed."""
    opened: list[int] = []

    def counting(sealed: Sealed[HoleCards]) -> HoleCards:
        opened.append(id(sealed))
        return open_sealed(sealed)

    monkeypatch.setattr(history_policy, "open_sealed", counting)
    assert disclosed(READERS["ann"], PastHand(Ending.FINISHED, PublicStream.DONE, CLOSED, SEATS)) == "045"
    assert opened == [id(SEATS[seat].cards) for seat in (0, 4, 5)]


@pytest.mark.parametrize("stranger", [None, "stranger", UserId("ann"), Stranger, AgentId("a")])
@pytest.mark.parametrize("mark", Disclosed)
def test_an_unknown_reader_gets_nothing(stranger: Any, mark: Disclosed) -> None:
    """A reader outside the closed list is an error, for cards that all have seen too."""
    hand = PastHand(Ending.FINISHED, PublicStream.DONE, CLOSED, (past(0, PastPerson(ANN), mark),))
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        disclosed(stranger, hand)
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        history_policy._is_of_the_public(stranger)
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        history_policy._is_own(stranger, PastPerson(ANN))


@pytest.mark.parametrize("odd", [None, "finished", "done", "face_up", True])
def test_an_unknown_ending_state_or_mark_gives_nothing(odd: Any) -> None:
    """What was not decoded is an error for every reader."""
    for hand in (
        PastHand(odd, PublicStream.DONE, CLOSED, SEATS),
        PastHand(Ending.FINISHED, odd, CLOSED, SEATS),
        PastHand(Ending.FINISHED, PublicStream.DONE, CLOSED, (past(0, PastPerson(CAT), odd),)),
    ):
        with pytest.raises(AssertionError, match=f"unreachable.*{odd!r}"):
            disclosed(READERS["cat"], hand)


users = st.sampled_from([ANN, BOB, CAT, UserId("")])
agents = st.builds(PastAgent, agent_id=st.sampled_from("ab").map(AgentId), owner=users | st.none())
players = st.one_of(agents, st.builds(PastPerson, user_id=users))
hands = st.builds(
    PastHand,
    ending=st.sampled_from(Ending),
    public_stream=st.sampled_from(PublicStream),
    options=st.sampled_from([CLOSED, HANDS, THOUGHTS]),
    seats=st.lists(st.tuples(players, st.sampled_from(Disclosed)), max_size=6).map(
        lambda entries: tuple(past(number, *entry) for number, entry in enumerate(entries))
    ),
)


@given(hands, players)
def test_nobody_gets_more_than_the_public_and_their_own(hand: PastHand, reader: Reader) -> None:
    """Whoever reads: every seat given was face up, or streamed, or the reader's own at the deal."""
    for digit in disclosed(reader, hand).replace("-", ""):
        entry = hand.seats[int(digit)]
        own = entry.player == reader or (
            isinstance(entry.player, PastAgent) and PastPerson(entry.player.owner or UserId("?")) == reader
        )
        assert own or entry.disclosed is FACE_UP or (entry.disclosed is STREAMED and isinstance(reader, PastPerson))


@given(hands, players)
def test_a_stranger_gets_no_more_than_anybody_signed_in(hand: PastHand, reader: Reader) -> None:
    """Signing in takes nothing away; and who was not in the hand gets what a stranger gets."""
    if isinstance(reader, PastPerson):
        assert set(disclosed(Stranger(), hand)) - {"-"} <= set(disclosed(reader, hand))
    assert disclosed(PastPerson(UserId("zoe")), hand) == disclosed(Stranger(), hand)
