"""What house players say that they think."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railbird.agenthost.house import STYLES, Choice, Knowledge
from railbird.agenthost.house.decide import weigh
from railbird.agenthost.house.holding import holding
from railbird.agenthost.house.knowledge import PostflopGrounds, PreflopGrounds, Weighed
from railbird.agenthost.house.reasoning import reasoning
from railbird.agenthost.house.strength import RANKS, SUITS
from railbird.client import ActionKind, Street
from tests.house.test_decide import PREFLOP, knowledges

A_CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")
FLOP = replace(PREFLOP, street=Street.FLOP, board=("Kd", "7c", "2h"), hole_cards=("Kc", "Qc"), opponents=2)


@given(knowledge=knowledges(), style=st.sampled_from(sorted(STYLES)), seed=st.integers(0, 2**32))
def test_a_thought_names_no_card(knowledge: Knowledge, style: str, seed: int) -> None:
    """It is short, says by which rules it was made, and ends with the move; no card of anybody's is in it."""
    weighed = weigh(knowledge, STYLES[style], random.Random(seed))
    text = reasoning(weighed, knowledge, STYLES[style])
    assert text.startswith(f"House rules, {style}: ")
    assert len(text) < 300
    assert not A_CARD.search(text)
    amount = "" if weighed.choice.amount_chips is None else f" {weighed.choice.amount_chips:,}"
    assert text.endswith(f"{amount}.")


@given(knowledge=knowledges(), style=st.sampled_from(sorted(STYLES)), seed=st.integers(0, 2**32))
def test_the_numbers_are_the_ones_it_was_decided_by(knowledge: Knowledge, style: str, seed: int) -> None:
    """Nothing is made up afterwards: each share in the text is one of the decision's grounds."""
    weighed = weigh(knowledge, STYLES[style], random.Random(seed))
    told = {int(number) for number in re.findall(r"(\d+)%", reasoning(weighed, knowledge, STYLES[style]))}
    match weighed.grounds:
        case PreflopGrounds(better, plays):
            assert told == {max(1, round(better * 100)), round(plays * 100)}
        case PostflopGrounds(strength, believed, odds):
            assert told <= {round(strength * 100), round(believed * 100), round(odds * 100)}
            assert round(strength * 100) in told
        case None:
            assert told == set()


@pytest.mark.parametrize(
    ("grounds", "choice", "words"),
    [
        (
            PostflopGrounds(0.61, 0.48, 0.25),
            Choice(ActionKind.CALL),
            "top pair. I win about 61% against 2 hands; after that bet I believe 48%, and a call of 20 needs 25%. I call.",
        ),
        (PostflopGrounds(0.30, 0.20, 0.25), Choice(ActionKind.RAISE, 120), "A bluff, then. I raise to 120."),
        (PostflopGrounds(0.30, 0.20, 0.25), Choice(ActionKind.CALL), "Too little, but I want to see it. I call."),
        (PostflopGrounds(0.40, 0.30, 0.25), Choice(ActionKind.FOLD), "Close, and I want more. I fold."),
    ],
)
def test_where_the_move_is_not_what_the_numbers_say_it_says_why(
    grounds: PostflopGrounds, choice: Choice, words: str
) -> None:
    assert reasoning(Weighed(choice, grounds), FLOP, STYLES["shark"]).endswith(words)


@pytest.mark.parametrize(
    ("hole", "board", "words"),
    [
        ("As Ah", "", "a big pair"),
        ("8s 8h", "", "a middle pair"),
        ("2s 2h", "", "a small pair"),
        ("Ks Ts", "", "two big cards of one suit"),
        ("9s 8h", "", "two neighbours"),
        ("As 4s", "", "an ace and a small card of one suit"),
        ("9s 2h", "", "two cards that do not fit"),
        ("9s 2s", "", "two cards of one suit"),
        ("As Ah", "Kd 7c 2h", "a pair over the board"),
        ("Ks Qh", "Kd 7c 2h", "top pair"),
        ("7s Qh", "Kd 7d 2h", "middle pair"),
        ("2s Qh", "Kd 7c 2h", "bottom pair"),
        ("4s 4h", "Kd 7c 2h", "a pair in the hand"),
        ("As Qh", "Kd Kc 2h", "the board's pair"),
        ("Ks 7h", "Kd 7c 2h", "two pair"),
        ("7s 7h", "Kd 7c 2h", "three of a kind"),
        ("6s 5h", "4d 3c 2h", "a straight"),
        ("As 9s", "Ks 7s 2s", "a flush"),
        ("Ks Kh", "Kd 7c 7h", "a full house"),
        ("Ks Kh", "Kd Kc 7h", "four of a kind"),
        ("As Ks", "Qs Js Ts", "a straight flush"),
        ("As 9s", "Ks 7s 2h", "no pair and a flush draw"),
        ("9s 8h", "7d 6c 2h", "no pair and a straight draw"),
        ("As 2h", "3d 4c 9h", "no pair and a straight draw"),
        ("As 9s", "Ks 7s 2h 3d 4c", "no pair"),
    ],
)
def test_a_hand_is_called_by_its_kind(hole: str, board: str, words: str) -> None:
    assert holding(hole.split(), board.split()) == words
