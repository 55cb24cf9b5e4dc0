"""What a token costs is exact, dated, and not guessed."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from railbird.agenthost.models.endpoint import Endpoint
from railbird.agenthost.prices import FREE, LIST_PRICES, LISTED_ON, Price, list_price


def test_a_cost_is_exact() -> None:
    """A token of a cheap model is a fraction of a millionth of a dollar, and ten thousand of them are exactly that often as much."""
    price = Price(Decimal("0.05"), Decimal("0.40"))
    assert price.cost_usd(1, 0) == Decimal("0.00000005")
    assert sum((price.cost_usd(1, 1) for _ in range(10_000)), Decimal(0)) == price.cost_usd(10_000, 10_000)
    assert FREE.cost_usd(10**9, 10**9) == 0


@pytest.mark.parametrize("usd", ["-0.01", "NaN", "Infinity", "0.0000001", "1E+7"])
def test_a_price_is_a_number_from_0_up(usd: str) -> None:
    """Not below, and none that the ledger could not keep exactly."""
    with pytest.raises(ValueError, match="from 0 up"):
        Price(Decimal(usd), Decimal(1))


def test_a_list_price_is_of_one_host_and_one_exact_name() -> None:
    """The same name elsewhere is another offer."""
    assert list_price("api.openai.com", "gpt-4o-mini") == Price(Decimal("0.15"), Decimal("0.60"))
    assert list_price("openrouter.example", "gpt-4o-mini") is None
    assert list_price("api.openai.com", "gpt-4o-mini-2024-07-18") is None
    assert date(2025, 1, 1) < LISTED_ON
    assert all(0 < price.input_usd < price.output_usd for price in LIST_PRICES.values())


def test_the_operators_price_goes_before_the_lists() -> None:
    """A contract's price is the one that is paid."""
    own = Price(Decimal(7), Decimal(8))
    assert Endpoint("https://api.openai.com/v1", "gpt-5", price=own).known_price == own
    assert Endpoint("https://api.openai.com/v1", "gpt-5").known_price == LIST_PRICES["api.openai.com", "gpt-5"]
    assert Endpoint("https://a.example/v1", "gpt-5").known_price is None
