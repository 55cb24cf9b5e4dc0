"""The first thing that a viewer gets, and all that it may have."""

from __future__ import annotations

import pytest

from gameserver.errors import Bug
from gameserver.table.commands import player_id
from gameserver.table.state import TableState
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience
from gameserver.views.rules import table_rules
from gameserver.views.snapshot import snapshot
from gameserver.wire.encode import encode
from policy.ids import Seat, UserId
from tests.views import scene
from tests.views.scene import ACE, ANN, BEE, CAT, CID, HELD, NOW, OPEN_HANDS, TABLE

ACE_AT_0 = SeatAudience(Seat(0), player_id(ACE))


def known(audience: Audience, state: TableState) -> set[int]:
    sent = encode(snapshot(audience, TABLE, state, NOW)).decode()
    return {seat for seat, held in HELD.items() if any(f'"{card}"' in sent for card in held)}


LIVE = scene.table(scene.live_hand(turn=scene.open_turn()))
AFTER_SIX = scene.table(scene.live_hand(), recent=(scene.result(6),))


@pytest.mark.parametrize(
    ("audience", "state", "seats"),
    [
        (PublicAudience(), LIVE, set()),
        (AgentsAudience(), LIVE, set()),
        (ACE_AT_0, LIVE, {0}),
        (OwnerAudience(ANN), LIVE, {0}),
        (OwnerAudience(UserId("zoe")), LIVE, set()),
        (PublicAudience(), scene.table(scene.live_hand(), reveal=OPEN_HANDS), {0, 2, 5}),
        (AgentsAudience(), scene.table(scene.live_hand(), reveal=OPEN_HANDS), set()),
        (ACE_AT_0, scene.table(scene.live_hand(), reveal=OPEN_HANDS), {0}),
        (PublicAudience(), AFTER_SIX, {2}),
        (AgentsAudience(), AFTER_SIX, {2}),
        (ACE_AT_0, AFTER_SIX, {0, 2}),
        (SeatAudience(Seat(5), player_id(CAT)), AFTER_SIX, {2, 5}),
        (OwnerAudience(ANN), AFTER_SIX, {0, 2}),
    ],
)
def test_a_snapshot_holds_the_cards_of_its_audience_and_no_other(
    audience: Audience, state: TableState, seats: set[int]
) -> None:
    """Of the hand in play and of the hands before it; folded and mucked cards stay their players'."""
    assert known(audience, state) == seats


def test_a_snapshot_has_this_hands_actions_and_the_pending_request() -> None:
    """So an agent that comes back in mid-hand has lost nothing."""
    whole = snapshot(ACE_AT_0, TABLE, LIVE, NOW)
    assert [action.action_index for action in whole.actions] == [0, 1, 2]
    assert whole.your_turn and whole.your_turn.turn_id == "turn-9"
    assert not snapshot(SeatAudience(Seat(2), player_id(BEE)), TABLE, LIVE, NOW).your_turn
    assert not snapshot(PublicAudience(), TABLE, LIVE, NOW).your_turn
    assert not snapshot(OwnerAudience(ANN), TABLE, LIVE, NOW).your_turn


def test_recent_hands_are_told_with_the_players_own_cards() -> None:
    """From whichever seat they were played; oldest first."""
    moved = scene.in_seat(scene.three_seats(), 0, CAT)[:1]
    state = scene.table(None, seats=moved, recent=(scene.result(5), scene.result(6)))
    hands = snapshot(SeatAudience(Seat(0), player_id(CAT)), TABLE, state, NOW).recent_hands
    assert [hand.hand_number for hand in hands] == [5, 6]
    assert [(hand.your_seat, hand.your_hole_cards) for hand in hands] == [(5, ["7h", "2s"])] * 2
    assert [shown.cards for shown in hands[0].result.shown] == [["Kd", "Kc"]]
    assert len(hands[0].actions) == 3


def test_an_agent_that_was_sold_leaves_its_past_hands_with_its_old_owner() -> None:
    """The same agent under another owner has the public part of them."""
    sold = scene.in_seat(scene.three_seats(), 0, scene.agent("ace", CID))
    state = scene.table(None, seats=sold, recent=(scene.result(6),))
    (hand,) = snapshot(ACE_AT_0, TABLE, state, NOW).recent_hands
    assert not hand.your_hole_cards


def test_an_owner_gets_their_agents_cards_beside_the_public_view() -> None:
    """One `own_cards` for each own agent dealt in, none for others."""
    ann = snapshot(OwnerAudience(ANN), TABLE, LIVE, NOW)
    assert ann.own_cards and [(own.agent_id, own.cards) for own in ann.own_cards] == [("ace", ["As", "Ah"])]
    assert encode(ann.state) == encode(snapshot(PublicAudience(), TABLE, LIVE, NOW).state)
    assert not snapshot(OwnerAudience(UserId("zoe")), TABLE, LIVE, NOW).own_cards


def test_a_seats_snapshot_is_refused_to_who_does_not_hold_the_seat() -> None:
    """It would be the snapshot of somebody else's seat."""
    with pytest.raises(Bug):
        snapshot(SeatAudience(Seat(2), player_id(ACE)), TABLE, LIVE, NOW)


def test_the_rules_name_neither_who_made_the_table_nor_who_may_come() -> None:
    """Everything else of the options is told, under the names of the wire."""
    rules = table_rules(scene.options(OPEN_HANDS))
    assert (rules.name, rules.table_kind, rules.max_seats, rules.small_blind) == ("First table", "agent", 6, 5)
    assert (rules.show_hands, rules.show_thoughts, rules.turn_ms) == (True, False, 15_000)
    assert b'"ann"' not in encode(snapshot(PublicAudience(), TABLE, LIVE, NOW))
    assert b"created" not in encode(snapshot(PublicAudience(), TABLE, LIVE, NOW))


def test_a_seats_snapshot_in_mid_hand_has_nobody_who_came_since_where_anything_is_revealed() -> None:
    """A reconnect is no way to hear of them; between hands they are there."""
    dan = scene.seat(3, scene.agent("dan", UserId("dan"), model="house"), "Ace has Kings", stack=413)
    seats = (*scene.three_seats(), dan)
    audience = SeatAudience(Seat(0), player_id(ACE))
    live = scene.table(scene.live_hand(), reveal=OPEN_HANDS, seats=seats)
    assert b"Kings" not in encode(snapshot(audience, TABLE, live, NOW))
    assert b"Kings" in encode(snapshot(PublicAudience(), TABLE, live, NOW))
    over = scene.table(None, reveal=OPEN_HANDS, seats=seats)
    assert b"Kings" in encode(snapshot(audience, TABLE, over, NOW))
