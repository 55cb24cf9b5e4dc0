"""What a token costs, exactly. It knows list prices of a day, and no bill: taxes, discounts and caches are not in it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

_MILLION: Final = 1_000_000
_DEAREST_USD: Final = 1_000_000
_FINEST_USD: Final = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: of the question, and of the answer with its reasoning.

    At most six decimals, so that a token costs whole millionths of millionths of a dollar: as exact as the ledger is.
    Raises ValueError for what is no price.
    """

    input_usd: Decimal
    output_usd: Decimal

    def __post_init__(self) -> None:
        for usd in (self.input_usd, self.output_usd):
            if not usd.is_finite() or not 0 <= usd <= _DEAREST_USD or usd != usd.quantize(_FINEST_USD):
                raise ValueError("a price is a number from 0 up, with at most six decimals")

    def cost_usd(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Of one call, exact: nothing is rounded."""
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / _MILLION


FREE: Final = Price(Decimal(0), Decimal(0))
"""What costs nothing, such as a model on one's own machine, where the operator says so."""

LISTED_ON: Final = datetime.date(2025, 12, 1)
"""The day that LIST_PRICES are of. Prices change: who keeps a budget names the price with the endpoint, and that one counts."""


def _price(input_usd: str, output_usd: str) -> Price:
    return Price(Decimal(input_usd), Decimal(output_usd))


LIST_PRICES: Final[Mapping[tuple[str, str], Price]] = MappingProxyType(
    {
        ("api.anthropic.com", "claude-haiku-4-5"): _price("1", "5"),
        ("api.anthropic.com", "claude-opus-4-5"): _price("5", "25"),
        ("api.anthropic.com", "claude-sonnet-4-5"): _price("3", "15"),
        ("api.openai.com", "gpt-4.1"): _price("2", "8"),
        ("api.openai.com", "gpt-4.1-mini"): _price("0.40", "1.60"),
        ("api.openai.com", "gpt-4.1-nano"): _price("0.10", "0.40"),
        ("api.openai.com", "gpt-4o"): _price("2.50", "10"),
        ("api.openai.com", "gpt-4o-mini"): _price("0.15", "0.60"),
        ("api.openai.com", "gpt-5"): _price("1.25", "10"),
        ("api.openai.com", "gpt-5-mini"): _price("0.25", "2"),
        ("api.openai.com", "gpt-5-nano"): _price("0.05", "0.40"),
    }
)
"""By the provider's own host and the model's exact name: the same name elsewhere, or with a date behind it, may cost something else."""


def list_price(host: str, model: str) -> Price | None:
    """A model's price of LISTED_ON, or `None` where it is unknown; it is not guessed."""
    return LIST_PRICES.get((host, model))
