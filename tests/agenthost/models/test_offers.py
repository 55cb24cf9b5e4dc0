"""What an endpoint does not take is given up once, and only that."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from capture.record import CallOutcome
from railbird.agenthost.models.endpoint import Structured
from railbird.agenthost.models.strict import is_closed
from tests.agenthost.models.asking import SCHEMA, asking
from tests.agenthost.models.provider import Asked, Wire, answers, fails, says

ASK: dict[str, Any] = {"answer_schema": SCHEMA, "seed": 1, "temperature": 0.5, "max_tokens": 50}


def refuses(field: str, message: str, status: int = 400) -> Callable[[Asked, Wire], Awaitable[None]]:
    """An endpoint that takes everything but one field."""

    async def script(asked: Asked, wire: Wire) -> None:
        refused = fails(status, "invalid_request_error", message=message)
        await (refused if field in asked.json else says("{}"))(asked, wire)

    return script


@pytest.mark.parametrize(
    ("field", "message", "status"),
    [
        ("response_format", "Unsupported value: 'response_format.type' must be text or json_object", 400),
        ("response_format", "No.", 400),
        ("response_format", "response_format json_schema is not supported", 500),
        ("stream_options", "stream_options: Extra inputs are not permitted", 422),
        ("seed", "Unknown parameter: 'seed'.", 400),
        ("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model.", 400),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 400),
    ],
)
async def test_what_is_refused_is_left_out_and_not_tried_again(field: str, message: str, status: int) -> None:
    """The refused call is one of the reply's; the next question is right at once."""
    async with asking(refuses(field, message, status)) as them:
        first = await them.ask(**ASK)
        second = await them.ask(**ASK)
        sent = them.upstream.json()
    assert [call.outcome for call in first.calls][-1] is CallOutcome.ANSWERED
    assert [call.attempt for call in first.calls] == [*range(len(first.calls))]
    assert len(second.calls) == 1 and second.completion == "{}"
    wanted = {"response_format", "stream_options", "seed", "temperature", "max_tokens"} - {field}
    assert wanted <= set(sent)
    assert field not in sent
    assert ("max_completion_tokens" in sent) == (field == "max_tokens")


async def test_a_refusal_of_everything_teaches_nothing() -> None:
    """A prompt that is too long is not a schema that is not offered."""
    async with asking(fails(400), fails(400), fails(400), says("{}")) as them:
        refused = await them.ask(**ASK)
        assert {call.outcome for call in refused.calls} == {CallOutcome.REFUSED}
        assert len(refused.calls) == 3
        await them.ask(**ASK)
        assert {"response_format", "stream_options", "seed"} <= set(them.upstream.json())


async def test_a_schema_can_be_insisted_on() -> None:
    """Then a refusal of it is a refusal."""
    async with asking(refuses("response_format", "no response_format"), structured=Structured.YES) as them:
        call = await them.one(answer_schema=SCHEMA)
    assert call.outcome is CallOutcome.REFUSED


async def test_a_schema_can_be_left_out() -> None:
    """For endpoints that take one and answer worse for it."""
    async with asking(says("{}"), structured=Structured.NO) as them:
        await them.ask(**ASK)
        assert "response_format" not in them.upstream.json()


async def test_a_refusal_that_holds_no_json_is_one() -> None:
    """A page with status 400."""
    async with asking(answers(400, "<html>", {"Content-Type": "text/html"})) as them:
        reply = await them.ask()
    assert {call.outcome for call in reply.calls} == {CallOutcome.REFUSED}
    assert reply.calls[-1].response_body == b"<html>"


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (SCHEMA, True),
        ({"type": "object"}, False),
        ({**SCHEMA, "required": []}, False),
        ({**SCHEMA, "additionalProperties": True}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": SCHEMA}}, True),
        ({"anyOf": [SCHEMA, {"type": "object", "properties": {"x": {"type": "string"}}}]}, False),
        ({**SCHEMA, "properties": {"action": {"type": "array", "items": {"type": "object"}}}}, False),
    ],
)
def test_strictness_is_asked_for_where_the_schema_allows_it(schema: dict[str, object], closed: bool) -> None:
    """Every object closed and every property required: else a provider refuses to be strict."""
    assert is_closed(json.loads(json.dumps(schema))) is closed
