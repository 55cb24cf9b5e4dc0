"""SECURITY: a token that was verified meets what we know of its agent, and what was revoked.

A signature says that we once signed this; whether the agent is still that owner's, has that version, and may still come in, is
for the register and the list of revocations to say. Both answers are `bad_token` outside.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.who import AgentIdentity, Identity, Nobody, UserIdentity
from policy.ids import AgentId, AgentVersionId, UserId


@dataclass(frozen=True, slots=True)
class RegisteredAgent:
    """What the register says of an agent and of the version that its token names."""

    agent_id: AgentId
    owner: UserId
    has_version: bool


Register: TypeAlias = Callable[[AgentId, AgentVersionId], Awaitable[RegisteredAgent | None]]
"""What the register says of an agent now; None where there is none of this name."""


class AgentAdmission:
    """From an `agentToken` to an agent that may come in. `verify`: what the token proves; `count`: told each refusal's reason."""

    def __init__(
        self,
        *,
        verify: Callable[[str], AgentIdentity],
        register: Register,
        revocations: Revocations,
        count: Callable[[TokenReason], None],
    ) -> None:
        self._verify, self._register, self._revocations, self._count = verify, register, revocations, count

    async def agent(self, token: str) -> AgentIdentity:
        """Raises `TokenRefused`. What was revoked while the register was asked is refused too
        (test_a_token_that_is_revoked_meanwhile_is_refused).
        """
        identity = self._verify(token)
        registered = await self._register(identity.agent_id, identity.version_id)
        try:
            admitted = admit_agent(identity, registered)
            self._revocations.refuse_revoked(admitted)
        except TokenRefused as refused:
            self._count(refused.reason)
            raise
        return admitted


def admit_agent(identity: AgentIdentity, registered: RegisteredAgent | None) -> AgentIdentity:
    """The identity, where the register bears it out. `registered`: None for an agent that is not there."""
    if registered is None or registered.agent_id != identity.agent_id:
        raise TokenRefused(TokenReason.NOT_REGISTERED)
    if registered.owner != identity.owner or not registered.has_version:
        raise TokenRefused(TokenReason.NOT_REGISTERED)
    return identity


class Revocations:
    """What was revoked, in memory; a store that outlives the process fills it at the start.

    A token's own revocation may be forgotten once the token has run out, an agent's stays.
    """

    def __init__(self) -> None:
        self._tokens: dict[str, int] = {}
        self._agents: dict[AgentId, int] = {}

    def revoke_token(self, token_id: str, *, until_ms: int) -> None:
        """Refuse this `jti` until then (Unix time): when the token runs out by itself, leeway included."""
        self._tokens[token_id] = max(until_ms, self._tokens.get(token_id, 0))

    def revoke_agent(self, agent_id: AgentId, *, issued_until_ms: int) -> None:
        """Refuse every token of this agent that was issued until then (Unix time), and those that do not say when."""
        self._agents[agent_id] = max(issued_until_ms, self._agents.get(agent_id, 0))

    def refuse_revoked(self, identity: AgentIdentity | UserIdentity) -> None:
        """Raises `TokenRefused` for what was revoked."""
        shown = {identity.token_id, identity.proof_id if isinstance(identity, UserIdentity) else None}
        if not shown.isdisjoint(self._tokens):
            raise TokenRefused(TokenReason.REVOKED)
        if isinstance(identity, AgentIdentity) and identity.issued_at_ms <= self._agents.get(identity.agent_id, -1):
            raise TokenRefused(TokenReason.REVOKED)

    def is_revoked(self, identity: Identity) -> bool:
        """Whether what this identity opened is to be closed."""
        if isinstance(identity, Nobody):
            return False
        try:
            self.refuse_revoked(identity)
        except TokenRefused:
            return True
        return False

    def first_good_second(self, agent_id: AgentId, *, now_s: int) -> int:
        """When a new token of this agent is to say that it was issued: now, or just after what was revoked of it
        (test_a_token_issued_right_after_a_revocation_is_good). Unix seconds.
        """
        return max(now_s, self._agents.get(agent_id, -1) // 1_000 + 1)

    def forget(self, *, now_ms: int) -> None:
        """Drop revocations of tokens that have run out."""
        self._tokens = {token_id: until for token_id, until in self._tokens.items() if until > now_ms}
