"""Who somebody was proved to be. A closed sum type; `Nobody` is somebody without a credential, never a missing value
(test_identity_is_a_closed_sum).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policy.ids import AgentId, AgentVersionId, UserId


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Proved by an agent token. `expires_at_ms`: Unix time. `model` is set for hosted agents, and for them only."""

    agent_id: AgentId
    owner: UserId
    version_id: AgentVersionId
    hosted: bool
    model: str | None
    expires_at_ms: int
    token_id: str | None


@dataclass(frozen=True, slots=True)
class UserIdentity:
    """Proved by a user's token, ticket or session."""

    user_id: UserId
    expires_at_ms: int
    token_id: str | None


@dataclass(frozen=True, slots=True)
class Nobody:
    """No credential was shown."""


Identity: TypeAlias = AgentIdentity | UserIdentity | Nobody
