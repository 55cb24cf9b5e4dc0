"""From a published version to a mind that can be asked: which models a host has, and as what it may attest them.

A model that is not in the catalogue is not played. What a name of the operator's list is attested for is
`railbird.agenthost.models.platform`'s to say; here it is only kept beside the model.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from policy.ids import AgentId
from railbird.agenthost.knowledge.prompt import Instructions, Skill
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import Model
from railbird.agenthost.registry.versions import Version


class UnknownModel(Exception):
    """This host has no model of that name."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One model of a host. `attested_as`: the operator's name for it, `None` where it is on no list.

    `for_agent`: the model as one agent may ask it (its budget).
    """

    for_agent: Callable[[AgentId], Model]
    attested_as: str | None


class Catalogue:
    """The models of a host, by the names that versions have for them."""

    def __init__(self, offered: Mapping[str, Offered]) -> None:
        self._offered = dict(offered)

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self._offered)

    def only(self, names: Container[str]) -> Catalogue:
        """Those of these names."""
        return Catalogue({name: offered for name, offered in self._offered.items() if name in names})

    def attested_as(self, model: str) -> str | None:
        """What a hosted token says of a model. Raises UnknownModel."""
        return self._find(model).attested_as

    def mind(self, agent_id: AgentId, version: Version) -> Mind:
        """What plays this version. Raises UnknownModel."""
        return Mind(
            model=self._find(version.model).for_agent(agent_id),
            instructions=Instructions(version.strategy, _skills(version)),
            version_id=version.version_id,
            temperature=version.temperature,
            seed=version.seed,
            max_tokens=version.max_tokens,
        )

    def _find(self, model: str) -> Offered:
        if model not in self._offered:
            raise UnknownModel("this host has no such model")
        return self._offered[model]


def _skills(version: Version) -> tuple[Skill, ...]:
    """A version's skills have no names of their own: they are counted."""
    return tuple(Skill(str(number), text) for number, text in enumerate(version.skills, start=1))
