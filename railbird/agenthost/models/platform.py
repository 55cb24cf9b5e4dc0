"""Which of the operator's platform models an endpoint is, if it is one.

A hosted token names a platform model, and only such tokens sit at tables that reveal anything. So this says the name for
nothing but that entry's address and model; what it says is signed, and the table server asks no further.
Endpoints have no tools, and redirects are not followed, so a model that matches here can look nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from railbird.agenthost.models.endpoint import Endpoint, EndpointError, normal_address

HOUSE: Final = "house"
"""The rules of `railbird.agenthost.house`, wherever a provider, a model or a version's model is named. They have no address."""


def platform_model_of(endpoint: Endpoint | None, platform_models: Mapping[str, str]) -> str | None:
    """The name of the entry that the endpoint is, the first in their order, or `None`. `endpoint`: `None` for the house model.

    `platform_models`: address by name, as in RAILBIRD_PLATFORM_MODELS: `name=https://host/v1` for a model that its provider
    knows by that very name, `name=https://host/v1#model` for another one. An entry that cannot be read is nobody.
    """
    if endpoint is None:
        return HOUSE if HOUSE in platform_models else None
    return next((name for name, place in platform_models.items() if _is(endpoint, name, place)), None)


def _is(endpoint: Endpoint, name: str, place: str) -> bool:
    address, _, model = place.partition("#")
    if name == HOUSE or endpoint.model != (model or name):
        return False
    try:
        return normal_address(address) == normal_address(endpoint.base_url)
    except EndpointError:
        return False
