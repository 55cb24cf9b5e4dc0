"""Who may know that a private table is there: its creator, the invited, their agents, and who runs the server."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import visibility_policy
from policy.errors import PolicyRefusal
from policy.ids import UserId
from policy.visibility_policy import Guest, OpenTable, PrivateTable, Staff, Stranger, Visitor

ANN, BOB, CID = UserId("ann"), UserId("bob"), UserId("cid")

VISITORS: dict[str, Visitor] = {
    "stranger": Stranger(),
    "creator": Guest(ANN),
    "invited": Guest(BOB),
    "other": Guest(CID),
    "nobody": Guest(UserId("")),
    "staff": Staff(),
}
TABLES: dict[str, OpenTable | PrivateTable] = {
    "open": OpenTable(),
    "private": PrivateTable(created_by=ANN, invited=frozenset({BOB})),
    "uninvited": PrivateTable(created_by=ANN, invited=frozenset()),
    "nobodys": PrivateTable(created_by=UserId(""), invited=frozenset({UserId("")})),
}

TRUTH = """
visitor   open     private  uninvited  nobodys
stranger  let_in   refused  refused    refused
creator   let_in   let_in   let_in     refused
invited   let_in   let_in   refused    refused
other     let_in   refused  refused    refused
nobody    let_in   refused  refused    refused
staff     let_in   let_in   let_in     let_in
"""
CASES = [
    (visitor, table, answer)
    for visitor, *answers in (line.split() for line in TRUTH.strip().splitlines()[1:])
    for table, answer in zip(TABLES, answers, strict=True)
]


def is_let_in(visitor: Visitor, table: OpenTable | PrivateTable) -> bool:
    try:
        return visibility_policy.admit_visitor(visitor=visitor, table=table) == visitor
    except PolicyRefusal:
        return False


def test_the_truth_table_is_whole() -> None:
    """Every visitor has a row, for every table."""
    assert len(CASES) == len(set(CASES)) == len(VISITORS) * len(TABLES)


@pytest.mark.parametrize(("visitor", "table", "answer"), CASES)
def test_the_truth_table(visitor: str, table: str, answer: str) -> None:
    """Who is let in gets themselves back; anybody else is refused."""
    assert is_let_in(VISITORS[visitor], TABLES[table]) == (answer == "let_in")


@pytest.mark.parametrize("visitor", [Stranger(), Guest(CID), Guest(UserId(""))])
def test_a_refusal_is_the_answer_for_no_table(visitor: Visitor) -> None:
    """Its code and its words are those of a table that does not exist; nobody learns from them why."""
    with pytest.raises(PolicyRefusal) as refused:
        visibility_policy.admit_visitor(visitor=visitor, table=TABLES["private"])
    assert (refused.value.code, refused.value.why) == ("not_found", "no such table")


@pytest.mark.parametrize("visitor", [None, "staff", ANN])
def test_an_unknown_visitor_is_let_into_no_private_table(visitor: Any) -> None:
    """What is no visitor of the closed list is an error."""
    with pytest.raises(AssertionError, match=f"unreachable.*{visitor!r}"):
        visibility_policy.admit_visitor(visitor=visitor, table=TABLES["private"])


@pytest.mark.parametrize("table", [None, "open", True])
def test_an_unknown_table_lets_nobody_in(table: Any) -> None:
    """What is neither an open nor a private table is an error."""
    with pytest.raises(AssertionError, match=f"unreachable.*{table!r}"):
        visibility_policy.admit_visitor(visitor=Staff(), table=table)


def test_a_missing_user_is_not_the_missing_creator() -> None:
    """An absent user is not equal to an absent creator, and is not among the invited."""
    nobody = cast("UserId", None)
    assert not is_let_in(Guest(nobody), PrivateTable(created_by=nobody, invited=frozenset({nobody})))


users = st.sampled_from(["ann", "bob", "cid", "dee", ""]).map(UserId)


@given(user=users, creator=users, invited=st.frozensets(users))
def test_an_invitation_lets_in_one_user_and_no_other(user: UserId, creator: UserId, invited: frozenset[UserId]) -> None:
    """Who else is invited changes nothing for a user."""
    alone = PrivateTable(created_by=creator, invited=invited & {user})
    among = PrivateTable(created_by=creator, invited=invited)
    assert is_let_in(Guest(user), alone) == is_let_in(Guest(user), among)
