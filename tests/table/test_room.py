"""The room's face: what is told when, what a refusal leaves, and what comes back after a restart."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.hand.deck import secure_deck
from gameserver.hand.facts import ActionKind
from gameserver.table import commands, facts, memory
from gameserver.table.commands import AgentPlayer, Command, PlayerId, player_id
from gameserver.table.facts import Fact
from gameserver.table.options import TableOptions
from gameserver.table.room import Room
from policy.ids import AgentId, AgentVersionId, Seat, TurnId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

OPTIONS: Final = TableOptions(
    name="a table",
    kind=TableKind.AGENT,
    max_seats=3,
    small_blind_chips=10,
    big_blind_chips=20,
    min_buy_in_chips=400,
    max_buy_in_chips=2_000,
    created_by=UserId("somebody"),
)
ANN, BOB, CHO = (
    AgentPlayer(AgentId(name), UserId(f"u-{name}"), AgentVersionId("v1"), hosted=False, model=None)
    for name in ("ann", "bob", "cho")
)


def new_room(options: TableOptions = OPTIONS, kept: memory.RoomMemory | None = None, now_ms: int = 0) -> Room:
    turns = iter(range(1_000))
    return Room(
        options=options,
        memory=kept or memory.new_memory(Seat(0)),
        new_turn_id=lambda: TurnId(f"turn {next(turns)}"),
        now_ms=now_ms,
    )


def sit(player: AgentPlayer, seat: int, buy_in_chips: int = 1_000) -> commands.Sit:
    return commands.Sit(player, player.agent_id, Seat(seat), buy_in_chips)


def room_with_a_hand() -> Room:
    """Ann (button) and Bob, one hand dealt: it is Ann's turn."""
    room = new_room()
    for command in (sit(ANN, 0), sit(BOB, 1), commands.BeginHand(), commands.Deal(secure_deck())):
        room.receive(command, 0)
    return room


def code_of(room: Room, command: Command, now_ms: int = 0) -> ErrorCode:
    with pytest.raises(Refusal) as refused:
        room.receive(command, now_ms)
    return refused.value.code


def act(room: Room, player: PlayerId, action: ActionKind, now_ms: int = 0) -> tuple[Fact, ...]:
    hand = room.state(now_ms).hand
    assert hand is not None and hand.turn is not None
    return room.receive(commands.Act(player, hand.turn.turn_id, action, None), now_ms)


def test_what_fell_due_before_a_refused_command_is_told_later() -> None:
    """Ann's time is over when her move comes: the fold happened, and the next call tells it."""
    room = room_with_a_hand()
    hand = room.state(0).hand
    assert hand is not None and hand.turn is not None
    late = commands.Act(player_id(ANN), hand.turn.turn_id, ActionKind.CALL, None)
    assert code_of(room, late, 45_001) is ErrorCode.STALE_TURN
    told = room.receive(commands.Tick(), 45_001)
    assert isinstance(told[0], facts.Moved)
    assert any(isinstance(fact, facts.HandEnded) for fact in told)


def test_verify_foretells_a_late_move() -> None:
    """Even where nothing has fallen due yet."""
    room = room_with_a_hand()
    hand = room.state(0).hand
    assert hand is not None and hand.turn is not None
    command = commands.Act(player_id(ANN), hand.turn.turn_id, ActionKind.CALL, None)
    room.verify(command, 45_000)
    with pytest.raises(Refusal):
        room.verify(command, 45_001)


def test_the_next_clock_starts_at_the_deadline() -> None:
    """However late the tick comes: two turns in a row run out in one call."""
    room = new_room()
    for command in (sit(ANN, 0), sit(BOB, 1), sit(CHO, 2), commands.BeginHand(), commands.Deal(secure_deck())):
        room.receive(command, 0)
    told = room.receive(commands.Tick(), 500_000)
    moved = [fact.move.seat for fact in told if isinstance(fact, facts.Moved)]
    opened = [fact.turn_ends_at_ms for fact in told if isinstance(fact, facts.TurnOpened)]
    assert moved == [0, 1]
    assert opened == [45_000 + 15_000]


def test_sit_is_checked_in_the_order_of_the_contract() -> None:
    """Each refusal hides those behind it: one command is mended check by check."""
    room = new_room(replace(OPTIONS, max_seats=2))
    room.receive(sit(ANN, 0), 0)
    room.receive(sit(BOB, 1), 0)
    wrong = commands.Sit(replace(ANN, agent_id=AgentId("two")), "ann", Seat(7), 1)
    assert code_of(room, wrong) is ErrorCode.OWNER_ALREADY_SEATED
    assert code_of(room, replace(wrong, player=ANN)) is ErrorCode.ALREADY_SEATED
    wrong = replace(wrong, player=CHO)
    assert code_of(room, wrong) is ErrorCode.NAME_CONFLICT
    wrong = replace(wrong, name="cho")
    assert code_of(room, wrong) is ErrorCode.NO_SUCH_SEAT
    wrong = replace(wrong, seat=Seat(1))
    assert code_of(room, wrong) is ErrorCode.TABLE_FULL
    room.receive(commands.Leave(player_id(ANN)), 0)
    assert code_of(room, wrong) is ErrorCode.SEAT_TAKEN
    wrong = replace(wrong, seat=Seat(0))
    assert code_of(room, wrong) is ErrorCode.BUY_IN_BELOW_MIN
    assert code_of(room, replace(wrong, player=ANN, buy_in_chips=999)) is ErrorCode.RATHOLE
    assert code_of(room, replace(wrong, buy_in_chips=2_001)) is ErrorCode.BUY_IN_ABOVE_MAX
    room.receive(commands.Close(), 0)
    assert code_of(room, wrong) is ErrorCode.TABLE_CLOSED


def test_a_name_that_looks_like_a_seated_one_is_refused() -> None:
    """The gate of names decides what looks alike (`name_policy`); a free name sits."""
    room = new_room()
    room.receive(replace(sit(ANN, 0), name="Robin"), 0)
    assert code_of(room, replace(sit(BOB, 1), name="R0BlN")) is ErrorCode.NAME_CONFLICT
    room.receive(replace(sit(BOB, 1), name="Wren"), 0)


def test_a_restart_keeps_ages_and_not_times() -> None:
    """Another process counts from elsewhere; the return rule and the removal go on where they were, and downtime counts."""
    room = new_room()
    room.receive(sit(ANN, 0), 1_000_000)
    room.receive(sit(BOB, 1), 1_000_000)
    room.receive(commands.Leave(player_id(ANN)), 1_000_000)
    room.receive(commands.Disconnect(player_id(BOB)), 1_000_000)
    room.receive(commands.Tick(), 1_100_000)
    kept = memory.decode(memory.encode(room.memory()))
    again = Room(options=OPTIONS, memory=kept, new_turn_id=lambda: TurnId("a turn"), now_ms=50, elapsed_ms=200_000)
    assert again.live_hand_number is None
    assert again.next_due_ms() == 50 + 600_000 - 300_000 + 1
    assert code_of(again, sit(ANN, 0, 999), 50 + 7_200_000 - 300_000 - 1) is ErrorCode.RATHOLE
    again.receive(sit(ANN, 0, 999), 50 + 7_200_000 - 300_000)


def test_a_hand_that_never_ended_is_cancelled_before_anything_else() -> None:
    """A room that is restored in mid-hand takes nothing but time and the cancelling."""
    room = new_room(kept=room_with_a_hand().memory())
    assert room.live_hand_number == 1
    assert not room.wants_hand()
    assert room.receive(commands.Tick(), 0) == ()
    with pytest.raises(Bug):
        room.receive(commands.Connect(player_id(ANN)), 0)
    [cancelled] = [
        each for each in room.receive(commands.CancelHand("why"), 0) if isinstance(each, facts.HandCancelled)
    ]
    assert (cancelled.hand_number, cancelled.refunds, cancelled.why) == (1, (), "why")
    assert [seat.stack_chips for seat in room.state(0).seats] == [1_000, 1_000]


def test_a_hand_that_was_planned_and_never_dealt_can_be_cancelled() -> None:
    """Its number is gone all the same."""
    room = new_room()
    for command in (sit(ANN, 0), sit(BOB, 1), commands.BeginHand()):
        room.receive(command, 0)
    assert room.state(0).hand is None
    assert room.live_hand_number == 1
    room.receive(commands.Leave(player_id(BOB)), 0)
    told = room.receive(commands.CancelHand("the store is down"), 0)
    assert [type(fact) for fact in told][:3] == [facts.HandCancelled, facts.SeatPaid, facts.SeatFreed]
    room.receive(sit(CHO, 1), 0)
    [began] = [fact for fact in room.receive(commands.BeginHand(), 0) if isinstance(fact, facts.HandBegan)]
    assert began.hand_number == 2


def test_one_hand_at_a_time_and_no_deal_without_a_plan() -> None:
    """The first is refused, the second is a fault of ours."""
    room = room_with_a_hand()
    assert code_of(room, commands.BeginHand()) is ErrorCode.HAND_LIVE
    with pytest.raises(Bug):
        room.receive(commands.Deal(secure_deck()), 0)


def test_a_line_of_somebody_without_a_seat_is_nobodys_business() -> None:
    """Who watches comes and goes; a line that is up already is no news either."""
    room = room_with_a_hand()
    assert room.receive(commands.Disconnect(player_id(CHO)), 0) == ()
    assert room.receive(commands.Connect(player_id(ANN)), 0) == ()


def test_reveals_are_folded_off_when_a_room_is_built() -> None:
    """Whatever a stored row says of a table that people can sit at."""
    open_row = RevealOptions(show_hands=True, show_thoughts=True)
    assert new_room(replace(OPTIONS, reveal=open_row)).options.reveal == open_row
    folded = new_room(replace(OPTIONS, kind=TableKind.MIXED, reveal=open_row)).options.reveal
    assert folded == RevealOptions(show_hands=False, show_thoughts=False)


def test_a_renamed_table_has_its_new_name() -> None:
    """And the same name again is no news."""
    room = new_room()
    assert room.receive(commands.Rename("The Nuts"), 0) == (facts.Renamed("The Nuts"),)
    assert room.receive(commands.Rename("The Nuts"), 0) == ()
    assert room.options.name == "The Nuts"


def test_no_card_and_no_stack_of_the_hand_is_in_the_memory() -> None:
    """In mid-hand it has the stacks from before the deal, and the number that was given out."""
    room = room_with_a_hand()
    act(room, player_id(ANN), ActionKind.ALL_IN)
    kept = room.memory()
    assert [chair.stack_chips for chair in kept.chairs] == [1_000, 1_000]
    assert kept.begun == memory.Begun(kept.hand_number, ((Seat(1), 1_000), (Seat(0), 1_000)))
    assert "card" not in repr(kept)


def test_the_last_twenty_hands_are_kept_in_view() -> None:
    """Oldest first, and the cards of the last one until the next begins."""
    room = new_room()
    for command in (sit(ANN, 0), sit(BOB, 1)):
        room.receive(command, 0)
    for _ in range(22):
        room.receive(commands.BeginHand(), 0)
        assert room.state(0).last_cards is None
        room.receive(commands.Deal(secure_deck()), 0)
        hand = room.state(0).hand
        assert hand is not None and hand.turn is not None
        act(room, player_id(ANN if hand.turn.turn.seat == 0 else BOB), ActionKind.FOLD)
        assert room.state(0).last_cards is not None
    assert [result.hand_number for result in room.state(0).recent] == list(range(3, 23))


def test_a_wider_memory_reads_an_older_one() -> None:
    """A field that was not stored yet gets its default."""
    kept = room_with_a_hand().memory()
    older = memory.encode(kept).replace(b'"timeouts":0,', b"").replace(b'"posts":false,', b"")
    assert memory.decode(older) == kept


def test_departures_are_forgotten_when_the_return_rule_is_over() -> None:
    """A busy table does not remember everybody who was there; one player is remembered once."""
    room = new_room()
    for now_ms in (0, 1_000, 7_201_001):
        room.receive(sit(ANN, 0), now_ms)
        room.receive(sit(BOB, 1), now_ms)
        room.receive(commands.Leave(player_id(ANN)), now_ms)
        room.receive(commands.Leave(player_id(BOB)), now_ms)
        room.receive(sit(CHO, 2), now_ms)
        room.receive(commands.Leave(player_id(CHO)), now_ms)
    room.receive(sit(ANN, 0), 20_000_000)
    room.receive(commands.Leave(player_id(ANN)), 20_000_000)
    assert [(left.player, left.left_at_ms) for left in room.memory().departures] == [(player_id(ANN), 20_000_000)]


def test_each_seat_is_freed_at_its_own_time() -> None:
    """A millisecond apart is apart."""
    room = new_room()
    room.receive(sit(ANN, 0), 0)
    room.receive(sit(BOB, 1), 0)
    room.receive(commands.Disconnect(player_id(ANN)), 10)
    room.receive(commands.Disconnect(player_id(BOB)), 11)
    freed = [fact.player for fact in room.receive(commands.Tick(), 600_011) if isinstance(fact, facts.SeatFreed)]
    assert freed == [ANN]
    freed = [fact.player for fact in room.receive(commands.Tick(), 600_012) if isinstance(fact, facts.SeatFreed)]
    assert freed == [BOB]
