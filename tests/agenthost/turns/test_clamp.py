"""What is sent is legal whatever was chosen, and where it is not what was chosen a reason is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.record import Move
from gameserver.wire.messages import YourTurn
from railbird.agenthost.turns.clamp import clamp, safe_move
from railbird.agenthost.turns.parse import Answer
from railbird.client import ActionKind
from tests.client.frames import turn

FOLD, CHECK, CALL, BET, RAISE, ALL_IN = ActionKind
FACING = turn(legal=[FOLD, CALL, RAISE, ALL_IN], to_call=20, chip_range=(40, 980))
FREE = turn(legal=[FOLD, CHECK, BET, ALL_IN], to_call=0, chip_range=(20, 980))
SHORT = turn(legal=[FOLD, ALL_IN], to_call=500, chip_range=None)
CALL_ONLY = turn(legal=[FOLD, CALL], to_call=500, chip_range=None)
CHECK_ONLY = turn(legal=[FOLD, CHECK], to_call=0, chip_range=None)
NO_ALL_IN = turn(legal=[FOLD, CALL, RAISE], to_call=20, chip_range=(40, 300))


def is_legal(move: Move, asked: YourTurn) -> bool:
    """As the table sees it."""
    if move.action not in asked.legal_actions:
        return False
    if move.action not in ("bet", "raise"):
        return move.amount is None
    span = asked.chip_range
    return span is not None and move.amount is not None and span.min <= move.amount <= span.max


@pytest.mark.parametrize(
    ("asked", "answer", "sent"),
    [
        (FACING, Answer(FOLD, None, ""), Move("fold")),
        (FACING, Answer(CALL, None, ""), Move("call")),
        (FACING, Answer(CALL, 20, ""), Move("call")),
        (FACING, Answer(RAISE, 40, ""), Move("raise", 40)),
        (FACING, Answer(RAISE, 980, ""), Move("raise", 980)),
        (FACING, Answer(ALL_IN, 980, ""), Move("all_in")),
        (FREE, Answer(CHECK, 0, ""), Move("check")),
        (FREE, Answer(BET, 60, ""), Move("bet", 60)),
        (FREE, Answer(FOLD, None, ""), Move("fold")),
        (SHORT, Answer(ALL_IN, None, ""), Move("all_in")),
    ],
)
def test_a_legal_choice_is_sent_as_it_is(asked: YourTurn, answer: Answer, sent: Move) -> None:
    """An amount beside an action that takes none is no part of it."""
    clamped = clamp(answer, asked)
    assert (clamped.chosen, clamped.sent, clamped.why) == (sent, sent, None)


@pytest.mark.parametrize(
    ("asked", "answer", "sent", "why"),
    [
        (FACING, Answer(RAISE, 39, ""), Move("raise", 40), "39 is less than the least, 40"),
        (FACING, Answer(RAISE, 5_000, ""), Move("raise", 980), "5000 is more than the most, 980"),
        (FACING, Answer(RAISE, None, ""), Move("raise", 40), "no amount was named"),
        (FACING, Answer(BET, 100, ""), Move("raise", 100), "a bet is not possible here, a raise is"),
        (FACING, Answer(BET, 1, ""), Move("raise", 40), "a bet is not possible here, a raise is; 1 is less than the least, 40"),
        (FACING, Answer(CHECK, None, ""), Move("fold"), "to check is not possible, a call costs 20"),
        (FREE, Answer(RAISE, 60, ""), Move("bet", 60), "a raise is not possible here, a bet is"),
        (FREE, Answer(CALL, None, ""), Move("check"), "there is nothing to call"),
        (SHORT, Answer(CALL, None, ""), Move("all_in"), "to call is not possible here"),
        (SHORT, Answer(RAISE, 900, ""), Move("all_in"), "a raise is not possible here"),
        (CALL_ONLY, Answer(RAISE, 900, ""), Move("call"), "a raise is not possible here"),
        (CALL_ONLY, Answer(ALL_IN, None, ""), Move("call"), "to go all-in is not possible here"),
        (CHECK_ONLY, Answer(BET, 60, ""), Move("check"), "a bet is not possible here"),
        (CHECK_ONLY, Answer(ALL_IN, None, ""), Move("check"), "to go all-in is not possible here"),
        (NO_ALL_IN, Answer(ALL_IN, None, ""), Move("raise", 300), "to go all-in is not possible here"),
    ],
)  # fmt: skip
def test_a_choice_that_is_not_legal_becomes_the_nearest_one(
    asked: YourTurn, answer: Answer, sent: Move, why: str
) -> None:
    clamped = clamp(answer, asked)
    assert (clamped.sent, clamped.why) == (sent, why)
    assert clamped.chosen == Move(answer.action, answer.amount if answer.action in (BET, RAISE) else None)


@st.composite
def turns(draw: st.DrawFn) -> YourTurn:
    """Every combination of legal actions that folds, also those that no table makes."""
    legal = [FOLD, *draw(st.lists(st.sampled_from([CHECK, CALL, BET, RAISE, ALL_IN]), unique=True))]
    least = draw(st.integers(1, 1_000))
    sized = BET in legal or RAISE in legal
    return turn(
        legal=legal,
        to_call=draw(st.integers(0, 100)),
        chip_range=(least, least + draw(st.integers(0, 500))) if sized else None,
    )


@given(turns(), st.sampled_from(list(ActionKind)), st.none() | st.integers(-(2**63), 2**63))
def test_what_is_sent_is_legal_whatever_was_chosen(asked: YourTurn, action: ActionKind, amount: int | None) -> None:
    """And where it differs there is a reason, and where it does not there is none."""
    clamped = clamp(Answer(action, amount, ""), asked)
    assert is_legal(clamped.sent, asked)
    assert (clamped.why is None) == (clamped.sent == clamped.chosen)


@given(turns())
def test_the_safe_move_is_check_or_else_fold(asked: YourTurn) -> None:
    assert is_legal(safe_move(asked), asked)
    assert safe_move(asked).action == ("check" if CHECK in asked.legal_actions else "fold")
