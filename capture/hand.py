"""One agent's part of one hand."""

from __future__ import annotations

from dataclasses import dataclass

from policy.capture_scope import EveryAgent, OperatorScope, OwnerScope
from policy.ids import AgentId, HandNumber, TableId


@dataclass(frozen=True, slots=True)
class Hand:
    """One agent's part of one hand."""

    agent_id: AgentId
    table_id: TableId
    hand_number: HandNumber


def hand_within(scope: OwnerScope | OperatorScope, agent_id: AgentId) -> Hand:
    """The agent's part of the scope's hand. Raises AssertionError for an agent that is not in the scope."""
    in_scope = scope.agent_id if isinstance(scope, OwnerScope) else scope.whose
    assert isinstance(in_scope, EveryAgent) or in_scope == agent_id, "an agent outside of the scope"
    return Hand(agent_id, scope.table_id, scope.hand_number)
