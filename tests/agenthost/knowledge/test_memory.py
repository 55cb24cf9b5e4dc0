"""What an agent knows is put together from frames, and copied when it is asked to act."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from gameserver.wire.messages import ActionKind, HandCancelled, PastHand, PlayerAction
from railbird.agenthost.knowledge.memory import Memory
from railbird.agenthost.knowledge.past import PlayedHand
from railbird.agenthost.knowledge.sources import MOST_HANDS, MOST_NOTES
from tests.agenthost.story import (
    SEATS,
    action,
    asked,
    blinds,
    chat,
    entered,
    finished,
    note,
    on_the_flop,
    remembering,
    started,
    this_hand,
    whole_hand,
)
from tests.client.frames import TABLE, state


def known(memory: Memory, name: str, action_index: int = 6) -> object:
    record = memory.freeze(asked(action_index=action_index)).as_record()
    return record[name]


def numbers(memory: Memory) -> list[int]:
    hands = known(memory, "previousHands")
    assert isinstance(hands, tuple)
    return [hand.hand_number for hand in hands]


def test_a_state_replaces_the_last_one_and_is_kept_by_reference() -> None:
    """The last frame wins, and it is that very frame: nothing changes a frame."""
    memory = remembering()
    last = on_the_flop()
    memory.take(last)
    assert known(memory, "state") is last and memory.state is last


def test_an_action_is_appended_to_this_hands_actions() -> None:
    memory = remembering()
    assert known(memory, "actions") == tuple(this_hand())


def test_what_is_known_at_a_turn_does_not_grow_afterwards() -> None:
    """The agent's own action comes back as a frame: it was not known before it."""
    memory = remembering()
    before = memory.freeze(asked())
    encoded = msgspec.json.encode(before.as_record())
    for frame in (action(6, 3, "call", 20), finished(2), note("later"), chat("later"), *whole_hand(3)):
        memory.take(frame)
    assert msgspec.json.encode(before.as_record()) == encoded


def test_a_new_hand_begins_without_actions() -> None:
    memory = remembering(finished(2), started(3))
    assert known(memory, "actions") == ()


def test_a_cancelled_hand_leaves_neither_actions_nor_history() -> None:
    cancelled = HandCancelled(seq=9, table_id=TABLE, hand_number=2, refunds={}, why="operator")
    memory = remembering(cancelled)
    assert known(memory, "actions") == () and numbers(memory) == [1]


def test_a_result_becomes_a_remembered_hand_with_its_actions_and_the_own_cards() -> None:
    hands = known(remembering(), "previousHands")
    assert isinstance(hands, tuple)
    (hand,) = hands
    assert isinstance(hand, PlayedHand)
    assert (hand.your_seat, hand.your_cards) == (3, ("Qh", "Jd"))
    assert [(move.seat, move.action, move.amount) for move in hand.moves][2:] == [
        (3, "call", 20),
        (0, "raise", 60),
        (3, "fold", 20),
    ]
    assert [(share.seat, share.amount) for share in hand.won] == [(0, 60)]


def test_twenty_hands_are_remembered() -> None:
    """The oldest ones go."""
    memory = remembering()
    for number in range(2, 31):
        for frame in whole_hand(number):
            memory.take(frame)
    assert MOST_HANDS == 20 and numbers(memory) == list(range(11, 31))


def past(number: int, cards: bool = True) -> PastHand:
    return PastHand(
        hand_number=number,
        actions=blinds(number),
        result=finished(number),
        your_seat=3 if cards else UNSET,
        your_hole_cards=["2c", "3c"] if cards else UNSET,
    )


def test_a_snapshot_fills_the_actions_and_the_history_again() -> None:
    """After a reconnect with an empty memory all is there: no amnesia."""
    memory = Memory()
    memory.take(entered(this_hand(), [past(1), past(2)], hand=3))
    assert known(memory, "actions") == tuple(this_hand())
    assert numbers(memory) == [1, 2]
    assert memory.freeze(asked()).history_gap is False


def test_a_snapshot_keeps_what_the_table_does_not_tell_any_more() -> None:
    """What it tells counts; a hand that we saw and it does not tell stays, in its place."""
    memory = remembering(entered(recent=[past(2), past(3)], hand=4))
    assert numbers(memory) == [1, 2, 3]
    hands = known(memory, "previousHands")
    assert isinstance(hands, tuple)
    assert hands[2].your_cards == ("2c", "3c")


def test_a_hand_that_goes_on_after_a_snapshot_is_remembered_whole() -> None:
    memory = Memory()
    memory.take(entered(this_hand(), hand=2))
    memory.take(on_the_flop())
    memory.take(action(6, 3, "fold", 0))
    memory.take(finished(2))
    hands = known(memory, "previousHands")
    assert isinstance(hands, tuple)
    assert len(hands[0].moves) == 7 and hands[0].your_cards == ("As", "Kd")


def test_a_hand_that_one_was_not_dealt_into_has_no_own_cards() -> None:
    memory = remembering(started(2), *blinds(), state(SEATS, hand=3, your_seat=3), finished(3))
    hands = known(memory, "previousHands")
    assert isinstance(hands, tuple)
    assert (hands[-1].your_cards, hands[-1].your_seat) == ((), None)


def test_missing_actions_are_a_history_gap() -> None:
    """In the middle, at the beginning, or at the end: an empty or short log is not presented as all that happened."""
    assert remembering().freeze(asked(action_index=6)).history_gap is False
    assert remembering().freeze(asked(action_index=7)).history_gap is True
    for kept in (this_hand()[1:], this_hand()[:3] + this_hand()[4:], []):
        memory = Memory()
        memory.take(entered(kept, hand=2))
        knowledge = memory.freeze(asked(action_index=6))
        assert knowledge.history_gap is True and knowledge.as_record()["historyGap"] is True


def test_the_last_notes_are_kept_and_no_snapshot_takes_them() -> None:
    memory = remembering(*(note(f"note {n}") for n in range(20)), entered())
    assert known(memory, "notes") == tuple(f"note {n}" for n in range(20 - MOST_NOTES, 20))


def test_the_record_of_what_is_known_is_plain_json() -> None:
    """With every part by its name."""
    record = msgspec.json.decode(msgspec.json.encode(remembering().freeze(asked()).as_record()))
    assert list(record) == [
        *("table", "previousHands", "notes", "tableTalk", "state", "actions"),
        *("yourTurn", "historyGap"),
    ]
    assert record["yourTurn"]["actionIndex"] == 6 and record["state"]["yourHoleCards"] == ["As", "Kd"]


def test_the_own_seat_is_known_from_the_state() -> None:
    memory = remembering()
    assert memory.own_seat is not None and memory.own_seat.seat == 3 and memory.rules is not None
    empty = Memory()
    assert empty.own_seat is None and empty.state is None and empty.rules is None


def test_an_action_frame_is_remembered_as_it_came() -> None:
    """By reference, since it does not change."""
    frame: PlayerAction = action(6, 0, ActionKind.CALL, 20)
    memory = remembering(frame)
    actions = known(memory, "actions", 7)
    assert isinstance(actions, tuple) and actions[-1] is frame
