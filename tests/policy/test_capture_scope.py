"""Whose captured turns a reader may touch: the owner at the deal their agent's, an operator all, once the hand is not in play."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import capture_scope
from policy.capture_scope import EveryAgent, InPlay, OperatorScope, OwnerScope, Whose
from policy.errors import PolicyRefusal
from policy.ids import AgentId, HandNumber, Seat, TableId, UserId
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer

A1, B1 = AgentId("a1"), AgentId("b1")
TABLE, HAND = TableId("t"), HandNumber(7)
OSCAR = Operator("user:oscar")

OWNERS: list[tuple[str, str | None, bool]] = [
    # who asks, the agent's owner at the deal, whether the turns are theirs
    ("ann", "ann", True),
    ("ann", "bob", False),
    ("ann", None, False),  # not dealt in, or no such agent, table or hand
    ("ANN", "ann", False),
    ("ann ", "ann", False),
    ("a1", "ann", False),  # an agent's id is nobody's user id
    ("", "", False),
    ("", None, False),
]

READERS: list[tuple[Viewer, bool]] = [
    (OSCAR, True),
    (Owner(UserId("ann"), frozenset({Seat(0)})), False),
    (SeatedAgent(A1, Seat(0)), False),
    (UnseatedAgent(A1), False),
    (SeatedUser(UserId("ann"), Seat(0)), False),
    (Spectator(), False),
]


def of_owner(user: str, owner: str | None, agent: AgentId = A1) -> OwnerScope:
    return capture_scope.scope_for_owner(
        user_id=UserId(user),
        agent_id=agent,
        table_id=TABLE,
        hand_number=HAND,
        owner_at_deal=None if owner is None else UserId(owner),
    )


def of_operator(reader: Viewer, in_play: InPlay, whose: Whose = A1) -> OperatorScope:
    return capture_scope.scope_for_operator(
        reader=reader, whose=whose, table_id=TABLE, hand_number=HAND, in_play=in_play
    )


@pytest.mark.parametrize(("user", "owner", "theirs"), OWNERS)
def test_the_owner_at_the_deal_has_their_agents_turns(user: str, owner: str | None, theirs: bool) -> None:
    """The scope is that agent in that hand and no more; anybody else is refused."""
    if theirs:
        assert of_owner(user, owner) == OwnerScope(A1, TABLE, HAND)
        return
    with pytest.raises(PolicyRefusal) as refused:
        of_owner(user, owner)
    assert (refused.value.code, refused.value.why) == ("not_found", "no such turns")


def test_somebody_elses_and_none_are_refused_alike() -> None:
    """Who asks cannot tell from the refusal whether the agent played, or whether there is such a hand."""
    refusals = set()
    for owner in ("bob", None, ""):
        with pytest.raises(PolicyRefusal) as refused:
            of_owner("ann", owner)
        refusals.add((refused.value.code, refused.value.why, str(refused.value)))
    assert len(refusals) == 1


def test_a_sold_agents_turns_stay_with_who_owned_it_at_the_deal() -> None:
    """Ann's at the deal, Bob's now: Bob gets nothing of that hand."""
    assert of_owner("ann", "ann") == OwnerScope(A1, TABLE, HAND)
    with pytest.raises(PolicyRefusal):
        of_owner("bob", "ann")


@pytest.mark.parametrize("whose", [A1, EveryAgent()], ids=["one agent", "every agent"])
@pytest.mark.parametrize("in_play", InPlay)
@pytest.mark.parametrize(("reader", "is_operator"), READERS, ids=lambda value: type(value).__name__)
def test_an_operator_has_the_turns_of_a_hand_that_is_not_in_play(
    reader: Viewer, is_operator: bool, in_play: InPlay, whose: Whose
) -> None:
    """No other viewer has any by this way, and a hand in play is refused to operators by its own code."""
    if is_operator and in_play is InPlay.NO:
        assert of_operator(reader, in_play, whose) == OperatorScope("user:oscar", TABLE, HAND, whose)
        return
    with pytest.raises(PolicyRefusal) as refused:
        of_operator(reader, in_play, whose)
    why = "the hand is in play: its turns are its players' owners' alone" if is_operator else "no such turns"
    assert (refused.value.code, refused.value.why) == ("hand_live" if is_operator else "not_found", why)


@pytest.mark.parametrize("strange", [None, "operator", 7])
def test_what_the_gate_does_not_know_gets_nothing(strange: Any) -> None:
    """A reader, or a state of the hand, that nobody has thought of."""
    with pytest.raises(AssertionError, match=repr(strange)):
        of_operator(cast("Viewer", strange), InPlay.NO)
    with pytest.raises(AssertionError, match=repr(strange)):
        of_operator(OSCAR, cast("InPlay", strange))


users = st.sampled_from(["ann", "bob", "cat", ""])


@given(users, users, users | st.none(), st.sampled_from([A1, B1]))
def test_no_turn_is_two_peoples(one: str, other: str, owner: str | None, agent: AgentId) -> None:
    """Of one agent in one hand, two different users never both get a scope, and a scope names what was asked for."""
    scopes = []
    for user in {one, other}:
        try:
            scopes.append(of_owner(user, owner, agent))
        except PolicyRefusal:
            continue
    assert scopes in ([], [OwnerScope(agent, TABLE, HAND)])
