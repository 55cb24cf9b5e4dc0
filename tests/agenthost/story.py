"""Frames of one table, told to an agent in seat 3 in their order, for tests of what it makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from gameserver.wire.messages import (
    ActionKind,
    Chat,
    GameState,
    HandResult,
    HandStarted,
    Note,
    PastHand,
    PlayerAction,
    Snapshot,
    Street,
    YourTurn,
)
from railbird.agenthost.knowledge.memory import Memory
from tests.client.frames import TABLE, result, seat, snapshot, state, turn

ADA = seat(0, "Ada", 940, bet=20)
BEN = seat(1, "Ben the Bold", 1_000, status="folded")
US = seat(3, "Rock", 980)
SEATS = (ADA, BEN, US)
CARDS = ["As", "Kd"]


def action(
    index: int,
    number: int,
    move: str,
    amount: int = 0,
    *,
    hand: int = 2,
    street: Street = Street.PREFLOP,
    forced: bool = False,
    all_in: bool = False,
) -> PlayerAction:
    return PlayerAction(
        seq=index + 2,
        table_id=TABLE,
        hand_number=hand,
        seat=number,
        action=move,
        amount=amount,
        action_index=index,
        street=street,
        forced=forced,
        all_in=all_in,
    )


def started(hand: int = 2) -> HandStarted:
    return HandStarted(
        seq=1,
        table_id=TABLE,
        hand_number=hand,
        button=3,
        button_dead=False,
        small_blind_seat=0,
        big_blind_seat=1,
        dealt=[0, 1, 3],
        stacks={"0": 960, "1": 1_020, "3": 980},
    )


def blinds(hand: int = 2) -> list[PlayerAction]:
    return [
        action(0, 0, "small_blind", 10, hand=hand, forced=True),
        action(1, 1, "big_blind", 20, hand=hand, forced=True),
    ]


def finished(hand: int, winner: int = 0) -> HandResult:
    return result(
        seq=9,
        hand=hand,
        board=["2c", "7d", "Jh", "Qs", "3s"],
        pots=[(60, [(winner, 60)])],
        shown=[(winner, ["Jc", "Js"])],
        stacks={"0": 1_000, "1": 1_000, "3": 980},
    )


def whole_hand(number: int) -> list[HandStarted | PlayerAction | GameState | HandResult]:
    """A hand that Ada wins from us before the flop."""
    dealt = state(SEATS, hand=number, button=3, your_seat=3, your_cards=["Qh", "Jd"])
    after = state(SEATS, hand=number, street=None, button=3, your_seat=3)
    moves = [
        action(2, 3, "call", 20, hand=number),
        action(3, 0, "raise", 60, hand=number),
        action(4, 3, "fold", 20, hand=number),
    ]
    return [started(number), *blinds(number), dealt, *moves, finished(number), after]


def note(text: str, hand: int = 2) -> Note:
    return Note(seq=4, table_id=TABLE, hand_number=hand, text=text)


def chat(text: str, sender: str = "Ben the Bold", by: int | None = 1) -> Chat:
    return Chat(seq=5, table_id=TABLE, sender=sender, text=text, **({} if by is None else {"seat": by}))


def on_the_flop(hand: int = 2) -> GameState:
    return state(
        SEATS,
        hand=hand,
        street=Street.FLOP,
        board=["7c", "8d", "Ts"],
        pots=[120],
        button=3,
        to_act=3,
        your_seat=3,
        your_cards=CARDS,
    )


def asked(hand: int = 2, action_index: int = 6, **changes: object) -> YourTurn:
    usual: dict[str, object] = {
        "hand": hand,
        "action_index": action_index,
        "to_call": 20,
        "chip_range": (40, 980),
        "legal": [ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.ALL_IN],
    }
    return turn(**(usual | changes))  # type: ignore[arg-type]  # names of `turn`


def this_hand(hand: int = 2) -> list[PlayerAction]:
    """Six actions up to our turn on the flop."""
    return [
        *blinds(hand),
        action(2, 3, "raise", 60, hand=hand),
        action(3, 0, "call", 60, hand=hand),
        action(4, 1, "fold", 20, hand=hand),
        action(5, 0, "bet", 20, hand=hand, street=Street.FLOP),
    ]


def entered(actions: Sequence[PlayerAction] = (), recent: Sequence[PastHand] = (), hand: int = 1) -> Snapshot:
    return snapshot(state(SEATS, hand=hand, button=3, your_seat=3), actions=actions, recent=recent)


def remembering(*more: object) -> Memory:
    """A memory of hand 1, of a note, of a chat line, and of hand 2 up to our turn on the flop."""
    memory = Memory()
    frames = [
        entered(),
        *whole_hand(1),
        note("Ben bluffs rivers."),
        started(),
        *this_hand(),
        chat("nice hand"),
        on_the_flop(),
        *more,
    ]
    for frame in frames:
        memory.take(frame)  # type: ignore[arg-type]  # a list of frames of several types
    return memory
