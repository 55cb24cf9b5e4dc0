"""The same against somebody else's idea of both providers: a mock that we did not write, over a real socket."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable

import pytest
from llmock.pytest_plugin import LLMock

from capture.record import CallOutcome
from railbird.agenthost.models.endpoint import ApiKey, Dialect, Endpoint
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.models.shelf import Shelf
from tests.agenthost.models.asking import KEY, PROMPT, SCHEMA

NAMES = {Dialect.OPENAI: ("openai", "gpt-4o-mini"), Dialect.ANTHROPIC: ("anthropic", "claude-sonnet-4-5")}
Fault = Callable[[LLMock], object]


@pytest.fixture(params=Dialect, ids=lambda dialect: dialect.value)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Both of them."""
    found: Dialect = request.param
    return found


async def _ask(llmock: LLMock, dialect: Dialect, *, within_s: float = 30.0, schema: bool = False) -> Reply:
    provider, model = NAMES[dialect]
    base_url = llmock.base_url(provider)
    async with Shelf(random.Random(3)) as shelf:
        endpoint = Endpoint(base_url, model, dialect, key=ApiKey(KEY))
        request = ModelRequest(PROMPT, max_tokens=200, answer_schema=SCHEMA if schema else None)
        return await shelf.model(endpoint).ask(request, asyncio.get_running_loop().time() + within_s)


async def test_a_reply_is_read(llmock: LLMock, dialect: Dialect) -> None:
    """Its text and its tokens."""
    llmock.reply('{"action": "fold"}')
    reply = await _ask(llmock, dialect)
    assert reply.completion == '{"action": "fold"}'
    assert reply.calls[0].input_tokens and reply.calls[0].output_tokens
    assert b"fold" in reply.calls[0].response_body


async def test_an_answer_by_schema_fits_it(llmock: LLMock) -> None:
    """As the mock fills the schema in."""
    reply = await _ask(llmock, Dialect.OPENAI, schema=True)
    assert reply.completion is not None
    assert set(json.loads(reply.completion)) == {"action"}


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (lambda mock: mock.truncate(after_chunks=2), CallOutcome.CUT_SHORT),
        (lambda mock: mock.context_overflow(times=None), CallOutcome.REFUSED),
        (lambda mock: mock.fail(401), CallOutcome.REFUSED),
    ],
)
async def test_a_fault_has_its_outcome(llmock: LLMock, dialect: Dialect, fault: Fault, outcome: CallOutcome) -> None:
    """And no second try hides it."""
    fault(llmock.reply("a rather long answer of several words, so that it comes in pieces", times=None))
    reply = await _ask(llmock, dialect)
    assert reply.calls[0].outcome is outcome and reply.completion is None


async def test_a_corrupt_event_garbles_an_answer(llmock: LLMock) -> None:
    """(The mock's corrupt event of the other API has no name, and that SDK passes over such.)"""
    llmock.reply("a rather long answer of several words").corrupt(after_chunks=2)
    reply = await _ask(llmock, Dialect.OPENAI)
    assert [call.outcome for call in reply.calls] == [CallOutcome.GARBLED]


@pytest.mark.parametrize(
    "fault", [lambda mock: mock.rate_limit(retry_after=0.1), lambda mock: mock.fail(503), lambda mock: mock.fail(529)]
)
async def test_a_passing_fault_is_waited_out(llmock: LLMock, dialect: Dialect, fault: Fault) -> None:
    """By the mock's own judgement, too: no sooner than it asked for, and not too often."""
    fault(llmock)
    reply = await _ask(llmock, dialect)
    assert len(reply.calls) == 2 and reply.completion
    llmock.assert_resilient()


async def test_a_stall_ends_at_the_deadline(llmock: LLMock, dialect: Dialect) -> None:
    """What was said so far is kept."""
    llmock.reply("a rather long answer of several words", times=None).stall(after_chunks=2, seconds=2.0)
    reply = await _ask(llmock, dialect, within_s=1.0)
    assert [call.outcome for call in reply.calls] == [CallOutcome.TIMED_OUT]


async def test_a_dropped_connection_is_no_answer(llmock: LLMock, dialect: Dialect) -> None:
    """Cut short where something was said; tried again where nothing was."""
    llmock.reply("a rather long answer of several words", times=None).disconnect(after_chunks=3)
    reply = await _ask(llmock, dialect)
    assert reply.calls[0].outcome in (CallOutcome.CUT_SHORT, CallOutcome.UNREACHABLE)
