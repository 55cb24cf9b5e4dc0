"""Endpoints that speak as OpenAI's chat completions do, through OpenAI's own SDK. It builds a question and reads an answer.

Keys, bytes and headers are the transport's matter (`tape`), and when to ask again is `remote`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import httpx2
import openai

from capture.envelope import join
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.offer import Offer
from railbird.agenthost.models.port import ModelRequest
from railbird.agenthost.models.strict import is_closed

_REASONING: Final = ("reasoning_content", "reasoning")


class OpenAISpeech:
    """Speaks with one endpoint. `http`: its transport puts the key in, so that the SDK has none."""

    errors: tuple[type[Exception], ...] = (openai.OpenAIError,)

    def __init__(self, base_url: str, model: str, http: httpx2.AsyncClient) -> None:
        self._model = model
        self._sdk = openai.AsyncOpenAI(
            api_key="held-by-the-transport", base_url=base_url, http_client=http, max_retries=0
        )

    def body(self, request: ModelRequest, offer: Offer) -> dict[str, object]:
        """The question as JSON: one message, whose content is the joined prompt."""
        body: dict[str, object] = {
            "model": self._model,
            "messages": [{"role": "user", "content": join(request.prompt.envelope, request.prompt.remainder).decode()}],
            "stream": True,
        }
        if offer.usage:
            body["stream_options"] = {"include_usage": True}
        if request.temperature is not None and offer.temperature:
            body["temperature"] = request.temperature
        if request.seed is not None and offer.seed:
            body["seed"] = request.seed
        if request.max_tokens is not None:
            body["max_completion_tokens" if offer.new_limit else "max_tokens"] = request.max_tokens
        if request.answer_schema is not None and offer.schema:
            body["response_format"] = _format(request.answer_schema)
        return body

    async def open(self, body: Mapping[str, object], limits: httpx2.Timeout) -> openai.AsyncStream[object]:
        """Send it. Events come as plain JSON: a model of the SDK's would trust fields that may be missing."""
        return await self._sdk.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
            options={"timeout": limits, "max_retries": 0},
        )

    def take(self, heard: Heard, event: object) -> None:
        """One event of a stream."""
        self._read(heard, event, "delta")

    def take_whole(self, heard: Heard, answer: object) -> None:
        """An answer in one piece, from an endpoint that does not stream."""
        self._read(heard, answer, "message")

    def _read(self, heard: Heard, event: object, part: str) -> None:
        if not isinstance(event, Mapping):
            return
        if isinstance(usage := event.get("usage"), Mapping):
            heard.use(usage.get("prompt_tokens"), usage.get("completion_tokens"))
        if (choice := _first(event.get("choices"))) is None:
            return
        heard.events += 1
        heard.finish(choice.get("finish_reason"))
        if isinstance(said := choice.get(part), Mapping):
            heard.say(said.get("content"))
            heard.reason(next((said[name] for name in _REASONING if said.get(name)), None))


def _first(choices: object) -> Mapping[str, object] | None:
    """The first choice; none other was asked for."""
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return choices[0]
    return None


def _format(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": dict(schema), "strict": is_closed(schema)},
    }
