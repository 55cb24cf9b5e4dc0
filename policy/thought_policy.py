"""SECURITY: not display logic. Whom an agent's thought or decision is addressed to.

Withholds an agent's reasoning from every opponent, from every agent (its own connection included) and from the public:
- a thought and a decision go to the user who owns the agent, and to nobody else; no owner means nobody;
- once the table has the turn's action, a thought goes to the public view of a table with `show_thoughts`, too. A
  decision does not: what came of it is public as an action.

An answer is a tuple of addresses, each a user's or the public's. There is no address that an agent could be found by,
so nothing that is sent by these answers can reach an agent's connection.
`options` are those of the moment of sending, not of thinking: with a delay, ask again when the delay is over.

Holds decision 0003.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from policy.ids import UserId
from policy.spectator_policy import RevealOptions


class Moment(enum.Enum):
    """What became of the turn that was thought about."""

    OPEN = "open"
    """The table has no action yet: a thought that is known now decides the hand."""
    ACTED = "acted"
    """The table has the action of this turn, the agent's own or a timeout's. A cancelled hand's turn is none."""


@dataclass(frozen=True, slots=True)
class ToUser:
    """Every connection of one user, and nobody else's: the door's `send_to_user`."""

    user_id: UserId


@dataclass(frozen=True, slots=True)
class ToPublic:
    """The public view: the door's `send_to_public`. An owner's stream carries it too; an agent's does not."""


Address: TypeAlias = ToUser | ToPublic


def address_thought(*, moment: Moment, owner: UserId | None, options: RevealOptions) -> tuple[Address, ...]:
    """Who gets a thought at this moment that had no right to it before: the owner, and once acted the public.

    `owner`: the agent's owner at the deal. Without one nobody gets it, the public neither.
    Raises AssertionError for a moment that it does not know.
    """
    if not owner:
        return ()
    match moment:
        case Moment.OPEN:
            return (ToUser(owner),)
        case Moment.ACTED:
            return (ToPublic(),) if options.show_thoughts is True else ()
        case _:
            assert_never(moment)


def address_decision(*, owner: UserId | None) -> tuple[ToUser, ...]:
    """Who gets a decision, provisional or recorded, changed or discarded: the agent's owner at the deal, or nobody."""
    return (ToUser(owner),) if owner else ()
