"""Whose hole cards each viewer gets: a truth table for every viewer, option and stage, written out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import reveal_policy
from policy.ids import DECK, AgentId, HoleCards, Seat, UserId
from policy.reveal_policy import HandCards, Peek, SeatCards, Stage, Standing
from policy.sealed import Sealed, open_sealed
from policy.spectator_policy import RevealOptions
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer

OPTIONS = {
    "closed": RevealOptions(show_hands=False, show_thoughts=False),
    "thoughts": RevealOptions(show_hands=False, show_thoughts=True),
    "hands": RevealOptions(show_hands=True, show_thoughts=False),
    "both": RevealOptions(show_hands=True, show_thoughts=True),
}

STANDINGS = (Standing.LIVE, Standing.LIVE, Standing.FOLDED, Standing.SHOWN, Standing.MUCKED)
"""Of seats 0 to 4 of the hand in the table below. Every standing is there at every stage, possible in play or not."""

VIEWERS: dict[str, Viewer] = {
    "agent0": SeatedAgent(AgentId("a0"), Seat(0)),
    "agent1": SeatedAgent(AgentId("a1"), Seat(1)),
    "agent2": SeatedAgent(AgentId("a2"), Seat(2)),
    "agent4": SeatedAgent(AgentId("a4"), Seat(4)),
    "agent9": SeatedAgent(AgentId("a9"), Seat(9)),
    "user0": SeatedUser(UserId("u0"), Seat(0)),
    "user2": SeatedUser(UserId("u2"), Seat(2)),
    "unseated": UnseatedAgent(AgentId("a0")),
    "owner0": Owner(UserId("u0"), frozenset({Seat(0)})),
    "owner2": Owner(UserId("u2"), frozenset({Seat(2)})),
    "owner4,2": Owner(UserId("u4"), frozenset({Seat(4), Seat(2)})),
    "owner": Owner(UserId("u9"), frozenset()),
    "spectator": Spectator(),
    "operator": Operator("olga"),
}

# Seats 0 and 1 are in, 2 folded, 3 was shown, 4 mucked. Columns: the table's options. Entries: the seats that one gets.
TRUTH = """
stage    viewer     closed  thoughts  hands  both
betting  agent0     03      03        03     03
betting  agent1     13      13        13     13
betting  agent2     23      23        23     23
betting  agent4     34      34        34     34
betting  agent9     3       3         3      3
betting  user0      03      03        03     03
betting  user2      23      23        23     23
betting  unseated   3       3         3      3
betting  owner0     03      03        013    013
betting  owner2     23      23        0123   0123
betting  owner4,2   234     234       01234  01234
betting  owner      3       3         013    013
betting  spectator  3       3         013    013
betting  operator   3       3         013    013
run_out  agent0     013     013       013    013
run_out  agent1     013     013       013    013
run_out  agent2     0123    0123      0123   0123
run_out  agent4     0134    0134      0134   0134
run_out  agent9     013     013       013    013
run_out  user0      013     013       013    013
run_out  user2      0123    0123      0123   0123
run_out  unseated   013     013       013    013
run_out  owner0     013     013       013    013
run_out  owner2     0123    0123      0123   0123
run_out  owner4,2   01234   01234     01234  01234
run_out  owner      013     013       013    013
run_out  spectator  013     013       013    013
run_out  operator   013     013       013    013
over     agent0     03      03        03     03
over     agent1     13      13        13     13
over     agent2     23      23        23     23
over     agent4     34      34        34     34
over     agent9     3       3         3      3
over     user0      03      03        03     03
over     user2      23      23        23     23
over     unseated   3       3         3      3
over     owner0     03      03        03     03
over     owner2     23      23        23     23
over     owner4,2   234     234       234    234
over     owner      3       3         3      3
over     spectator  3       3         3      3
over     operator   3       3         3      3
"""

# Seat 1 peeked at seat 2 (folded since) and seat 4 at seat 0. Same hand, closed table.
PEEKED = """
viewer     betting  run_out  over
agent1     123      0123     13
agent4     034      0134     34
agent0     03       013      03
agent2     23       0123     23
agent9     3        013      3
user0      03       013      03
user2      23       0123     23
user1      123      0123     13
unseated   3        013      3
owner1     123      0123     13
owner4,2   0234     01234    234
owner0     03       013      03
owner      3        013      3
spectator  3        013      3
operator   3        013      3
"""

PEEKS = (Peek(by=Seat(1), at=Seat(2)), Peek(by=Seat(4), at=Seat(0)))
VIEWERS_AND_PEEKERS: dict[str, Viewer] = VIEWERS | {
    "user1": SeatedUser(UserId("u1"), Seat(1)),
    "owner1": Owner(UserId("u1"), frozenset({Seat(1)})),
}


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()[1:]]


def cards_of(seat: int) -> HoleCards:
    return DECK[2 * seat], DECK[2 * seat + 1]


def a_hand(stage: Stage, standings: tuple[Standing, ...], peeks: tuple[Peek, ...]) -> HandCards:
    seats = (SeatCards(Seat(n), Sealed(cards_of(n)), standing) for n, standing in enumerate(standings))
    return HandCards(stage, tuple(seats), peeks)


def revealed(viewer: Viewer, hand: HandCards, options: RevealOptions) -> str:
    """The seats whose cards the gate gave, as digits; checks that each seat's cards are its own, and the order."""
    given = reveal_policy.compute_revealed_hole_cards(viewer=viewer, hand=hand, options=options)
    assert list(given) == [entry.seat for entry in hand.seats if entry.seat in given]
    assert all(cards == cards_of(seat) for seat, cards in given.items())
    return "".join(str(seat) for seat in given)


TRUTH_CASES = [
    (stage, viewer, option, seats)
    for stage, viewer, *by_option in rows(TRUTH)
    for option, seats in zip(["closed", "thoughts", "hands", "both"], by_option, strict=True)
]


def test_the_truth_table_is_whole() -> None:
    """Every viewer at every stage with every option has a row."""
    assert len(TRUTH_CASES) == len(set(TRUTH_CASES)) == len(Stage) * len(VIEWERS) * len(OPTIONS)


@pytest.mark.parametrize(("stage", "viewer", "option", "seats"), TRUTH_CASES)
def test_the_truth_table(stage: str, viewer: str, option: str, seats: str) -> None:
    """A viewer gets exactly the hole cards of its row."""
    assert revealed(VIEWERS[viewer], a_hand(Stage(stage), STANDINGS, ()), OPTIONS[option]) == seats


@pytest.mark.parametrize(
    ("viewer", "stage", "seats"),
    [
        (viewer, stage, seats)
        for viewer, *by_stage in rows(PEEKED)
        for stage, seats in zip(["betting", "run_out", "over"], by_stage, strict=True)
    ],
)
def test_a_peeked_hand_is_the_peekers_own_until_the_hand_is_over(viewer: str, stage: str, seats: str) -> None:
    """Who peeked, and their owner, has that hand and no other; and has it no more when the hand is over."""
    hand = a_hand(Stage(stage), STANDINGS, PEEKS)
    assert revealed(VIEWERS_AND_PEEKERS[viewer], hand, OPTIONS["closed"]) == seats


def test_a_fold_takes_a_hand_out_of_the_live_view() -> None:
    """A spectator of a showHands table has a hand while it is in, and not after its fold."""
    before = a_hand(Stage.BETTING, (Standing.LIVE, Standing.LIVE, Standing.LIVE), ())
    after = a_hand(Stage.BETTING, (Standing.LIVE, Standing.FOLDED, Standing.LIVE), ())
    assert revealed(Spectator(), before, OPTIONS["hands"]) == "012"
    assert revealed(Spectator(), after, OPTIONS["hands"]) == "02"


def test_the_winner_of_an_uncontested_pot_shows_nothing() -> None:
    """The last hand left is closed to all but its player, at a showHands table too, unless shown."""
    won = a_hand(Stage.OVER, (Standing.LIVE, Standing.FOLDED), ())
    shown = a_hand(Stage.OVER, (Standing.SHOWN, Standing.FOLDED), ())
    assert revealed(Spectator(), won, OPTIONS["both"]) == ""
    assert revealed(VIEWERS["agent1"], won, OPTIONS["both"]) == "1"
    assert revealed(VIEWERS["agent0"], won, OPTIONS["both"]) == "0"
    assert revealed(VIEWERS["agent1"], shown, OPTIONS["closed"]) == "01"


def test_a_side_pot_that_is_still_open_keeps_all_hands_closed() -> None:
    """With one player all in and two who still bet, the stage is BETTING, and the one all in is closed too."""
    hand = a_hand(Stage.BETTING, (Standing.LIVE, Standing.LIVE, Standing.LIVE), ())
    assert revealed(VIEWERS["agent1"], hand, OPTIONS["closed"]) == "1"
    assert revealed(Spectator(), hand, OPTIONS["closed"]) == ""


@pytest.mark.parametrize("odd", [1, "true", "no", None, [True]])
def test_an_option_that_is_no_plain_true_is_off(odd: Any) -> None:
    """The gate does not lean on how truthy a value is."""
    hand = a_hand(Stage.BETTING, STANDINGS, ())
    assert revealed(Spectator(), hand, RevealOptions(show_hands=odd, show_thoughts=odd)) == "3"


def test_only_what_is_given_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seal of a card that the viewer does not get stays closed."""
    opened: list[object] = []

    def counting(sealed: Sealed[HoleCards]) -> HoleCards:
        opened.append(id(sealed))
        return open_sealed(sealed)

    monkeypatch.setattr(reveal_policy, "open_sealed", counting)
    hand = a_hand(Stage.BETTING, STANDINGS, PEEKS)
    assert revealed(VIEWERS["agent1"], hand, OPTIONS["both"]) == "123"
    assert opened == [id(hand.seats[seat].cards) for seat in (1, 2, 3)]


@pytest.mark.parametrize("stranger", [None, "spectator", object(), 0, Seat(0), UserId("u0")])
def test_an_unknown_viewer_gets_nothing(stranger: Any) -> None:
    """A viewer outside the closed list is an error, and an error gives no cards."""
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        revealed(stranger, a_hand(Stage.RUN_OUT, STANDINGS, ()), OPTIONS["both"])
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        reveal_policy.look_from_the_deal(viewer=stranger, dealt_in=frozenset())


@pytest.mark.parametrize("stage", [None, "run_out", 2])
def test_an_unknown_stage_gives_nothing(stage: Any) -> None:
    """A stage that was not decoded is an error, even for the viewer's own cards."""
    with pytest.raises(AssertionError, match=f"unreachable.*{stage!r}"):
        revealed(VIEWERS["agent0"], a_hand(stage, STANDINGS, ()), OPTIONS["both"])


@pytest.mark.parametrize("standing", [None, "live", "shown"])
def test_an_unknown_standing_is_closed(standing: Any) -> None:
    """Cards whose standing is not of the list are their player's only."""
    hand = a_hand(Stage.RUN_OUT, (Standing.LIVE, standing), ())
    assert revealed(Spectator(), hand, OPTIONS["both"]) == "0"
    assert revealed(VIEWERS["agent1"], hand, OPTIONS["both"]) == "01"


@pytest.mark.parametrize("left_out", ["viewer", "hand", "options"])
def test_a_forgotten_argument_is_an_error(left_out: str) -> None:
    """There is no default for anything the gate asks."""
    asked: dict[str, Any] = {"viewer": Spectator(), "hand": a_hand(Stage.OVER, (), ()), "options": OPTIONS["closed"]}
    del asked[left_out]
    with pytest.raises(TypeError, match=left_out):
        reveal_policy.compute_revealed_hole_cards(**asked)


seats = st.integers(0, 5).map(Seat)
hands = st.builds(
    a_hand,
    st.sampled_from(Stage),
    st.lists(st.sampled_from(Standing), min_size=2, max_size=6).map(tuple),
    st.lists(st.builds(Peek, by=seats, at=seats), max_size=4).map(tuple),
)
options = st.builds(RevealOptions, show_hands=st.booleans(), show_thoughts=st.booleans())


@given(hands, options, seats)
def test_agent_is_within_spectator_plus_own_is_within_owner(hand: HandCards, chosen: RevealOptions, seat: Seat) -> None:
    """Unseated agent ⊆ spectator ⊆ owner; a seat ⊆ its owner; an operator is a spectator."""
    bystander = set(revealed(UnseatedAgent(AgentId("a")), hand, chosen))
    spectator = set(revealed(Spectator(), hand, chosen))
    player = set(revealed(SeatedAgent(AgentId("a"), seat), hand, chosen))
    owner = set(revealed(Owner(UserId("u"), frozenset({seat})), hand, chosen))
    assert bystander <= spectator <= owner
    assert bystander <= player <= owner
    assert owner == spectator | player
    assert set(revealed(Operator("o"), hand, chosen)) == spectator
    assert set(revealed(SeatedUser(UserId("u"), seat), hand, chosen)) == player


@given(hands, seats)
def test_no_option_changes_what_a_player_gets(hand: HandCards, seat: Seat) -> None:
    """A seat and an agent without one get the same cards at the most open table as at a closed one."""
    for viewer in (SeatedAgent(AgentId("a"), seat), SeatedUser(UserId("u"), seat), UnseatedAgent(AgentId("a"))):
        assert revealed(viewer, hand, OPTIONS["both"]) == revealed(viewer, hand, OPTIONS["closed"])


@given(hands, options, seats, st.sampled_from(sorted(VIEWERS)))
def test_folded_and_mucked_cards_are_their_players_only(
    hand: HandCards, chosen: RevealOptions, seat: Seat, name: str
) -> None:
    """Without a peek nobody gets a folded or mucked hand but its own seat and that seat's owner."""
    viewer = VIEWERS[name]
    given_seats = revealed(viewer, HandCards(hand.stage, hand.seats, ()), chosen)
    match viewer:
        case SeatedAgent(seat=own) | SeatedUser(seat=own):
            own_seats = {own}
        case Owner(seats=own_of_owner):
            own_seats = set(own_of_owner)
        case _:
            own_seats = set()
    for entry in hand.seats:
        if entry.standing in {Standing.FOLDED, Standing.MUCKED} and entry.seat not in own_seats:
            assert str(entry.seat) not in given_seats


DEALT_IN: frozenset[SeatedAgent | SeatedUser] = frozenset(
    {SeatedAgent(AgentId("a0"), Seat(0)), SeatedUser(UserId("u2"), Seat(2))}
)


@pytest.mark.parametrize(
    ("viewer", "looks_as"),
    [
        (SeatedAgent(AgentId("a0"), Seat(0)), SeatedAgent(AgentId("a0"), Seat(0))),
        (SeatedAgent(AgentId("a1"), Seat(0)), UnseatedAgent(AgentId("a1"))),
        (SeatedAgent(AgentId("a0"), Seat(1)), UnseatedAgent(AgentId("a0"))),
        (SeatedAgent(AgentId("u2"), Seat(2)), UnseatedAgent(AgentId("u2"))),
        (SeatedUser(UserId("u2"), Seat(2)), SeatedUser(UserId("u2"), Seat(2))),
        (SeatedUser(UserId("u1"), Seat(2)), Spectator()),
        (SeatedUser(UserId("u2"), Seat(0)), Spectator()),
        (SeatedUser(UserId("a0"), Seat(0)), Spectator()),
        (UnseatedAgent(AgentId("a0")), UnseatedAgent(AgentId("a0"))),
        (Owner(UserId("u2"), frozenset({Seat(0)})), Owner(UserId("u2"), frozenset({Seat(0)}))),
        (Spectator(), Spectator()),
        (Operator("olga"), Operator("olga")),
    ],
)
def test_the_next_occupant_of_a_seat_does_not_get_the_last_ones_cards(viewer: Viewer, looks_as: Viewer) -> None:
    """Who was not dealt in at that seat looks as one without a seat, a person's and an agent's equal name included."""
    assert reveal_policy.look_from_the_deal(viewer=viewer, dealt_in=DEALT_IN) == looks_as
