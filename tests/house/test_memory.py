from __future__ import annotations

from gameserver.wire.messages import HandStarted, PlayerAction
from railbird.agenthost.house.memory import Memory
from railbird.client import ActionKind, Street
from tests.client.frames import TABLE, seat, snapshot, state, turn

SEATS = [
    seat(0, "Ada"),
    seat(2, "Ben", 980, bet=20),
    seat(3, "Cleo", 940, bet=60),
    seat(5, "Dot", 0, status="all_in", bet=300),
    seat(7, "Eli", status="folded"),
    seat(8, "Fay", status="sitting_out"),
]


def action(
    number: int, seat_number: int, kind: ActionKind, amount: int = 0, street: Street = Street.PREFLOP
) -> PlayerAction:
    return PlayerAction(
        seq=number,
        table_id=TABLE,
        hand_number=1,
        seat=seat_number,
        action=kind,
        amount=amount,
        action_index=number,
        street=street,
        forced=False,
        all_in=False,
    )


def test_knowledge_is_taken_from_the_latest_state_and_this_hands_actions() -> None:
    memory = Memory()
    memory.take(snapshot(state(SEATS), actions=[action(1, 2, ActionKind.CALL, 20)]))
    memory.take(action(2, 3, ActionKind.RAISE, 60))
    memory.take(action(3, 5, ActionKind.RAISE, 300))
    memory.take(state(SEATS, your_seat=0, your_cards=["As", "Kd"], button=3))
    known = memory.knowledge(turn(to_call=300, chip_range=(540, 1_000)))
    assert known is not None
    assert known.hole_cards == ("As", "Kd")
    assert (known.raises, known.callers, known.opponents) == (2, 1, 3)
    assert known.to_act_after == 2
    assert known.raise_range == (540, 1_000)
    assert known.pot_chips == 380


def test_our_own_moves_and_other_streets_count_for_nothing() -> None:
    memory = Memory()
    memory.take(snapshot(state(SEATS, your_seat=0, street=Street.FLOP, board=["2c", "7d", "Jh"])))
    memory.take(action(1, 3, ActionKind.RAISE, 60, Street.PREFLOP))
    memory.take(action(2, 0, ActionKind.BET, 60, Street.FLOP))
    known = memory.knowledge(turn())
    assert known is not None and known.raises == 0


def test_a_new_hand_starts_with_no_actions() -> None:
    memory = Memory()
    memory.take(snapshot(state(SEATS), actions=[action(1, 2, ActionKind.CALL, 20)]))
    memory.take(
        HandStarted(
            seq=2,
            table_id=TABLE,
            hand_number=2,
            button=0,
            button_dead=False,
            small_blind_seat=2,
            big_blind_seat=3,
            dealt=[2, 3, 0],
            stacks={},
        )
    )
    assert memory.actions == []


def test_without_a_seat_nothing_is_known() -> None:
    memory = Memory()
    assert memory.knowledge(turn()) is None
    memory.take(snapshot(state(SEATS)))
    assert memory.own_seat() is None and memory.knowledge(turn()) is None
