"""SECURITY: not display logic. Who may know that a private table is there.

Withholds a private table, and that there is one, from everybody but its creator, the users who were invited, their
agents, the operators and the operators' own house agents, until it is closed and after. Everybody else gets the answer
for a table that does not exist: the same code and the same words.
It is asked at every way out: an attached connection, the list, the public view, streams, history.
To be let in is to watch as anybody watches at an open table; who may sit is `seating_policy`, and no card is given here.

An agent is let in for its owner, as its token says it. `invited` is as it is now: who is asked again is answered anew.

Holds decision 0011.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import UserId


@dataclass(frozen=True, slots=True)
class Stranger:
    """Somebody without a credential."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody signed in, or an agent for its owner. `user_id`: the person, or the agent's owner."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class Staff:
    """An operator, or one of the operators' house agents."""


Visitor: TypeAlias = Stranger | Guest | Staff


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that anybody may know of."""


@dataclass(frozen=True, slots=True)
class PrivateTable:
    """A table for those whom its creator invited."""

    created_by: UserId
    invited: AbstractSet[UserId]


def admit_visitor(*, visitor: Visitor, table: OpenTable | PrivateTable) -> Visitor:
    """The visitor, where they may know of the table.

    Raises PolicyRefusal `not_found`, with the words for a table that does not exist.
    Raises AssertionError for a visitor or a table that it does not know.
    """
    match table:
        case OpenTable():
            return visitor
        case PrivateTable():
            return _admit_to_private(visitor, table)
        case _:
            assert_never(table)


def _admit_to_private(visitor: Visitor, table: PrivateTable) -> Visitor:
    match visitor:
        case Staff():
            return visitor
        case Guest(user_id=user_id):
            # A user that nobody is was not invited, and made no table.
            if user_id and (user_id == table.created_by or user_id in table.invited):
                return visitor
        case Stranger():
            pass
        case _:
            assert_never(visitor)
    raise PolicyRefusal(RefusalCode.NOT_FOUND, "no such table")
