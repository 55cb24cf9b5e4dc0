"""Who may sit at which table: kind first, then who attests the agent, then its model."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import seating_policy
from policy.errors import PolicyRefusal
from policy.seating_policy import HostedAgent, OutsideAgent, Person, Sitter
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

OPTIONS = {
    "closed": RevealOptions(show_hands=False, show_thoughts=False),
    "thoughts": RevealOptions(show_hands=False, show_thoughts=True),
    "hands": RevealOptions(show_hands=True, show_thoughts=False),
    "both": RevealOptions(show_hands=True, show_thoughts=True),
}
SITTERS: dict[str, Sitter] = {
    "person": Person(),
    "outside": OutsideAgent(),
    "hosted": HostedAgent("house"),
    "other_model": HostedAgent("elsewhere"),
    "no_model": HostedAgent(""),
}
PLATFORM_MODELS = frozenset({"house", "big"})

# Human and mixed tables that reveal should not be there; the gate does not lean on that.
TRUTH = """
kind   options   person      outside      hosted  other_model  no_model
agent  closed    table_kind  sits         sits    sits         sits
agent  thoughts  table_kind  needs_host   sits    needs_model  needs_model
agent  hands     table_kind  needs_host   sits    needs_model  needs_model
agent  both      table_kind  needs_host   sits    needs_model  needs_model
human  closed    sits        table_kind   table_kind  table_kind  table_kind
human  thoughts  table_kind  table_kind   table_kind  table_kind  table_kind
human  hands     table_kind  table_kind   table_kind  table_kind  table_kind
human  both      table_kind  table_kind   table_kind  table_kind  table_kind
mixed  closed    sits        sits         sits    sits         sits
mixed  thoughts  table_kind  needs_host   sits    needs_model  needs_model
mixed  hands     table_kind  needs_host   sits    needs_model  needs_model
mixed  both      table_kind  needs_host   sits    needs_model  needs_model
"""
CODES = {
    "table_kind": "table_kind",
    "needs_host": "seat_needs_hosted_agent",
    "needs_model": "seat_needs_platform_model",
}
CASES = [
    (kind, option, sitter, answer)
    for kind, option, *answers in (line.split() for line in TRUTH.strip().splitlines()[1:])
    for sitter, answer in zip(SITTERS, answers, strict=True)
]


def test_the_truth_table_is_whole() -> None:
    """Every kind of table with every option has a row."""
    assert len(CASES) == len(set(CASES)) == len(TableKind) * len(OPTIONS) * len(SITTERS)


@pytest.mark.parametrize(("kind", "option", "sitter", "answer"), CASES)
def test_the_truth_table(kind: str, option: str, sitter: str, answer: str) -> None:
    """A sitter gets the seat, or the refusal of its row."""
    asked: dict[str, Any] = {
        "table_kind": TableKind(kind),
        "options": OPTIONS[option],
        "sitter": SITTERS[sitter],
        "platform_models": PLATFORM_MODELS,
    }
    if answer == "sits":
        assert seating_policy.check_seating(**asked) is SITTERS[sitter]
    else:
        with pytest.raises(PolicyRefusal) as refused:
            seating_policy.check_seating(**asked)
        assert refused.value.code == CODES[answer]


def why(kind: TableKind, option: str, sitter: str) -> str:
    with pytest.raises(PolicyRefusal) as refused:
        seating_policy.check_seating(
            table_kind=kind, options=OPTIONS[option], sitter=SITTERS[sitter], platform_models=PLATFORM_MODELS
        )
    return refused.value.why


def test_a_refusal_says_why_in_our_own_words() -> None:
    """The reason names the rule, and nothing that the sitter brought."""
    revealing = "this table shows more than is public at a poker table: its agents "
    assert why(TableKind.HUMAN, "closed", "hosted") == "this table's kind is human"
    assert why(TableKind.AGENT, "hands", "outside") == revealing + "run at the hosting service"
    assert why(TableKind.AGENT, "hands", "other_model") == revealing + "use the platform's models"
    assert (
        why(TableKind.MIXED, "hands", "person") == "nobody who can watch beside their seat sits at a table that reveals"
    )


def test_without_platform_models_nobody_sits_at_a_revealing_table() -> None:
    """An empty list is nobody, and not everybody."""
    for sitter in SITTERS.values():
        with pytest.raises(PolicyRefusal):
            seating_policy.check_seating(
                table_kind=TableKind.AGENT, options=OPTIONS["thoughts"], sitter=sitter, platform_models=frozenset()
            )


@pytest.mark.parametrize("odd", [1, "no", None, []])
def test_an_option_that_is_not_plainly_off_reveals(odd: Any) -> None:
    """In doubt a table counts as revealing, and an agent of an outside process does not sit there."""
    options = RevealOptions(show_hands=odd, show_thoughts=False)
    with pytest.raises(PolicyRefusal, match="seat_needs_hosted_agent"):
        seating_policy.check_seating(
            table_kind=TableKind.AGENT, options=options, sitter=OutsideAgent(), platform_models=PLATFORM_MODELS
        )


@pytest.mark.parametrize("kind", [None, "agent", "mixed", 1])
@pytest.mark.parametrize("sitter", ["person", "outside", "hosted"])
def test_an_unknown_kind_of_table_seats_nobody(kind: Any, sitter: str) -> None:
    """A kind that was not decoded is an error."""
    with pytest.raises(AssertionError, match=f"unreachable.*{kind!r}"):
        seating_policy.check_seating(
            table_kind=kind, options=OPTIONS["closed"], sitter=SITTERS[sitter], platform_models=PLATFORM_MODELS
        )


@pytest.mark.parametrize("stranger", [None, "person", Person, object()])
@pytest.mark.parametrize("option", OPTIONS)
def test_an_unknown_sitter_gets_no_seat(stranger: Any, option: str) -> None:
    """Whoever is not of the closed list does not sit, at a closed table neither."""
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        seating_policy.check_seating(
            table_kind=TableKind.MIXED, options=OPTIONS[option], sitter=stranger, platform_models=PLATFORM_MODELS
        )
    with pytest.raises(AssertionError, match=f"unreachable.*{re.escape(repr(stranger))}"):
        seating_policy._check_attestation(stranger, PLATFORM_MODELS)


sitters = st.one_of(st.just(Person()), st.just(OutsideAgent()), st.builds(HostedAgent, model=st.text(max_size=3)))
options_of_tables = st.builds(RevealOptions, show_hands=st.booleans(), show_thoughts=st.booleans())


@given(st.sampled_from(TableKind), options_of_tables, sitters, st.frozensets(st.text(max_size=3), max_size=4))
def test_only_attested_platform_agents_sit_where_anything_is_revealed(
    kind: TableKind, options: RevealOptions, sitter: Sitter, models: frozenset[str]
) -> None:
    """Whoever got a seat at a revealing table is hosted, and its model is of the list."""
    try:
        seated = seating_policy.check_seating(table_kind=kind, options=options, sitter=sitter, platform_models=models)
    except PolicyRefusal:
        return
    if options.show_hands or options.show_thoughts:
        assert isinstance(seated, HostedAgent)
        assert seated.model in models
