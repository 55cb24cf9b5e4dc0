"""Anthropic's messages, through the extra's own SDK: the same kind of answers, the same faults."""

from __future__ import annotations

import json
import random
import sys
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Any

import pytest

from capture.record import CallOutcome
from railbird.agenthost.models.endpoint import Dialect, Endpoint, EndpointError
from railbird.agenthost.models.shelf import Shelf
from tests.agenthost.models.asking import JOINED, KEY, SCHEMA, Asking, asking
from tests.agenthost.models.provider import SSE, Asked, Script, Wire, answers, hangs_up, stalls


def streams(*values: dict[str, Any], cut: bool = False) -> Script:
    """Events as this API names them."""

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.head(headers={"Content-Type": SSE})
        for value in values:
            await wire.send(f"event: {value['type']}\ndata: {json.dumps(value)}\n\n")
        if cut:
            wire.cut()
        await wire.end()

    return script


def start(input_tokens: int = 20) -> dict[str, Any]:
    usage = {"input_tokens": input_tokens, "cache_read_input_tokens": 3, "output_tokens": 1}
    return {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": usage}}


def delta(kind: str, text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: text}}


def stop(reason: str | None = "end_turn", output_tokens: int = 9) -> list[dict[str, Any]]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": output_tokens}},
        {"type": "message_stop"},
    ]


def error(kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "No."}}


def asking_anthropic(*scripts: Script, **endpoint: Any) -> AbstractAsyncContextManager[Asking]:
    return asking(*scripts, dialect=Dialect.ANTHROPIC, **endpoint)


async def test_an_answer_is_put_together_from_its_pieces() -> None:
    """Thinking is apart, tokens are of both ends, and the cost is exact."""
    script = streams(
        start(), delta("thinking", "Kings."), {"type": "ping"}, delta("text", "fo"), delta("text", "ld"), *stop()
    )
    async with asking_anthropic(script) as them:
        call = await them.one()
    assert (call.outcome, call.completion, call.finish_reason) == (CallOutcome.ANSWERED, "fold", "end_turn")
    assert (call.input_tokens, call.output_tokens, call.cost_usd) == (23, 9, Decimal("0.0000059"))
    assert b"Kings." in call.response_body


async def test_a_call_has_one_message_whose_content_is_the_joined_prompt() -> None:
    """With the schema as this API wants it, the limit that it always wants, and without a seed, which it does not have."""
    async with asking_anthropic(streams(start(), delta("text", "{}"), *stop())) as them:
        call = await them.one(temperature=0.5, seed=4, answer_schema=SCHEMA)
        sent, headers = them.upstream.json(), them.upstream.asked[0].headers
        assert call.request_body == them.upstream.asked[0].body
        assert them.upstream.asked[0].target == "/v1/messages"
    assert sent == {
        "model": "tiny-1",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": JOINED}],
        "stream": True,
        "temperature": 0.5,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    assert headers["x-api-key"] == KEY and "authorization" not in headers
    assert headers["anthropic-version"]
    assert not [name for name in headers if "stainless" in name]


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        (streams(start(), delta("text", "fol"), *stop("max_tokens")), CallOutcome.CUT_SHORT),
        (streams(start(), delta("text", "I am"), *stop("refusal")), CallOutcome.REFUSED),
        (streams(start(), delta("text", "fol")), CallOutcome.CUT_SHORT),
        (streams(start(), delta("text", "fol"), cut=True), CallOutcome.CUT_SHORT),
        (streams(start(), delta("text", "fol"), error("overloaded_error")), CallOutcome.CUT_SHORT),
        (streams(start(), *stop()), CallOutcome.GARBLED),
        (streams(), CallOutcome.CUT_SHORT),
        (answers(401, json.dumps(error("authentication_error"))), CallOutcome.REFUSED),
        (answers(200, b"data: {\n\n", {"Content-Type": SSE}), CallOutcome.CUT_SHORT),
        (answers(200, b"event: message_start\ndata: {\n\n", {"Content-Type": SSE}), CallOutcome.GARBLED),
        (answers(200, b"event: message_start\ndata: []\n\n", {"Content-Type": SSE}), CallOutcome.CUT_SHORT),
    ],
)
async def test_a_fault_that_no_second_try_mends_has_its_outcome(script: Script, outcome: CallOutcome) -> None:
    """One call, and its outcome."""
    async with asking_anthropic(script) as them:
        call = await them.one()
    assert call.outcome is outcome


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        (hangs_up, CallOutcome.UNREACHABLE),
        (streams(start(), cut=True), CallOutcome.UNREACHABLE),
        (streams(error("overloaded_error")), CallOutcome.UNREACHABLE),
        (streams(error("rate_limit_error")), CallOutcome.RATE_LIMITED),
        (answers(529, json.dumps(error("overloaded_error"))), CallOutcome.UNREACHABLE),
        (answers(429, json.dumps(error("rate_limit_error"))), CallOutcome.RATE_LIMITED),
    ],
)
async def test_a_passing_fault_is_tried_again(script: Script, outcome: CallOutcome) -> None:
    """Each try is a call of its own."""
    async with asking_anthropic(script, streams(start(), delta("text", "fold"), *stop())) as them:
        reply = await them.ask()
    assert [call.outcome for call in reply.calls] == [outcome, CallOutcome.ANSWERED]


async def test_a_schema_that_is_refused_is_left_out() -> None:
    """By an older model, say."""
    refusal = answers(400, json.dumps({"error": {"message": "output_config.format: not supported on this model"}}))
    async with asking_anthropic(refusal, streams(start(), delta("text", "{}"), *stop())) as them:
        reply = await them.ask(answer_schema=SCHEMA)
        assert "output_config" not in them.upstream.json()
    assert reply.completion == "{}"


async def test_an_answer_in_one_piece_is_understood() -> None:
    """From an endpoint that does not stream."""
    whole = {
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "fold"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    async with asking_anthropic(answers(200, json.dumps(whole))) as them:
        call = await them.one()
    assert (call.outcome, call.completion, call.output_tokens) == (CallOutcome.ANSWERED, "fold", 4)


async def test_silence_ends_at_the_deadline() -> None:
    """Here as there."""
    async with asking_anthropic(stalls) as them:
        call = await them.one(within_s=0.4)
    assert call.outcome is CallOutcome.TIMED_OUT


async def test_nothing_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its headers nor its keys."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-odd: from-the-environment")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
    async with asking_anthropic(streams(start(), delta("text", "fold"), *stop()), key=None) as them:
        await them.one()
        assert "from-the-environment" not in str(them.upstream.asked[0].headers)
        assert "x-api-key" not in them.upstream.asked[0].headers


async def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, when such an endpoint is asked for."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, "railbird.agenthost.models.anthropic", raising=False)
    async with Shelf(random.Random(1)) as shelf:
        with pytest.raises(EndpointError, match=r"pip install 'railbird\[anthropic\]'"):
            shelf.model(Endpoint("http://127.0.0.1:9", "m", Dialect.ANTHROPIC))
