"""Which models a host has, and as what it may attest them.

A name of the operator's list is attested only for that entry's endpoint (`railbird.agenthost.models.platform`), and only where this
process has the hosting service's private key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from policy.ids import AgentId
from railbird.agenthost.budget import BudgetedModel, Budgets
from railbird.agenthost.catalogue import Catalogue, Offered
from railbird.agenthost.file.agents import AgentsFile, ModelEntry
from railbird.agenthost.house.model import HouseModel
from railbird.agenthost.models.endpoint import key_from
from railbird.agenthost.models.platform import HOUSE, platform_model_of
from railbird.agenthost.models.port import Model
from railbird.agenthost.models.shelf import Shelf


@dataclass(frozen=True, slots=True)
class CataloguePorts:
    """`platform_models`: address by name. `signs`: whether this process can attest. `variables`: hold the providers' keys.

    `limits_usd`: what an agent may spend in a day; `limit_usd`: what any other one may, `None`: no limit.
    """

    platform_models: Mapping[str, str]
    signs: bool
    variables: Mapping[str, str]
    shelf: Shelf
    budgets: Budgets
    limits_usd: Mapping[AgentId, Decimal]
    limit_usd: Decimal | None


def house_only(platform_models: Mapping[str, str], *, signs: bool) -> Catalogue:
    """The rules of the house and nothing else: no key, no network."""
    return Catalogue({HOUSE: _house(platform_models, signs)})


def catalogue_of(models: Mapping[str, ModelEntry], ports: CataloguePorts) -> Catalogue:
    """The house, and the models of a file. Raises EndpointError where a key or an SDK is missing."""
    offered = {name: _offered(entry, ports) for name, entry in models.items()}
    return Catalogue({HOUSE: _house(ports.platform_models, ports.signs), **offered})


def names_for_owners(file: AgentsFile) -> frozenset[str]:
    """The models that owners' agents may ask. What has a key is paid for by the operator, so it wants a bound for each agent:
    `daily_budget_usd` of the file (test_without_a_budget_no_owner_asks_a_model_with_a_key).
    """
    bounded = file.daily_budget_usd is not None
    return frozenset({HOUSE, *(name for name, entry in file.models.items() if bounded or entry.key_env is None)})


def _house(platform_models: Mapping[str, str], signs: bool) -> Offered:
    model = HouseModel()
    return Offered(lambda agent_id: model, platform_model_of(None, platform_models) if signs else None)


def _offered(entry: ModelEntry, ports: CataloguePorts) -> Offered:
    key = None if entry.key_env is None else key_from(ports.variables, entry.key_env)
    endpoint = replace(entry.endpoint, key=key)
    model = ports.shelf.model(endpoint)

    def for_agent(agent_id: AgentId) -> Model:
        limit_usd = ports.limits_usd.get(agent_id, ports.limit_usd)
        if limit_usd is None:
            return model
        price = endpoint.known_price
        return BudgetedModel(model, ports.budgets, agent_id=agent_id, limit_usd=limit_usd, price=price)

    return Offered(for_agent, platform_model_of(endpoint, ports.platform_models) if ports.signs else None)
