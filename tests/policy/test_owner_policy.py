"""Who may open an owner stream, and whose seats it holds: the owner's at the deal."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import owner_policy
from policy.errors import PolicyRefusal
from policy.ids import AgentId, Seat, UserId
from policy.owner_policy import OwnedSeat
from policy.viewer import Owner

ANN, BOB = UserId("ann"), UserId("bob")
A0 = OwnedSeat(Seat(0), AgentId("a0"), ANN)
A3 = OwnedSeat(Seat(3), AgentId("a3"), ANN)
B1 = OwnedSeat(Seat(1), AgentId("b1"), BOB)
NOBODYS = OwnedSeat(Seat(2), AgentId("x2"), None)
EMPTY = OwnedSeat(Seat(4), AgentId("x4"), UserId(""))

TRUTH: list[tuple[str, list[OwnedSeat], tuple[OwnedSeat, ...]]] = [
    # user, agents at the table, what is theirs
    ("ann", [A0], (A0,)),
    ("ann", [A3, B1, A0], (A0, A3)),
    ("ann", [B1], ()),
    ("ann", [NOBODYS], ()),
    ("ann", [], ()),
    ("bob", [A0, A3, B1, NOBODYS, EMPTY], (B1,)),
    ("a0", [A0], ()),  # an agent's id is nobody's user id
    ("ANN", [A0], ()),
    ("ann ", [A0], ()),
    ("", [A0, NOBODYS, EMPTY], ()),
]


@pytest.mark.parametrize(("user", "at_table", "own"), TRUTH)
def test_who_has_an_agent_at_the_table_may_open_its_owner_stream(
    user: str, at_table: list[OwnedSeat], own: tuple[OwnedSeat, ...]
) -> None:
    """The answer is the user's own agents by seat; where there is none it is a refusal."""
    if own:
        assert owner_policy.admit_owner(user_id=UserId(user), at_table=at_table) == own
    else:
        with pytest.raises(PolicyRefusal) as refused:
            owner_policy.admit_owner(user_id=UserId(user), at_table=at_table)
        assert refused.value.code == "not_allowed"


def test_no_table_and_no_agent_there_are_refused_alike() -> None:
    """A stranger cannot tell from the refusal whether the table exists, or who sits there."""
    refusals = []
    for at_table in ([], [B1], [NOBODYS]):
        with pytest.raises(PolicyRefusal) as refused:
            owner_policy.admit_owner(user_id=ANN, at_table=at_table)
        refusals.append((refused.value.code, refused.value.why, str(refused.value)))
    assert len(set(refusals)) == 1
    assert refusals[0][1] == "an owner stream is for who has an agent at the table"


@pytest.mark.parametrize(("user", "dealt_in", "own"), TRUTH)
def test_an_owner_looks_at_a_hand_with_the_seats_of_their_agents(
    user: str, dealt_in: list[OwnedSeat], own: tuple[OwnedSeat, ...]
) -> None:
    """Their seats are those of the deal; an owner whose agents were not dealt in has none."""
    looks = owner_policy.look_as_owner(user_id=UserId(user), dealt_in=dealt_in)
    assert looks == Owner(UserId(user), frozenset(entry.seat for entry in own))


def test_a_sold_agent_gives_its_new_owner_nothing_of_the_hands_before() -> None:
    """The same agent in the same seat, dealt in while it was Ann's: Ann has the seat, Bob has none."""
    at_the_deal, now = [A0], [OwnedSeat(A0.seat, A0.agent_id, BOB)]
    assert owner_policy.look_as_owner(user_id=ANN, dealt_in=at_the_deal).seats == {Seat(0)}
    assert owner_policy.look_as_owner(user_id=BOB, dealt_in=at_the_deal).seats == frozenset()
    assert owner_policy.look_as_owner(user_id=ANN, dealt_in=now).seats == frozenset()


@pytest.mark.parametrize("nobody", [None, ""])
def test_nobody_does_not_own_what_nobody_owns(nobody: Any) -> None:
    """An absent user is not equal to an absent owner."""
    with pytest.raises(PolicyRefusal):
        owner_policy.admit_owner(user_id=cast("UserId", nobody), at_table=[NOBODYS, EMPTY])
    assert not owner_policy.look_as_owner(user_id=cast("UserId", nobody), dealt_in=[NOBODYS, EMPTY]).seats


users = st.sampled_from(["ann", "bob", "cat", ""]).map(UserId)
entries = st.lists(
    st.builds(
        OwnedSeat,
        seat=st.integers(0, 9).map(Seat),
        agent_id=st.text(max_size=2).map(AgentId),
        owner=users | st.none(),
    ),
    max_size=10,
    unique_by=lambda entry: entry.seat,
)


@given(users, entries)
def test_every_seat_has_one_owner_at_most(user: UserId, dealt_in: list[OwnedSeat]) -> None:
    """No seat is in the views of two users, and a user's seats are all theirs."""
    seats = owner_policy.look_as_owner(user_id=user, dealt_in=dealt_in).seats
    others = [owner_policy.look_as_owner(user_id=UserId(other), dealt_in=dealt_in).seats for other in ("x", "")]
    assert all(not seats & other for other in others)
    assert {entry.owner for entry in dealt_in if entry.seat in seats} <= {user}
