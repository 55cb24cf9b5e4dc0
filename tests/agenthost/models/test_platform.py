"""A hosted token names a platform model for that entry's endpoint and nothing else."""

from __future__ import annotations

import pytest

from railbird.agenthost.models.endpoint import Dialect, Endpoint
from railbird.agenthost.models.platform import platform_model_of
from railbird.config_values import models

LISTED = models("house,gpt-4o-mini=https://api.openai.com/v1,small=http://127.0.0.1:8080/v1/#SmolLM2")


@pytest.mark.parametrize(
    ("url", "model", "name"),
    [
        ("https://api.openai.com/v1", "gpt-4o-mini", "gpt-4o-mini"),
        ("https://API.openai.com:443/v1/", "gpt-4o-mini", "gpt-4o-mini"),
        ("http://127.0.0.1:8080/v1", "SmolLM2", "small"),
        ("https://api.openai.com/v1", "gpt-4o", None),
        ("https://api.openai.com/v1", "gpt-4o-mini:online", None),
        ("http://api.openai.com/v1", "gpt-4o-mini", None),
        ("https://api.openai.com.evil.example/v1", "gpt-4o-mini", None),
        ("https://api.openai.com:444/v1", "gpt-4o-mini", None),
        ("https://api.openai.com/v2", "gpt-4o-mini", None),
        ("https://api.openai.com/v1", "SmolLM2", None),
        ("http://127.0.0.1:8080/v1", "small", None),
        ("http://127.0.0.1:8080/v1", "house", None),
    ],
)
def test_an_endpoint_is_the_entry_with_its_address_and_model(url: str, model: str, name: str | None) -> None:
    """Address and model both, however the address is written."""
    assert platform_model_of(Endpoint(url, model), LISTED) == name


def test_the_house_model_is_house_where_the_list_has_it() -> None:
    """It has no address, and no address makes another model the house's."""
    assert platform_model_of(None, LISTED) == "house"
    assert platform_model_of(None, {}) is None
    assert platform_model_of(Endpoint("https://a.example/v1", "house"), {"house": "https://a.example/v1"}) is None


def test_an_entry_that_cannot_be_read_is_nobody() -> None:
    """Neither an address with a credential nor one without a host."""
    for place in ("", "nonsense", "https://user:pass@a.example/v1"):
        assert platform_model_of(Endpoint("https://a.example/v1", "m", Dialect.OPENAI), {"m": place}) is None
