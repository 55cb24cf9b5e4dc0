"""How a hosted agent proves what it is: tokens that last minutes, fetched anew for every connection and every renewal.

A model is named only where it is on the operator's list (`railbird.agenthost.models.platform` says so); an agent with another one
proves who it is, and nothing about its model (test_only_what_is_on_the_list_is_attested). Keys are the application's: this
room signs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from policy.ids import AgentId, AgentVersionId, UserId
from railbird.agenthost.seats.places import Tokens


class Attest(Protocol):
    """Signs a token. `model`: what the hosting service's own key attests; `None`: a plain agent's token."""

    async def __call__(
        self, agent_id: AgentId, owner: UserId, version_id: AgentVersionId, model: str | None, /
    ) -> str: ...


def tokens_of(
    attest: Attest, agent_id: AgentId, owner: UserId, model_of: Callable[[AgentVersionId], str | None]
) -> Tokens:
    """Fresh tokens of one agent. `model_of`: what a version's model is attested as."""

    async def token(version_id: AgentVersionId | None) -> str:
        assert version_id is not None, "a version that was published has an id"
        return await attest(agent_id, owner, version_id, model_of(version_id))

    return token
