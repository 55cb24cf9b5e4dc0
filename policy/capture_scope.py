"""SECURITY: not display logic. Whose captured turns a reader may touch: read, keep, take along or delete.

A captured turn is an agent's own prompt, with its cards, its strategy and its reasoning.
Withholds it from everybody but the agent's owner *at the deal* of that hand, and says the same where there is no such hand:
who buys an agent gets none of its turns of before, and who sold one keeps the rights to those. An owner reads a hand in play
too, since it holds nothing that their own agent does not have.
Withholds the turns of a hand in play from operators: who saw the prompts of all players could tell one of them. Once the
hand is over, or where no running table has it open, an operator has every agent's.

What comes out is a scope, and no read, pin, export or deletion begins without one. The scopes of owners and of operators are
two types, so that no function takes both.
Whether a user or an operator is who they say they are is decided before.

Holds decision 0019.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, HandNumber, TableId, UserId
from policy.viewer import Operator, Owner, SeatedAgent, SeatedUser, Spectator, UnseatedAgent, Viewer


class InPlay(enum.Enum):
    """Whether a running table has the hand open. A cancelled hand, an unknown table and a stopped server's hand are not in play."""

    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class EveryAgent:
    """All agents that were in the hand."""


Whose: TypeAlias = AgentId | EveryAgent


@dataclass(frozen=True, slots=True)
class OwnerScope:
    """The turns of one agent in one hand, for who owned it at the deal."""

    agent_id: AgentId
    table_id: TableId
    hand_number: HandNumber


@dataclass(frozen=True, slots=True)
class OperatorScope:
    """The turns of one agent, or of all, in one hand that is not in play. `operator`: who asks, for the audit."""

    operator: str
    table_id: TableId
    hand_number: HandNumber
    whose: Whose


def scope_for_owner(
    *, user_id: UserId, agent_id: AgentId, table_id: TableId, hand_number: HandNumber, owner_at_deal: UserId | None
) -> OwnerScope:
    """The agent's turns of the hand, for its owner at the deal.

    `owner_at_deal`: None where the agent was not dealt in, or there is no such agent, table or hand.
    Raises PolicyRefusal `not_found` for anybody else.
    """
    # An agent that nobody owned is not the agent of a user that nobody is.
    if not owner_at_deal or owner_at_deal != user_id:
        raise _nothing()
    return OwnerScope(agent_id, table_id, hand_number)


def scope_for_operator(
    *, reader: Viewer, whose: Whose, table_id: TableId, hand_number: HandNumber, in_play: InPlay
) -> OperatorScope:
    """The turns of the hand, for an operator.

    Raises PolicyRefusal `hand_live` while a running table has the hand open, and `not_found` for who is no operator.
    Raises AssertionError for a reader or a state of the hand that it does not know.
    """
    match reader:
        case Operator(name=name):
            _refuse_in_play(in_play)
            return OperatorScope(name, table_id, hand_number, whose)
        case Owner() | SeatedAgent() | SeatedUser() | Spectator() | UnseatedAgent():
            raise _nothing()
        case _:
            assert_never(reader)


def _refuse_in_play(in_play: InPlay) -> None:
    match in_play:
        case InPlay.YES:
            raise PolicyRefusal(RefusalCode.HAND_LIVE, "the hand is in play: its turns are its players' owners' alone")
        case InPlay.NO:
            return
        case _:
            assert_never(in_play)


def _nothing() -> PolicyRefusal:
    return PolicyRefusal(RefusalCode.NOT_FOUND, "no such turns")
