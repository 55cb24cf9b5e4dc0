"""Anthropic's messages, through Anthropic's own SDK, which is an extra: import this module when an endpoint asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import anthropic
import httpx2

from capture.envelope import join
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.offer import Offer
from railbird.agenthost.models.port import ModelRequest

MAX_TOKENS: Final = 1024
"""Where a request sets no limit: this provider wants one."""

_INPUT: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicSpeech:
    """Speaks with one endpoint. `http`: its transport puts the key in, so that the SDK has none. There is no seed here."""

    errors: tuple[type[Exception], ...] = (anthropic.AnthropicError,)

    def __init__(self, base_url: str, model: str, http: httpx2.AsyncClient) -> None:
        self._model = model
        self._sdk = anthropic.AsyncAnthropic(
            api_key="held-by-the-transport", base_url=base_url, http_client=http, max_retries=0
        )

    def body(self, request: ModelRequest, offer: Offer) -> dict[str, object]:
        """The question as JSON: one message, whose content is the joined prompt."""
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": MAX_TOKENS if request.max_tokens is None else request.max_tokens,
            "messages": [{"role": "user", "content": join(request.prompt.envelope, request.prompt.remainder).decode()}],
            "stream": True,
        }
        if request.temperature is not None and offer.temperature:
            body["temperature"] = request.temperature
        if request.answer_schema is not None and offer.schema:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.answer_schema)}}
        return body

    async def open(self, body: Mapping[str, object], limits: httpx2.Timeout) -> anthropic.AsyncStream[object]:
        """Send it. Events come as plain JSON."""
        return await self._sdk.post(
            "/v1/messages",
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=anthropic.AsyncStream[object],
            options={"timeout": limits, "max_retries": 0},
        )

    def take(self, heard: Heard, event: object) -> None:
        """One event of a stream."""
        if not isinstance(event, Mapping):
            return
        match event.get("type"):
            case "message_start":
                heard.events += 1
                if isinstance(message := event.get("message"), Mapping):
                    _use(heard, message.get("usage"))
            case "content_block_start":
                _say(heard, event.get("content_block"))
            case "content_block_delta":
                _say(heard, event.get("delta"))
            case "message_delta":
                _use(heard, event.get("usage"))
                if isinstance(delta := event.get("delta"), Mapping):
                    heard.finish(delta.get("stop_reason"))

    def take_whole(self, heard: Heard, answer: object) -> None:
        """An answer in one piece."""
        if not isinstance(answer, Mapping) or not isinstance(blocks := answer.get("content"), list):
            return
        heard.events += 1
        _use(heard, answer.get("usage"))
        for block in blocks:
            _say(heard, block)
        heard.finish(answer.get("stop_reason"))


def _say(heard: Heard, part: object) -> None:
    if isinstance(part, Mapping):
        heard.say(part.get("text"))
        heard.reason(part.get("thinking"))


def _use(heard: Heard, usage: object) -> None:
    if isinstance(usage, Mapping):
        counts = [count for name in _INPUT if isinstance(count := usage.get(name), int)]
        heard.use(sum(counts) if counts else None, usage.get("output_tokens"))
