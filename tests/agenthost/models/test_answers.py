"""What a model said, and what that cost, as it stands in the record."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from capture.envelope import join
from capture.record import CallOutcome, Purpose
from tests.agenthost.models.asking import JOINED, PROMPT, SCHEMA, asking
from tests.agenthost.models.provider import SSE, Asked, Script, Wire, answers, chunk, events, says, usage


async def test_an_answer_is_put_together_from_its_pieces() -> None:
    """Text, the provider's last word and the tokens are those of the stream, and the cost is exact."""
    async with asking(says('{"action":"call"}', tokens=(1_234, 56))) as them:
        call = await them.one(purpose=Purpose.REPAIR)
    assert (call.outcome, call.completion, call.finish_reason) == (CallOutcome.ANSWERED, '{"action":"call"}', "stop")
    assert (call.input_tokens, call.output_tokens, call.cost_usd) == (1_234, 56, Decimal("0.0001458"))
    assert (call.attempt, call.purpose, call.model) == (0, Purpose.REPAIR, "tiny-1")
    assert call.provider == "127.0.0.1" and call.latency_ms >= 0


async def test_a_call_has_one_message_whose_content_is_the_joined_prompt() -> None:
    """Byte for byte, in the request that the provider got."""
    async with asking(says("{}")) as them:
        call = await them.one(temperature=0.25, seed=42, max_tokens=300, answer_schema=SCHEMA)
        sent = them.upstream.json()
    assert sent["messages"] == [{"role": "user", "content": JOINED}]
    assert JOINED.encode() == join(PROMPT.envelope, PROMPT.remainder)
    assert (sent["model"], sent["temperature"], sent["seed"], sent["max_tokens"]) == ("tiny-1", 0.25, 42, 300)
    assert sent["stream_options"] == {"include_usage": True}
    assert sent["response_format"]["json_schema"] == {"name": "answer", "schema": SCHEMA, "strict": True}
    assert call.prompt == PROMPT


async def test_what_is_not_set_is_not_sent() -> None:
    """The provider's own defaults are its matter, and no tool is ever offered."""
    async with asking(says("{}")) as them:
        await them.one()
        assert set(them.upstream.json()) == {"model", "messages", "stream", "stream_options"}


async def test_the_bytes_of_question_and_answer_are_kept() -> None:
    """What went over the wire, to the last byte, comments and odd line ends with it."""
    body = (
        b": ping\r\n\r\ndata: " + json.dumps(chunk("fold", "stop")).encode() + b"\r\n\r\ndata: [DONE]\r\n\r\n: bye\n\n"
    )
    async with asking(answers(200, body, {"Content-Type": SSE})) as them:
        call = await them.one(seed=1)
        assert call.request_body == them.upstream.asked[0].body
    assert call.response_body == body
    assert call.completion == "fold"


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_reasoning_is_no_part_of_the_answer(name: str) -> None:
    """Where a provider tells it beside the content, only the content is the completion."""
    async with asking(events(chunk(None, **{name: "Kings are good. "}), chunk("raise", "stop"))) as them:
        call = await them.one()
    assert call.completion == "raise"
    assert b"Kings are good" in call.response_body


async def test_lone_surrogates_and_nul_are_kept() -> None:
    """A half of a character that came alone stays; two halves from two events are one character."""
    async with asking(events(chunk("\ud83d"), chunk("\ude00\x00"), chunk("\udc00"), chunk(None, "stop"))) as them:
        call = await them.one()
    assert call.completion == "\U0001f600\x00\udc00"


@pytest.mark.parametrize(
    ("reports", "tokens"),
    [
        ([usage(10, 2), usage(10, 5)], (10, 5)),
        ([], (None, None)),
        ([usage("10", -1)], (None, None)),
        ([usage(True, 10**30)], (None, None)),
        ([{"choices": [], "usage": None}, usage(0, 0)], (0, 0)),
    ],
)
async def test_tokens_are_what_the_provider_said_last_or_unknown(
    reports: list[object], tokens: tuple[int | None, int | None]
) -> None:
    """Unknown is never 0, and a number that is none is unknown."""
    async with asking(events(chunk("fold"), chunk(None, "stop"), *reports)) as them:
        call = await them.one()
    assert (call.input_tokens, call.output_tokens) == tokens
    assert (call.cost_usd is None) == (tokens == (None, None))


async def test_where_the_price_is_unknown_the_cost_is_unknown() -> None:
    """It is not taken for free."""
    async with asking(says("{}"), price=None) as them:
        call = await them.one()
    assert call.cost_usd is None and call.input_tokens == 100


async def test_an_answer_in_one_piece_is_understood() -> None:
    """From an endpoint that does not stream."""
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "fold"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    async with asking(answers(200, json.dumps(whole))) as them:
        call = await them.one()
    assert (call.outcome, call.completion, call.output_tokens) == (CallOutcome.ANSWERED, "fold", 4)


async def test_an_answer_without_done_is_whole_when_the_provider_said_so() -> None:
    """`finish_reason` ends an answer, and so does `[DONE]`; one of them is enough."""
    async with asking(
        events(chunk("fold", "stop"), done=False), events(chunk("call"), done=True), events(chunk("raise", "eos"))
    ) as them:
        calls = [await them.one() for _ in range(3)]
    assert [call.outcome for call in calls] == [CallOutcome.ANSWERED] * 3
    assert [call.completion for call in calls] == ["fold", "call", "raise"]


async def test_a_report_of_usage_is_not_waited_for_long() -> None:
    """An answer that is whole is given out, though the provider keeps the line."""

    async def keeps_the_line(asked: Asked, wire: Wire) -> None:
        await events(chunk("fold", "stop"), done=False)(asked, _Endless(wire.reader, wire.writer))

    async with asking(keeps_the_line) as them:
        call = await them.one(within_s=60.0)
    assert (call.outcome, call.completion, call.input_tokens) == (CallOutcome.ANSWERED, "fold", None)
    assert call.latency_ms < 30_000


class _Endless(Wire):
    async def end(self) -> None:
        await self.writer.drain()


@pytest.mark.parametrize("script", [says("x", finish="stop")])
async def test_equal_endpoints_are_one_model_with_one_connection(script: Script) -> None:
    """A second question goes over the first one's connection."""
    async with asking(script) as them:
        await them.one()
        await them.one()
        assert len(them.upstream.asked) == 2
