"""Who somebody was proved to be. A closed sum type; `Nobody` is somebody without a credential, never a missing value
(test_identity_is_a_closed_sum).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from policy.ids import AgentId, AgentVersionId, UserId


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Proved by an agent token. `model` is set for hosted agents, and for them only (test_only_a_hosted_agent_has_a_model).

    Times are Unix time. `expires_at_ms`: when what was opened with it ends, leeway included. `issued_at_ms`: 0 where the token
    does not say.
    """

    agent_id: AgentId
    owner: UserId
    version_id: AgentVersionId
    hosted: bool
    model: str | None
    expires_at_ms: int
    token_id: str | None
    issued_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class UserIdentity:
    """Proved by a user's token, ticket or session. `expires_at_ms`: Unix time, when what was opened with it ends.

    `token_id`: of the token, or the name of the session. `proof_id`: of the token that the session was opened with.
    """

    user_id: UserId
    expires_at_ms: int
    token_id: str | None
    proof_id: str | None = None


@dataclass(frozen=True, slots=True)
class Nobody:
    """No credential was shown."""


Identity: TypeAlias = AgentIdentity | UserIdentity | Nobody
