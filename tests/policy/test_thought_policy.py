"""A thought has an address: its owner, then perhaps the public. No owner is nobody, and no address is an agent's."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import thought_policy
from policy.ids import UserId
from policy.spectator_policy import RevealOptions
from policy.thought_policy import Address, Moment, ToPublic, ToUser

OPTIONS = {
    "closed": RevealOptions(show_hands=False, show_thoughts=False),
    "thoughts": RevealOptions(show_hands=False, show_thoughts=True),
    "hands": RevealOptions(show_hands=True, show_thoughts=False),
    "both": RevealOptions(show_hands=True, show_thoughts=True),
}
OWNERS: dict[str, UserId | None] = {"ann": UserId("ann"), "none": None, "empty": UserId("")}
ADDRESSES: dict[str, tuple[Address, ...]] = {"owner": (ToUser(UserId("ann")),), "public": (ToPublic(),), "nobody": ()}

TRUTH = """
moment  owner  closed  thoughts  hands   both
open    ann    owner   owner     owner   owner
open    none   nobody  nobody    nobody  nobody
open    empty  nobody  nobody    nobody  nobody
acted   ann    nobody  public    nobody  public
acted   none   nobody  nobody    nobody  nobody
acted   empty  nobody  nobody    nobody  nobody
"""
CASES = [
    (moment, owner, option, address)
    for moment, owner, *addresses in (line.split() for line in TRUTH.strip().splitlines()[1:])
    for option, address in zip(OPTIONS, addresses, strict=True)
]


def test_the_truth_table_is_whole() -> None:
    """Every moment with every owner and option has an entry."""
    assert len(CASES) == len(set(CASES)) == len(Moment) * len(OWNERS) * len(OPTIONS)


@pytest.mark.parametrize(("moment", "owner", "option", "address"), CASES)
def test_the_truth_table(moment: str, owner: str, option: str, address: str) -> None:
    """A thought goes to exactly the addresses of its entry."""
    addresses = thought_policy.address_thought(moment=Moment(moment), owner=OWNERS[owner], options=OPTIONS[option])
    assert addresses == ADDRESSES[address]


@pytest.mark.parametrize(("owner", "address"), [("ann", "owner"), ("none", "nobody"), ("empty", "nobody")])
def test_a_decision_goes_to_the_owner_and_to_nobody_else(owner: str, address: str) -> None:
    """No option and no moment is asked: there is none that opens a decision."""
    assert thought_policy.address_decision(owner=OWNERS[owner]) == ADDRESSES[address]


def test_no_address_leads_to_an_agent() -> None:
    """The closed list of addresses has a user's and the public's, and an address holds a user id at most."""
    assert set(typing.get_args(Address)) == {ToUser, ToPublic}
    fields = [field for kind in typing.get_args(Address) for field in dataclasses.fields(kind)]
    assert [(field.name, field.type) for field in fields] == [("user_id", "UserId")]


@pytest.mark.parametrize("moment", [None, "open", "acted", 1])
def test_an_unknown_moment_has_no_address(moment: Any) -> None:
    """A moment outside the closed list is an error."""
    with pytest.raises(AssertionError, match=f"unreachable.*{moment!r}"):
        thought_policy.address_thought(moment=moment, owner=UserId("ann"), options=OPTIONS["both"])


@pytest.mark.parametrize("odd", [1, "true", "no", None, [True]])
def test_an_option_that_is_no_plain_true_is_off(odd: Any) -> None:
    """The gate does not lean on how truthy a value is."""
    options = RevealOptions(show_hands=odd, show_thoughts=odd)
    assert thought_policy.address_thought(moment=Moment.ACTED, owner=UserId("ann"), options=options) == ()


@given(st.sampled_from(Moment), st.text().map(UserId) | st.none(), st.booleans(), st.booleans())
def test_no_user_but_the_owner_is_ever_addressed(
    moment: Moment, owner: UserId | None, show_hands: bool, show_thoughts: bool
) -> None:
    """Whatever the options, the only user in it is the owner, and before the action no public."""
    options = RevealOptions(show_hands=show_hands, show_thoughts=show_thoughts)
    addresses = thought_policy.address_thought(moment=moment, owner=owner, options=options)
    for address in (*addresses, *thought_policy.address_decision(owner=owner)):
        match address:
            case ToUser(user_id=user_id):
                assert user_id == owner != ""
            case ToPublic():
                assert (moment, show_thoughts) == (Moment.ACTED, True)
