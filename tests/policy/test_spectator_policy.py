"""What a table may show to those who watch: agent tables only, off by default, and it narrows only."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import spectator_policy
from policy.errors import PolicyRefusal
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind

THOUGHTS = RevealOptions(show_hands=False, show_thoughts=True)
HANDS = RevealOptions(show_hands=True, show_thoughts=False)
BOTH = RevealOptions(show_hands=True, show_thoughts=True)
OPTIONS = {"closed": CLOSED, "thoughts": THOUGHTS, "hands": HANDS, "both": BOTH}

AT_CREATION = """
kind    asked     permitted
agent   closed    closed
agent   thoughts  thoughts
agent   hands     hands
agent   both      both
human   closed    closed
human   thoughts  refused
human   hands     refused
human   both      refused
mixed   closed    closed
mixed   thoughts  refused
mixed   hands     refused
mixed   both      refused
"""

AT_CONSTRUCTION = """
kind    stored    permitted
agent   closed    closed
agent   thoughts  thoughts
agent   hands     hands
agent   both      both
human   closed    closed
human   thoughts  closed
human   hands     closed
human   both      closed
mixed   closed    closed
mixed   thoughts  closed
mixed   hands     closed
mixed   both      closed
"""

AFTER_CREATION = """
now       asked     permitted
closed    closed    closed
closed    thoughts  refused
closed    hands     refused
closed    both      refused
thoughts  closed    closed
thoughts  thoughts  thoughts
thoughts  hands     refused
thoughts  both      refused
hands     closed    closed
hands     thoughts  refused
hands     hands     hands
hands     both      refused
both      closed    closed
both      thoughts  thoughts
both      hands     hands
both      both      both
"""


def rows(table: str) -> list[tuple[str, str, str]]:
    return [cast("tuple[str, str, str]", tuple(line.split())) for line in table.strip().splitlines()[1:]]


def test_closed_is_both_off() -> None:
    """The default of a table reveals nothing."""
    assert RevealOptions(show_hands=False, show_thoughts=False) == CLOSED


@pytest.mark.parametrize(("kind", "asked", "permitted"), rows(AT_CREATION))
def test_a_reveal_is_refused_at_creation(kind: str, asked: str, permitted: str) -> None:
    """A new table gets what it asked for, or is refused: it does not get something else in silence."""
    if permitted == "refused":
        with pytest.raises(PolicyRefusal) as refused:
            spectator_policy.refuse_reveal_at_creation(table_kind=TableKind(kind), asked=OPTIONS[asked])
        assert refused.value.code == "spectator_reveal_needs_agent_table"
        assert refused.value.why == "showHands and showThoughts are for tables where only agents play"
    else:
        options = spectator_policy.refuse_reveal_at_creation(table_kind=TableKind(kind), asked=OPTIONS[asked])
        assert options == OPTIONS[permitted]


@pytest.mark.parametrize(("kind", "stored", "permitted"), rows(AT_CONSTRUCTION))
def test_a_reveal_is_folded_off_when_the_room_is_built(kind: str, stored: str, permitted: str) -> None:
    """A row that says otherwise opens nothing at a table that people can sit at."""
    options = spectator_policy.fold_reveal_options(table_kind=TableKind(kind), stored=OPTIONS[stored])
    assert options == OPTIONS[permitted]


@pytest.mark.parametrize("odd", [1, 0, None, "true", "no", "", [True]])
def test_a_row_that_holds_no_plain_true_opens_nothing(odd: Any) -> None:
    """What a store or a hand-edited row has in place of a bool is off."""
    stored = RevealOptions(show_hands=odd, show_thoughts=odd)
    assert spectator_policy.fold_reveal_options(table_kind=TableKind.AGENT, stored=stored) == CLOSED


@pytest.mark.parametrize(("now", "asked", "permitted"), rows(AFTER_CREATION))
def test_a_reveal_narrows_and_does_not_widen(now: str, asked: str, permitted: str) -> None:
    """Off is granted; on is refused, and with it the whole change."""
    if permitted == "refused":
        with pytest.raises(PolicyRefusal) as refused:
            spectator_policy.narrow_reveal_options(now=OPTIONS[now], asked=OPTIONS[asked])
        assert refused.value.code == "spectator_reveal_only_narrows"
        assert refused.value.why.startswith("a reveal can be switched off, and not on again")
    else:
        assert spectator_policy.narrow_reveal_options(now=OPTIONS[now], asked=OPTIONS[asked]) == OPTIONS[permitted]


@given(st.lists(st.builds(RevealOptions, show_hands=st.booleans(), show_thoughts=st.booleans())))
def test_no_series_of_changes_opens_what_was_off(changes: list[RevealOptions]) -> None:
    """Once an option has been off it stays off, whatever is asked for later and in whatever order."""
    options, was_off = BOTH, RevealOptions(show_hands=False, show_thoughts=False)
    hands_off = thoughts_off = False
    for asked in changes:
        try:
            options = spectator_policy.narrow_reveal_options(now=options, asked=asked)
        except PolicyRefusal:
            assert asked != was_off  # closing is not refused
        hands_off, thoughts_off = hands_off or not options.show_hands, thoughts_off or not options.show_thoughts
        assert not (hands_off and options.show_hands)
        assert not (thoughts_off and options.show_thoughts)


@pytest.mark.parametrize("kind", ["agent", "AGENT", "", None, True])
def test_an_unknown_kind_gets_no_options(kind: Any) -> None:
    """A kind that was not decoded, even one that reads right, is an error and not an agent table."""
    with pytest.raises(AssertionError, match=f"{kind!r}"):
        spectator_policy.refuse_reveal_at_creation(table_kind=kind, asked=BOTH)
    with pytest.raises(AssertionError, match=f"{kind!r}"):
        spectator_policy.fold_reveal_options(table_kind=kind, stored=BOTH)
