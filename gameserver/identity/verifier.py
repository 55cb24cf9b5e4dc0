"""The one place where a shown token becomes an identity: keys, rules, clock and revocations put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, TypeVar

from gameserver.identity.admission import Revocations
from gameserver.identity.keys import KeyRing
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.tokens import TokenRules, verify_agent_token, verify_user_token
from gameserver.identity.who import AgentIdentity, UserIdentity

_Identity = TypeVar("_Identity", AgentIdentity, UserIdentity)


class _Present(TypedDict):
    keys: KeyRing
    rules: TokenRules
    now_s: float


class TokenVerifier:
    """Verifies against the present keys. `now_s`: Unix time; `count`: told the reason of each refusal.

    The register is not asked here, since it is asked in a store: `admission.admit_agent` comes after `agent`.
    """

    def __init__(
        self,
        *,
        keys: Callable[[], KeyRing],
        rules: TokenRules,
        revocations: Revocations,
        now_s: Callable[[], float],
        count: Callable[[TokenReason], None],
    ) -> None:
        self._keys, self._rules, self._revocations = keys, rules, revocations
        self._now_s, self._count = now_s, count

    def agent(self, token: str) -> AgentIdentity:
        """The agent of an `agentToken`. Raises `TokenRefused`."""
        return self._counted(lambda: verify_agent_token(token, **self._present()))

    def user(self, token: str) -> UserIdentity:
        """The user of a bearer token. Raises `TokenRefused`."""
        return self._counted(lambda: verify_user_token(token, **self._present()))

    def refuse_revoked(self, identity: UserIdentity) -> None:
        """For a proof that was given before and is shown again, by a ticket or a session. Raises `TokenRefused`."""
        self._counted(lambda: identity)

    def _present(self) -> _Present:
        return {"keys": self._keys(), "rules": self._rules, "now_s": self._now_s()}

    def _counted(self, verify: Callable[[], _Identity]) -> _Identity:
        try:
            identity = verify()
            self._revocations.refuse_revoked(identity)
        except TokenRefused as refused:
            self._count(refused.reason)
            raise
        return identity
