"""All models that a process asks: one for each endpoint, over shared connections. An SDK is imported when its first endpoint is."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeAlias

import httpx2

from railbird.agenthost.models.endpoint import Dialect, Endpoint, EndpointError
from railbird.agenthost.models.port import Model
from railbird.agenthost.models.remote import RemoteModel, Speech
from railbird.agenthost.models.tape import TapingTransport

_LIMITS: Final = httpx2.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30.0)

_Speaker: TypeAlias = Callable[[str, str, httpx2.AsyncClient], Speech]


class Shelf:
    """Holds the models until it is closed. `least_call_s`: see `RemoteModel`. `tls`: whose certificates are believed; `None`: the usual ones."""

    def __init__(self, rng: random.Random, *, least_call_s: float = 0.5, tls: ssl.SSLContext | None = None) -> None:
        self._rng = rng
        self._least_call_s = least_call_s
        self._connections = httpx2.AsyncHTTPTransport(verify=True if tls is None else tls, limits=_LIMITS)
        self._models: dict[Endpoint, RemoteModel] = {}

    def model(self, endpoint: Endpoint) -> Model:
        """The endpoint's model; the same one for equal endpoints. Raises EndpointError where its SDK is not installed.

        The first of a dialect imports an SDK, which takes a second or more: ask before anybody plays.
        """
        if endpoint not in self._models:
            speaker = _speaker(endpoint.dialect)
            http = httpx2.AsyncClient(
                transport=TapingTransport(endpoint, self._connections), follow_redirects=False, trust_env=False
            )
            speech = speaker(endpoint.base_url, endpoint.model, http)
            self._models[endpoint] = RemoteModel(endpoint, speech, self._rng, least_call_s=self._least_call_s)
        return self._models[endpoint]

    async def aclose(self) -> None:
        """Close all connections; calls under way end as broken ones."""
        await self._connections.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.aclose()


def _speaker(dialect: Dialect) -> _Speaker:
    match dialect:
        case Dialect.OPENAI:
            from railbird.agenthost.models.openai import OpenAISpeech

            return OpenAISpeech
        case Dialect.ANTHROPIC:
            try:
                from railbird.agenthost.models.anthropic import AnthropicSpeech
            except ModuleNotFoundError as missing:
                if missing.name != "anthropic":
                    raise
                raise EndpointError(
                    "Anthropic's models need their SDK, which is not installed: pip install 'railbird[anthropic]'"
                ) from None
            return AnthropicSpeech
