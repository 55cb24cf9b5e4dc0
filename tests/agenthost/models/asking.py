"""A model behind a scripted provider, and a short way to ask it."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from capture.record import Call, Prompt
from railbird.agenthost.models.endpoint import ApiKey, Dialect, Endpoint
from railbird.agenthost.models.port import Model, ModelRequest, Reply
from railbird.agenthost.models.shelf import Shelf
from railbird.agenthost.prices import Price
from tests.agenthost.models.provider import Provider, Script, provider

KEY: Final = "sk-test/marker-7c1f"
PROMPT: Final = Prompt(b"You play poker.", "Seat 3, 40 to call. K\u2660 Q\u2665".encode())
JOINED: Final = "You play poker.\nSeat 3, 40 to call. K\u2660 Q\u2665"
TLS: Final = ssl.create_default_context()
"""Made once: it takes longer than a test."""
SCHEMA: Final = {
    "type": "object",
    "properties": {"action": {"type": "string"}},
    "required": ["action"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Asking:
    """`upstream`: what the provider was asked."""

    upstream: Provider
    model: Model

    async def ask(self, *, within_s: float = 30.0, **request: Any) -> Reply:
        deadline = asyncio.get_running_loop().time() + within_s
        return await self.model.ask(ModelRequest(PROMPT, **request), deadline)

    async def one(self, *, within_s: float = 30.0, **request: Any) -> Call:
        """The only call of a reply."""
        (call,) = (await self.ask(within_s=within_s, **request)).calls
        return call


@asynccontextmanager
async def asking(*scripts: Script, least_call_s: float = 0.5, **endpoint: Any) -> AsyncIterator[Asking]:
    """`endpoint`: what is unusual about it."""
    given: dict[str, Any] = {"key": ApiKey(KEY), "price": Price(Decimal("0.10"), Decimal("0.40")), **endpoint}
    async with provider(*scripts) as upstream, Shelf(random.Random(7), least_call_s=least_call_s, tls=TLS) as shelf:
        at = (
            upstream.base_url
            if given.get("dialect") is not Dialect.ANTHROPIC
            else upstream.base_url.removesuffix("/v1")
        )
        base_url = given.pop("base_url", at)
        yield Asking(upstream, shelf.model(Endpoint(base_url, given.pop("model", "tiny-1"), **given)))
