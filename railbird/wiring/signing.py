"""The tokens of hosted agents, signed with the keys of this folder or with the hosting service's own. It holds no rule."""

from __future__ import annotations

from collections.abc import Callable

from gameserver.identity.issue import issue_agent_token, issue_hosted_token
from gameserver.identity.keys import KeyUse, SigningKey
from policy.ids import AgentId, AgentVersionId, UserId

TOKEN_LIFE_S = 300


class CannotSign(Exception):
    """There is no key for this token; for people."""


class HostSigning:
    """`railbird.agenthost.seats.tokens.Attest`.

    `signing`: the key of a use that signs now, `None` where there is none. `now_s`: Unix time from which a token of this agent is
    good. `new_name`: a token's own name.
    """

    def __init__(
        self,
        signing: Callable[[KeyUse], SigningKey | None],
        now_s: Callable[[AgentId], int],
        new_name: Callable[[], str],
    ) -> None:
        self._signing, self._now_s, self._new_name = signing, now_s, new_name

    async def __call__(self, agent_id: AgentId, owner: UserId, version_id: AgentVersionId, model: str | None, /) -> str:
        """Attested by the hosting key where a platform model is named, else a plain agent's. Raises CannotSign."""
        now_s, name = self._now_s(agent_id), self._new_name()
        if model is None:
            return issue_agent_token(
                self._key(KeyUse.AGENT),
                agent_id=agent_id,
                owner=owner,
                version_id=version_id,
                token_id=name,
                now_s=now_s,
                life_s=TOKEN_LIFE_S,
            )
        return issue_hosted_token(
            self._key(KeyUse.HOSTING),
            agent_id=agent_id,
            owner=owner,
            version_id=version_id,
            model=model,
            token_id=name,
            now_s=now_s,
            life_s=TOKEN_LIFE_S,
        )

    def signs(self, use: KeyUse) -> bool:
        """Whether there is a key that signs for this use now."""
        return self._signing(use) is not None

    def _key(self, use: KeyUse) -> SigningKey:
        key = self._signing(use)
        if key is None:
            raise CannotSign(f"there is no private key that signs for {use}")
        return key
