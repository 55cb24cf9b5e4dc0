"""What an owner or a watcher can move towards an agent: nothing at a revealing table, nothing in a hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import whisper_policy
from policy.errors import PolicyRefusal
from policy.spectator_policy import RevealOptions
from policy.whisper_policy import Arrival, Way

CLOSED = RevealOptions(show_hands=False, show_thoughts=False)
HANDS = RevealOptions(show_hands=True, show_thoughts=False)
THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)
BOTH = RevealOptions(show_hands=True, show_thoughts=True)

SITS_AT = {
    "nowhere": [],
    "closed": [CLOSED],
    "two": [CLOSED, CLOSED],
    "hands": [HANDS],
    "thoughts": [THOUGHTS],
    "both": [BOTH],
    "mixed": [CLOSED, THOUGHTS],
}

TRUTH = """
way           nowhere    closed     two        hands      thoughts   both       mixed
note          next_hand  next_hand  next_hand  refused    refused    refused    refused
strategy      next_hand  next_hand  next_hand  refused    refused    refused    refused
skills        next_hand  next_hand  next_hand  refused    refused    refused    refused
version       next_hand  next_hand  next_hand  refused    refused    refused    refused
seat          next_hand  next_hand  next_hand  refused    refused    refused    refused
agent_name    next_hand  next_hand  next_hand  refused    refused    refused    refused
table_name    next_hand  next_hand  next_hand  refused    refused    refused    refused
watcher_chat  next_hand  next_hand  next_hand  refused    refused    refused    refused
player_chat   now        now        now        refused    refused    refused    refused
arrival       now        now        now        next_hand  next_hand  next_hand  next_hand
watchers      refused    refused    refused    refused    refused    refused    refused
pause         next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
close         next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
stop          next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
stand         next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
rebuy         next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
budget        next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
transfer      next_hand  next_hand  next_hand  next_hand  next_hand  next_hand  next_hand
reveal_off    now        now        now        now        now        now        now
"""
CASES = [
    (way, sits_at, answer)
    for way, *answers in (line.split() for line in TRUTH.strip().splitlines()[1:])
    for sits_at, answer in zip(SITS_AT, answers, strict=True)
]


def test_the_truth_table_is_whole() -> None:
    """Every way has a row, for every place where an agent can be."""
    assert len(CASES) == len(set(CASES)) == len(Way) * len(SITS_AT)


@pytest.mark.parametrize(("way", "sits_at", "answer"), CASES)
def test_the_truth_table(way: str, sits_at: str, answer: str) -> None:
    """A way leads to the agent at the time of its entry, or is refused."""
    if answer == "refused":
        with pytest.raises(PolicyRefusal) as refused:
            whisper_policy.admit_whisper(way=Way(way), sits_at=SITS_AT[sits_at])
        assert refused.value.code == "whisper_refused"
    else:
        assert whisper_policy.admit_whisper(way=Way(way), sits_at=SITS_AT[sits_at]) is Arrival(answer)


@pytest.mark.parametrize(
    ("way", "why"),
    [
        (Way.NOTE, "it sits at a table that shows live cards or thoughts: nothing is told to it until it stands up"),
        (
            Way.PLAYER_CHAT,
            "it sits at a table that shows live cards or thoughts: nothing is told to it until it stands up",
        ),
        (Way.WATCHERS, "a player is not told who watches"),
    ],
)
def test_a_refusal_says_why(way: Way, why: str) -> None:
    """Who asked learns the rule, so that nothing is lost in silence."""
    with pytest.raises(PolicyRefusal) as refused:
        whisper_policy.admit_whisper(way=way, sits_at=[HANDS])
    assert refused.value.why == why


@pytest.mark.parametrize("odd", [1, "no", None, []])
def test_an_option_that_is_not_plainly_off_reveals(odd: Any) -> None:
    """In doubt a table counts as revealing, and the note is refused."""
    with pytest.raises(PolicyRefusal):
        whisper_policy.admit_whisper(way=Way.NOTE, sits_at=[RevealOptions(show_hands=False, show_thoughts=odd)])


@pytest.mark.parametrize("way", [None, "note", "pause", 1])
def test_an_unknown_way_leads_nowhere(way: Any) -> None:
    """A way outside the closed list is an error, even where nothing is revealed."""
    with pytest.raises(AssertionError, match=f"unreachable.*{way!r}"):
        whisper_policy.admit_whisper(way=way, sits_at=[])


@given(st.sampled_from(Way), st.lists(st.sampled_from([CLOSED, HANDS, THOUGHTS, BOTH])), st.integers(0, 9))
def test_one_revealing_table_is_enough_whichever_it_is(way: Way, tables: list[RevealOptions], at: int) -> None:
    """The order and the number of an agent's tables change nothing; another closed table opens nothing."""

    def answer(sits_at: list[RevealOptions]) -> Arrival | str:
        try:
            return whisper_policy.admit_whisper(way=way, sits_at=sits_at)
        except PolicyRefusal as refused:
            return refused.code

    assert answer(tables) == answer(tables[::-1]) == answer([*tables[:at], CLOSED, *tables[at:]])
