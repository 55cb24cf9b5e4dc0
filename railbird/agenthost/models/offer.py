"""What is asked of an endpoint beyond the bare question, and what is given up when the endpoint refuses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from railbird.agenthost.models.endpoint import Structured
from railbird.agenthost.models.port import ModelRequest


@dataclass(frozen=True, slots=True)
class Offer:
    """What an endpoint takes. `new_limit`: the answer's limit is named `max_completion_tokens` and not `max_tokens`."""

    schema: bool = True
    usage: bool = True
    seed: bool = True
    temperature: bool = True
    new_limit: bool = False

    def of(self, request: ModelRequest) -> Offer:
        """The part of it that matters to a request."""
        return replace(
            self,
            schema=self.schema and request.answer_schema is not None,
            seed=self.seed and request.seed is not None,
            temperature=self.temperature and request.temperature is not None,
        )


WORDS: Final[Mapping[str, tuple[bytes, ...]]] = MappingProxyType(
    {
        "schema": (b"response_format", b"json_schema", b"output_config", b"output_format", b"structured output"),
        "usage": (b"stream_options", b"include_usage"),
        "seed": (b"seed",),
        "temperature": (b"temperature",),
    }
)
"""How a refusal names what it refuses."""

_LIKELY: Final = ("schema", "usage")


def poorer(offer: Offer, asked: Offer, refusal: bytes, *, structured: Structured, must_name: bool) -> Offer | None:
    """What to ask for after a refusal, or `None` where nothing is left to give up.

    `asked`: what the refused call had asked for. The refusal's own words decide; where they name nothing, the schema goes
    first, and then the report of usage, unless `must_name`. `structured`: YES gives no schema up.
    """
    said = refusal.lower()
    if b"max_completion_tokens" in said and not offer.new_limit:
        return replace(offer, new_limit=True)
    sent = [name for name in WORDS if getattr(asked, name)]
    named = [name for name in sent if any(word in said for word in WORDS[name])]
    suspects = named or ([] if must_name else [name for name in sent if name in _LIKELY])
    given_up = next((name for name in suspects if name != "schema" or structured is not Structured.YES), None)
    return None if given_up is None else replace(offer, **{given_up: False})


def first_offer(structured: Structured) -> Offer:
    """What an endpoint is asked for before anything is known about it."""
    return Offer(schema=structured is not Structured.NO)
