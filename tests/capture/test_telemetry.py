"""Spans of captured turns say what the conventions for generative AI say, and no content unless it is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from capture.captured import CapturedTurn
from capture.record import CallOutcome, Decided, FinishedTurn, Move, Prompt, Purpose
from capture.telemetry import CALL, MAPPING_VERSION, TURN, Telemetry
from tests.capture.buffers import maker
from tests.capture.turns import NOON_US, call, decided, key, turn

CUT = call(outcome=CallOutcome.CUT_SHORT, latency_ms=300, finish_reason="length", output_tokens=None, cost_usd=None)
REPAIR = call(attempt=1, purpose=Purpose.REPAIR, latency_ms=400, cost_usd=Decimal("0.10"))


def captured(finished: FinishedTurn) -> CapturedTurn:
    assert isinstance(finished.outcome, Decided)
    return maker().captured(finished, finished.outcome)


def spans_of(finished: FinishedTurn, *, with_content: bool = False) -> Sequence[ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    Telemetry(provider.get_tracer("test"), with_content=with_content).turn_captured(captured(finished))
    return exporter.get_finished_spans()


def test_a_turn_is_a_span_with_its_calls_within() -> None:
    """Names, kinds, parents and times; a call that failed is an error of its kind."""
    first, second, whole = spans_of(turn(outcome=decided(CUT, REPAIR)))
    assert [each.name for each in (first, second, whole)] == ["chat gpt-x", "chat gpt-x", "invoke_agent"]
    assert whole.context is not None and whole.parent is None
    assert all(each.parent is not None and each.parent.span_id == whole.context.span_id for each in (first, second))
    end_ns = NOON_US * 1000
    assert (whole.start_time, whole.end_time) == (end_ns - 800_000_000, end_ns)
    assert (first.start_time, first.end_time) == (end_ns - 700_000_000, end_ns - 400_000_000)
    assert (second.start_time, second.end_time) == (end_ns - 400_000_000, end_ns)
    assert (first.status.status_code, second.status.status_code) == (StatusCode.ERROR, StatusCode.UNSET)


def test_the_mapping_table() -> None:
    """Every attribute that a whole turn has without content, and the version of the table in each span."""
    first, second, whole = spans_of(turn(outcome=decided(CUT, REPAIR)))
    assert dict(whole.attributes or {}) == {
        "railbird.mapping.version": MAPPING_VERSION, "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.id": "a1",
        "gen_ai.agent.version": "v1", "gen_ai.conversation.id": "t1:7", "railbird.action_index": 3,
        "railbird.prompt.version": "p1", "railbird.verdict": "as_chosen", "railbird.history_gap": False,
    }  # fmt: skip
    attributes = dict(second.attributes or {})
    assert len(str(attributes.pop("railbird.prompt.sha256"))) == 64
    assert attributes == {
        "railbird.mapping.version": MAPPING_VERSION, "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x", "gen_ai.request.temperature": 0.5, "gen_ai.request.seed": 7,
        "gen_ai.request.max_tokens": 400, "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 900, "gen_ai.usage.output_tokens": 40, "gen_ai.agent.id": "a1",
        "gen_ai.agent.version": "v1", "railbird.call.purpose": "repair", "railbird.call.attempt": 1,
        "railbird.cost_usd": "0.10",
    }  # fmt: skip
    cut = dict(first.attributes or {})
    assert cut["error.type"] == "cut_short" and not {"gen_ai.usage.output_tokens", "railbird.cost_usd"} & cut.keys()


PLANTED: Any = {
    "knowledge": {"note": "planted-known"},
    "outcome": decided(
        call(prompt=Prompt(b"planted-envelope", b"planted-rest"), completion="planted-said", request_body=b"planted-body"),
        chosen=Move("planted-bet", 9),
    ),
}  # fmt: skip


def test_no_content_is_in_a_span_by_default() -> None:
    """No prompt, response, knowledge, action or message; with content asked for, prompt and completion are whole."""
    finished = turn(**PLANTED)
    without = "".join(span.to_json() for span in spans_of(finished))
    assert "planted" not in without
    within = spans_of(finished, with_content=True)
    asked, said = (
        json.loads(str((within[0].attributes or {})[f"gen_ai.{way}.messages"])) for way in ("input", "output")
    )
    assert asked[0]["parts"][0]["content"] == "planted-envelope\nplanted-rest"
    assert said[0] == {
        "role": "assistant",
        "parts": [{"type": "text", "content": "planted-said"}],
        "finish_reason": "stop",
    }
    assert (within[1].attributes or {})["railbird.knowledge"] == '{"note":"planted-known"}'


def test_a_turn_of_which_little_is_known_has_fewer_attributes() -> None:
    """Nothing stands for what is not known; half a character harms no exporter."""
    spans = spans_of(
        turn(
            key("a\ud83d"), decided(call(completion=None, finish_reason=None, model="m\ud83d")),
            agent_version_id=None, prompt_version=None, temperature=None, seed=None, max_tokens=None,
        ),
        with_content=True,
    )  # fmt: skip
    names = {name for span in spans for name in span.attributes or {}}
    assert not names & {"gen_ai.agent.version", "gen_ai.output.messages", "gen_ai.response.finish_reasons"}
    assert spans[0].name == "chat m?" and (spans[1].attributes or {})["gen_ai.agent.id"] == "a?"
    (only,) = spans_of(turn(outcome=Decided((), 0, Move("call"), Move("call"))))
    assert only.name == "invoke_agent"


def test_no_attribute_is_mapped_twice() -> None:
    """One table a kind of span, and one line a name."""
    for table in (TURN, CALL):
        names = [each.name for each in table]
        assert len(set(names)) == len(names)
