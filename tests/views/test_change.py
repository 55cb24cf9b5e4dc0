"""What each audience is told of a change: which frames, in which order, and no card that is not theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import pytest

from gameserver.errors import ErrorCode
from gameserver.hand.facts import (
    Acted,
    ActionKind,
    CardsShown,
    ChipsReturned,
    ForcedKind,
    HoleDealt,
    Mucked,
    Posted,
    ShownBecause,
    Street,
    StreetDealt,
)
from gameserver.table import facts as table_facts
from gameserver.table.commands import UserPlayer, player_id
from gameserver.table.facts import Fact, ForcedCause, LeftBecause, Moved, SeatStatus
from gameserver.table.state import TableState
from gameserver.views.audience import SeatAudience
from gameserver.views.change import Change
from gameserver.views.fact_frames import changes_game_state
from gameserver.views.replies import dropped_wishes
from gameserver.wire.encode import encode
from gameserver.wire.messages import GameState, HandStarted, NumberedFrame, OwnCards, PlayerAction, YourTurn
from policy.ids import ActionIndex, AgentVersionId, HandNumber, Seat, TurnId, UserId
from policy.reveal_policy import Peek, Stage, Standing
from policy.sealed import Sealed
from policy.spectator_policy import CLOSED, RevealOptions
from tests.views import scene
from tests.views.scene import ACE, ANN, BEE, BEN, CAT, CID, FLOP, HELD, NOW, OPEN_HANDS, TABLE

CHECKED = Moved(Acted(Seat(2), ActionKind.CHECK, 0, 0, False, Street.FLOP, ActionIndex(4)), None)
TURN_OPENED = table_facts.TurnOpened(TurnId("turn-9"), scene.open_turn().turn, 65_000, 95_000, 30_000)
SEATS = {at: SeatAudience(Seat(at), player_id(player)) for at, player in ((0, ACE), (2, BEE), (5, CAT))}

View = Callable[[Change], Sequence[NumberedFrame]]
VIEWS: dict[str, View] = {
    "public": lambda change: change.public(),
    "agents": lambda change: change.unseated_agents(),
    "seat 0": lambda change: change.seat(SEATS[0]),
    "seat 2": lambda change: change.seat(SEATS[2]),
    "seat 5": lambda change: change.seat(SEATS[5]),
    "ann": lambda change: change.owner(ANN),
    "ben": lambda change: change.owner(BEN),
    "stranger": lambda change: change.owner(UserId("zoe")),
}


def change(state: TableState, *facts: Fact) -> Change:
    return Change(TABLE, facts, state, NOW)


def game_state(frames: Sequence[NumberedFrame]) -> GameState:
    (state,) = [frame for frame in frames if isinstance(frame, GameState)]
    return state


def hole_cards_in(frames: Sequence[NumberedFrame]) -> set[int]:
    """The seats of which any card is in these bytes."""
    sent = b"".join(encode(frame) for frame in frames).decode()
    return {seat for seat, held in HELD.items() if any(f'"{card}"' in sent for card in held)}


CLOSED_BETTING = scene.table(scene.live_hand())
OPEN_BETTING = scene.table(scene.live_hand(), reveal=OPEN_HANDS)
OPEN_FOLDED = scene.table(scene.live_hand(scene.cards(standings={0: Standing.FOLDED})), reveal=OPEN_HANDS)
RUN_OUT = scene.table(scene.live_hand(scene.cards(Stage.RUN_OUT, {0: Standing.FOLDED})))
OVER = scene.table(None, recent=(scene.result(),), last_cards=scene.finished_cards())
PEEKED = scene.table(scene.live_hand(scene.cards(peeks=(Peek(Seat(2), Seat(5)),))))

KNOWS: list[tuple[str, TableState, dict[str, set[int]]]] = [
    (
        "closed, betting",
        CLOSED_BETTING,
        {"public": set(), "agents": set(), "seat 0": {0}, "seat 2": {2}, "ann": {0}, "ben": {2}, "stranger": set()},
    ),
    (
        "showHands, betting",
        OPEN_BETTING,
        {
            "public": {0, 2, 5},
            "agents": set(),
            "seat 0": {0},
            "seat 2": {2},
            "ann": {0, 2, 5},
            "stranger": {0, 2, 5},
        },
    ),
    (
        "showHands, one folded",
        OPEN_FOLDED,
        {"public": {2, 5}, "agents": set(), "seat 0": {0}, "seat 2": {2}, "ann": {0, 2, 5}, "ben": {2, 5}},
    ),
    (
        "run-out, one folded",
        RUN_OUT,
        {"public": {2, 5}, "agents": {2, 5}, "seat 0": {0, 2, 5}, "seat 2": {2, 5}, "ann": {0, 2, 5}},
    ),
    (
        "over: one shown, one mucked, one folded",
        OVER,
        {"public": {2}, "agents": {2}, "seat 0": {0, 2}, "seat 5": {2, 5}, "ann": {0, 2}, "ben": {2}},
    ),
    (
        "seat 2 peeked at seat 5",
        PEEKED,
        {"public": set(), "agents": set(), "seat 0": {0}, "seat 2": {2, 5}, "seat 5": {5}, "ben": {2, 5}, "ann": {0}},
    ),
]


@pytest.mark.parametrize(
    ("view", "state", "known"),
    [
        pytest.param(view, state, known, id=f"{stage}: {view}")
        for stage, state, table in KNOWS
        for view, known in table.items()
    ],
)
def test_each_audience_gets_the_hole_cards_that_are_its_own_and_no_other(
    view: str, state: TableState, known: set[int]
) -> None:
    """Compared on the bytes of every frame of a change that touches everything."""
    dealt = HoleDealt(Seat(0), Sealed(HELD[Seat(0)]))
    assert hole_cards_in(VIEWS[view](change(state, dealt, CHECKED, TURN_OPENED))) == known


def test_a_seat_has_its_own_cards_apart_from_what_is_revealed() -> None:
    """`yourHoleCards` are the seat's; `revealedHoleCards` are others', and absent where the gate returned none."""
    own = game_state(change(RUN_OUT, CHECKED).seat(SEATS[2]))
    assert (own.your_seat, own.your_hole_cards) == (2, ["Kd", "Kc"])
    assert own.revealed_hole_cards == {"5": ["7h", "2s"]}
    closed = encode(game_state(change(CLOSED_BETTING, CHECKED).seat(SEATS[2])))
    assert b"yourHoleCards" in closed and b"revealedHoleCards" not in closed


def test_an_owner_sees_the_public_frames_and_beside_them_their_own_cards() -> None:
    """The own cards travel as `own_cards`; every other frame is the public one, byte for byte."""
    dealt = HoleDealt(Seat(5), Sealed(HELD[Seat(5)]))
    for state in (CLOSED_BETTING, OPEN_BETTING, OPEN_FOLDED, RUN_OUT, OVER):
        now = change(state, dealt, CHECKED)
        frames = now.owner(ANN)
        beside = [frame for frame in frames if isinstance(frame, OwnCards)]
        assert [encode(frame) for frame in frames if frame not in beside] == [encode(frame) for frame in now.public()]
        assert [(own.agent_id, own.seat, own.cards) for own in beside] == [("ace", 0, ["As", "Ah"])]


def test_own_cards_are_told_when_they_are_dealt_and_not_again() -> None:
    """A later change of the same hand brings no second `own_cards`."""
    assert not [f for f in change(CLOSED_BETTING, CHECKED).owner(ANN) if isinstance(f, OwnCards)]


def test_who_sat_down_after_the_deal_gets_none_of_the_last_hand() -> None:
    """The next occupant of a seat sees what is face up, not the cards that were dealt to the seat."""
    newcomer = scene.agent("dan", UserId("dan"))
    seats = scene.in_seat(scene.three_seats(), 0, newcomer)
    after = scene.table(None, seats=seats, recent=(scene.result(),), last_cards=scene.finished_cards())
    frames = change(after, CHECKED).seat(SeatAudience(Seat(0), player_id(newcomer)))
    assert hole_cards_in(frames) == {2}
    assert game_state(frames).your_seat == 0


def test_an_agent_that_was_sold_gets_nothing_of_its_old_owners_hand() -> None:
    """Rights follow who owned the agent at the deal."""
    sold = scene.agent("ace", CID)
    seats = scene.in_seat(scene.three_seats(), 0, sold)
    after = scene.table(None, seats=seats, recent=(scene.result(),), last_cards=scene.finished_cards())
    assert hole_cards_in(change(after, CHECKED).seat(SEATS[0])) == {2}
    assert hole_cards_in(change(after, CHECKED).owner(CID)) == {2}


def test_a_player_who_left_is_told_the_public_facts_and_nothing_of_the_seat() -> None:
    """No `game_state`, no request: the seat is somebody else's now, or nobody's."""
    gone = scene.table(scene.live_hand(turn=scene.open_turn()), seats=scene.three_seats()[1:])
    freed = table_facts.SeatFreed(Seat(0), ACE, LeftBecause.STOOD)
    assert [type(f).__name__ for f in change(gone, freed, TURN_OPENED).seat(SEATS[0])] == ["TableStatus"]


def test_the_facts_come_first_then_the_state_then_the_request_to_the_seat_that_is_asked() -> None:
    """And nobody else sees the request."""
    state = scene.table(scene.live_hand(turn=scene.open_turn()))
    now = change(state, CHECKED, StreetDealt(Street.FLOP, FLOP), TURN_OPENED)
    names = {view: [type(frame).__name__ for frame in draw(now)] for view, draw in VIEWS.items()}
    assert names["seat 0"] == ["PlayerAction", "StreetDealt", "GameState", "YourTurn"]
    assert all(seen == names["seat 0"][:-1] for view, seen in names.items() if view != "seat 0")


def test_deadlines_are_told_in_unix_time() -> None:
    """The rooms count monotonic milliseconds; 15 s from now is 15 s from now on the wall too."""
    state = scene.table(scene.live_hand(turn=scene.open_turn()))
    turn = change(state, TURN_OPENED).seat(SEATS[0])[-1]
    assert isinstance(turn, YourTurn)
    assert turn.turn_ends_at == NOW.wall_ms + 15_000
    assert (turn.turn_id, turn.action_index, turn.to_call) == ("turn-9", 5, 0)
    assert turn.chip_range is not None and (turn.chip_range.min, turn.chip_range.max) == (10, 980)
    assert game_state(change(state, TURN_OPENED).public()).turn_ends_at == turn.turn_ends_at


def test_a_request_that_was_answered_in_the_same_change_is_not_sent() -> None:
    """A tick can open and close a turn: only one that is still open is asked."""
    stale = table_facts.TurnOpened(TurnId("turn-8"), scene.open_turn().turn, 1, 1, 0)
    state = scene.table(scene.live_hand(turn=scene.open_turn()))
    assert not [f for f in change(state, stale, CHECKED).seat(SEATS[0]) if isinstance(f, YourTurn)]


def test_the_state_of_a_live_hand() -> None:
    """Blinds, pot, bets, seats and button, as everybody sees them."""
    state = game_state(change(scene.table(scene.live_hand(turn=scene.open_turn())), CHECKED).public())
    assert (state.street, state.board, state.pot, state.button, state.to_act) == ("flop", list(FLOP), 40, 0, 0)
    assert [(pot.amount, pot.eligible) for pot in state.pots] == [(30, [2, 5, 0])]
    assert (state.bets, state.stacks) == ({"2": 10}, {"0": 980, "2": 980, "5": 980})
    assert (state.small_blind, state.big_blind, state.ante, state.status) == (5, 10, 0, "open")
    assert [(s.seat, s.name, s.kind, s.agent_id) for s in state.seats] == [
        (0, "Ace", "agent", "ace"),
        (2, "Bee", "agent", "bee"),
        (5, "Cat", "agent", "cat"),
    ]
    assert state.seats[1].model == "house" and not state.seats[0].model


def test_a_person_in_a_seat_is_shown_without_an_id() -> None:
    """A user id is nobody else's business."""
    person = UserPlayer(UserId("secret-user"))
    seats = scene.in_seat(scene.three_seats(), 5, person)
    frames = change(scene.table(scene.live_hand(), seats=seats), CHECKED).public()
    assert game_state(frames).seats[2].kind == "human"
    assert b"secret-user" not in b"".join(map(encode, frames))
    own = change(scene.table(scene.live_hand(), seats=seats), CHECKED).seat(SeatAudience(Seat(5), player_id(person)))
    assert hole_cards_in(own) == {5}


def test_between_hands_the_board_and_what_was_shown_stay_in_view() -> None:
    """There is no street, no pot and nobody to act."""
    state = game_state(change(OVER, CHECKED).public())
    assert state.board == ["Qs", "Jd", "3c", "8d", "9c"]
    assert (state.street, state.pot, state.pots, state.bets, state.to_act) == (None, 0, [], {}, None)
    assert state.revealed_hole_cards == {"2": ["Kd", "Kc"]}
    empty = game_state(change(scene.table(None), CHECKED).public())
    assert (empty.board, empty.button) == ([], None)


# --- who sits beside the hand -------------------------------------------------------------------------------------------

DAN = scene.seat(3, scene.agent("dan", UserId("dan"), model="house"), "Ace has Kings", stack=413)
CAME = table_facts.SeatTaken(Seat(3), DAN.player, DAN.name, DAN.stack_chips)
SAT_BESIDE: dict[str, tuple[Fact, ...]] = {
    "came": (CAME,),
    "went": (
        table_facts.SeatPaid(Seat(3), DAN.player, 413),
        table_facts.SeatFreed(Seat(3), DAN.player, LeftBecause.LEFT),
    ),
    "bought in": (table_facts.ChipsBought(Seat(3), DAN.player, 13),),
    "stands otherwise": (
        table_facts.StatusChanged(Seat(3), SeatStatus.SITTING_OUT),
        table_facts.PresenceChanged(Seat(3), False),
    ),
}


def with_dan(reveal: RevealOptions, *, in_play: bool = True) -> TableState:
    hand = scene.live_hand(turn=scene.open_turn()) if in_play else None
    return scene.table(hand, reveal=reveal, seats=(*scene.three_seats()[:2], DAN, scene.three_seats()[2]))


@pytest.mark.parametrize("facts", SAT_BESIDE.values(), ids=SAT_BESIDE.keys())
@pytest.mark.parametrize("is_there", [True, False], ids=["there", "gone"])
def test_who_comes_in_mid_hand_is_told_to_no_seat_at_a_revealing_table(facts: tuple[Fact, ...], is_there: bool) -> None:
    """Their name, their seat and their chips may say what the live cards are: no frame and no state again tells of them."""
    for reveal in (OPEN_HANDS, RevealOptions(show_hands=False, show_thoughts=True)):
        without = scene.table(scene.live_hand(turn=scene.open_turn()), reveal=reveal)
        state = with_dan(reveal) if is_there else without
        for seat in SEATS.values():
            assert change(state, *facts).seat(seat) == []
            assert change(state, *facts, CHECKED).seat(seat) == change(without, CHECKED).seat(seat)
        assert change(state, *facts).public(), "who watches is told"


def test_a_pause_in_mid_hand_is_told_to_no_seat() -> None:
    """Whoever pauses may watch the live cards, and a pause is a word: at each table, and neither as a frame nor in the state."""
    for reveal in (OPEN_HANDS, RevealOptions(show_hands=False, show_thoughts=False)):
        without = scene.table(scene.live_hand(turn=scene.open_turn()), reveal=reveal)
        paused = replace(without, status="paused")
        for fact in (table_facts.TableStatusChanged("paused"), table_facts.TableStatusChanged("open")):
            for seat in SEATS.values():
                assert change(paused, fact).seat(seat) == []
                assert change(paused, fact, CHECKED).seat(seat) == change(without, CHECKED).seat(seat)
        assert change(paused, table_facts.TableStatusChanged("paused")).public(), "who watches is told"


def test_a_pause_is_seen_when_the_hand_is_over_and_a_close_at_once() -> None:
    """What holds between hands holds for everybody."""
    over = replace(scene.table(None), status="paused")
    assert game_state(change(over, table_facts.HandEnded(scene.result())).seat(SEATS[0])).status == "paused"
    closed = replace(scene.table(scene.live_hand()), status="closed")
    assert change(closed, table_facts.TableStatusChanged("closed")).seat(SEATS[0])


def test_who_came_in_mid_hand_is_seen_when_the_hand_is_over() -> None:
    """It is a seat like any other then."""
    over = with_dan(OPEN_HANDS, in_play=False)
    told = game_state(change(over, table_facts.HandEnded(scene.result())).seat(SEATS[0]))
    assert [seat.name for seat in told.seats] == ["Ace", "Bee", "Ace has Kings", "Cat"]


def test_who_sits_beside_the_hand_sees_themselves_and_who_plays() -> None:
    """And a newcomer knows of no other one."""
    eve = scene.seat(4, scene.agent("eve", UserId("eve"), model="house"), "Eve")
    state = with_dan(OPEN_HANDS)
    state = replace(state, seats=(*state.seats[:3], eve, state.seats[3]))
    told = game_state(change(state, CAME, CHECKED).seat(SeatAudience(Seat(3), player_id(DAN.player))))
    assert ([seat.seat for seat in told.seats], told.stacks, told.your_seat) == (
        [0, 2, 3, 5],
        {"0": 980, "2": 980, "3": 413, "5": 980},
        3,
    )


def test_at_a_closed_table_all_are_told_at_once_who_comes() -> None:
    """Who watches there knows no card that could be told."""
    for seat in SEATS.values():
        assert [type(frame).__name__ for frame in change(with_dan(CLOSED), CAME).seat(seat)] == [
            "TableStatus",
            "GameState",
        ]


# --- each fact ----------------------------------------------------------------------------------------------------------

ONE_OF_EACH: dict[type, tuple[Fact, str | None]] = {
    table_facts.SeatTaken: (table_facts.SeatTaken(Seat(0), ACE, "Ace", 500), "TableStatus"),
    table_facts.SeatPaid: (table_facts.SeatPaid(Seat(0), ACE, 500), None),
    table_facts.SeatFreed: (table_facts.SeatFreed(Seat(0), ACE, LeftBecause.STOOD), "TableStatus"),
    table_facts.ChipsBought: (table_facts.ChipsBought(Seat(0), ACE, 100), "TableStatus"),
    table_facts.RebuyReserved: (table_facts.RebuyReserved(Seat(0), ACE, 100), None),
    table_facts.RebuyReturned: (table_facts.RebuyReturned(Seat(0), ACE, 100), None),
    table_facts.WishDropped: (table_facts.WishDropped(Seat(0), player_id(ACE), ErrorCode.STRADDLE_OFF), None),
    table_facts.StatusChanged: (table_facts.StatusChanged(Seat(0), SeatStatus.AWAY), None),
    table_facts.PresenceChanged: (table_facts.PresenceChanged(Seat(0), False), "Presence"),
    table_facts.HandBegan: (
        table_facts.HandBegan(HandNumber(7), scene.POSITIONS, ((Seat(2), 990),), (), scene.PLAYERS),
        "HandStarted",
    ),
    table_facts.NoHand: (table_facts.NoHand("fewer than two are ready"), None),
    Posted: (Posted(Seat(2), ForcedKind.SMALL_BLIND, 5, ActionIndex(0)), "PlayerAction"),
    HoleDealt: (HoleDealt(Seat(0), Sealed(HELD[Seat(0)])), None),
    table_facts.TurnOpened: (TURN_OPENED, None),
    table_facts.Moved: (CHECKED, "PlayerAction"),
    ChipsReturned: (ChipsReturned(Seat(2), 40), None),
    StreetDealt: (StreetDealt(Street.FLOP, FLOP), "StreetDealt"),
    CardsShown: (CardsShown(Seat(2), HELD[Seat(2)], ShownBecause.SHOWDOWN), "CardsShown"),
    Mucked: (Mucked(Seat(5)), None),
    table_facts.PowerUsed: (table_facts.PowerUsed("dealer_peek", Seat(2), Seat(5)), "PowerUsed"),
    table_facts.HandEnded: (table_facts.HandEnded(scene.result()), "HandResult"),
    table_facts.HandCancelled: (
        table_facts.HandCancelled(HandNumber(7), ((Seat(0), ACE, 10),), "restart"),
        "HandCancelled",
    ),
    table_facts.TableStatusChanged: (table_facts.TableStatusChanged("closed"), "TableStatus"),
    table_facts.Renamed: (table_facts.Renamed("Another name"), "TableStatus"),
    table_facts.OptionsChanged: (table_facts.OptionsChanged(CLOSED), "TableOptions"),
    table_facts.VersionChanged: (table_facts.VersionChanged(Seat(0), AgentVersionId("v2")), None),
}
FOR_ONE_PLAYER = (
    table_facts.RebuyReserved,
    table_facts.RebuyReturned,
    table_facts.WishDropped,
    table_facts.VersionChanged,
    table_facts.NoHand,
)


def test_every_kind_of_fact_is_in_the_table() -> None:
    """A new kind of fact has to be decided on here too."""
    assert set(ONE_OF_EACH) == set(get_args(Fact))


@pytest.mark.parametrize(("fact", "frame"), ONE_OF_EACH.values(), ids=lambda value: type(value).__name__)
def test_each_fact_makes_its_frame_and_the_same_one_for_all(fact: Fact, frame: str | None) -> None:
    """The frame of a fact is one object in every audience, so it is encoded once."""
    now = change(CLOSED_BETTING, fact)
    made = {view: [f for f in draw(now) if not isinstance(f, GameState | OwnCards)] for view, draw in VIEWS.items()}
    assert [type(f).__name__ for f in made["public"]] == ([] if frame is None else [frame])
    assert all([id(f) for f in frames] == [id(f) for f in made["public"]] for frames in made.values())


@pytest.mark.parametrize("kind", FOR_ONE_PLAYER, ids=lambda kind: kind.__name__)
def test_what_concerns_one_player_shows_in_nobodys_stream(kind: type) -> None:
    """Not as a frame, a state or a number."""
    fact, _ = ONE_OF_EACH[kind]
    assert not changes_game_state(fact)
    assert all(draw(change(CLOSED_BETTING, fact)) == [] for draw in VIEWS.values())


def test_a_dropped_wish_is_an_answer_to_its_player() -> None:
    """With the code of why it cannot be done."""
    fact, _ = ONE_OF_EACH[table_facts.WishDropped]
    ((player, error),) = dropped_wishes([fact, CHECKED])
    assert (player, error.code) == (player_id(ACE), ErrorCode.STRADDLE_OFF)


def test_a_move_that_the_table_made_says_why() -> None:
    """A timeout's fold is `forced`, with its cause; a player's own is not."""
    late = Moved(Acted(Seat(2), ActionKind.FOLD, 10, 0, False, Street.FLOP, ActionIndex(4)), ForcedCause.AGENT_SLOW)
    forced, own = change(CLOSED_BETTING, late, CHECKED).public()[:2]
    assert isinstance(forced, PlayerAction) and isinstance(own, PlayerAction)
    assert (forced.forced, forced.cause, forced.amount) == (True, "agent_slow", 10)
    assert not own.forced and b"cause" not in encode(own)


def test_the_board_of_a_street_is_the_board_as_it_was_then() -> None:
    """In a run-out several streets come in one change."""
    ended = table_facts.HandEnded(scene.result())
    board = scene.result().board
    facts = (
        StreetDealt(Street.FLOP, board[:3]),
        StreetDealt(Street.TURN, board[3:4]),
        StreetDealt(Street.RIVER, board[4:]),
    )
    frames = change(OVER, *facts, ended).public()
    boards = [getattr(frame, "board", None) for frame in frames[:3]]
    assert boards == [list(board[:3]), list(board[:4]), list(board)]


def test_a_hand_begins_with_its_own_number() -> None:
    """And with the stacks before any forced bet."""
    began = ONE_OF_EACH[table_facts.HandBegan][0]
    frame = change(scene.table(None), began).public()[0]
    assert isinstance(frame, HandStarted)
    assert (frame.hand_number, frame.button, frame.small_blind_seat, frame.big_blind_seat) == (7, 0, 2, 5)
    assert (frame.dealt, frame.stacks) == ([2], {"2": 990})
