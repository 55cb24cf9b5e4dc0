"""Captured turns as OpenTelemetry spans after the conventions for generative AI: one mapping table, with a version of its own.

Needs the extra `otel`; nothing else of the record imports this module. Spans are made from the record, so what is redacted
there is redacted here. Prompts and completions are content: they are in no span unless somebody asks for it.

A turn is a span `invoke_agent`, each of its calls a span `chat` within it. The record has the length of a call and not its
beginning: calls are laid one after the other to the end of the turn.

    Recorder(store, maker, clock, watchers=[Telemetry(tracer).turn_captured])
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from capture.captured import CapturedCall, CapturedPrompt, CapturedTurn
from capture.record import CallOutcome

MAPPING_VERSION: Final = "railbird-genai-1"
"""Goes up with every change of the tables; each span carries it as `railbird.mapping.version`."""

Attributes: TypeAlias = dict[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class OfTurn:
    """An attribute of a turn's span. `read`: None leaves it out. `is_content`: only where content was asked for."""

    name: str
    read: Callable[[CapturedTurn], AttributeValue | None]
    is_content: bool = False


@dataclass(frozen=True, slots=True)
class OfCall:
    """An attribute of a call's span."""

    name: str
    read: Callable[[CapturedTurn, CapturedCall], AttributeValue | None]
    is_content: bool = False


TURN: Final = (
    OfTurn("railbird.mapping.version", lambda turn: MAPPING_VERSION),
    OfTurn("gen_ai.operation.name", lambda turn: "invoke_agent"),
    OfTurn("gen_ai.agent.id", lambda turn: turn.key.agent_id),
    OfTurn("gen_ai.agent.version", lambda turn: turn.agent_version_id),
    OfTurn("gen_ai.conversation.id", lambda turn: f"{turn.key.table_id}:{turn.key.hand_number}"),
    OfTurn("railbird.action_index", lambda turn: turn.key.action_index),
    OfTurn("railbird.prompt.version", lambda turn: turn.prompt_version),
    OfTurn("railbird.verdict", lambda turn: turn.verdict.outcome.value),
    OfTurn("railbird.history_gap", lambda turn: turn.history_gap),
    OfTurn("railbird.action.chosen", lambda turn: turn.chosen.action, is_content=True),
    OfTurn("railbird.action.sent", lambda turn: turn.sent.action, is_content=True),
    OfTurn("railbird.knowledge", lambda turn: _text(turn.knowledge), is_content=True),
)

CALL: Final = (
    OfCall("railbird.mapping.version", lambda turn, call: MAPPING_VERSION),
    OfCall("gen_ai.operation.name", lambda turn, call: "chat"),
    OfCall("gen_ai.provider.name", lambda turn, call: call.provider),
    OfCall("gen_ai.request.model", lambda turn, call: call.model),
    OfCall("gen_ai.request.temperature", lambda turn, call: turn.temperature),
    OfCall("gen_ai.request.seed", lambda turn, call: turn.seed),
    OfCall("gen_ai.request.max_tokens", lambda turn, call: turn.max_tokens),
    OfCall("gen_ai.response.finish_reasons", lambda turn, call: (call.finish_reason,) if call.finish_reason else None),
    OfCall("gen_ai.usage.input_tokens", lambda turn, call: call.input_tokens),
    OfCall("gen_ai.usage.output_tokens", lambda turn, call: call.output_tokens),
    OfCall("gen_ai.agent.id", lambda turn, call: turn.key.agent_id),
    OfCall("gen_ai.agent.version", lambda turn, call: turn.agent_version_id),
    OfCall("error.type", lambda turn, call: None if call.outcome is CallOutcome.ANSWERED else call.outcome.value),
    OfCall("railbird.call.purpose", lambda turn, call: call.purpose.value),
    OfCall("railbird.call.attempt", lambda turn, call: call.attempt),
    OfCall("railbird.cost_usd", lambda turn, call: None if call.cost_usd is None else str(call.cost_usd)),
    OfCall("railbird.prompt.sha256", lambda turn, call: _sha256(call)),
    OfCall("gen_ai.input.messages", lambda turn, call: _asked(call), is_content=True),
    OfCall("gen_ai.output.messages", lambda turn, call: _answered(call), is_content=True),
)


def turn_attributes(turn: CapturedTurn, *, with_content: bool) -> Attributes:
    """Of a turn's span."""
    return _there({each.name: each.read(turn) for each in TURN if with_content or not each.is_content})


def call_attributes(turn: CapturedTurn, call: CapturedCall, *, with_content: bool) -> Attributes:
    """Of the span of one of its calls."""
    return _there({each.name: each.read(turn, call) for each in CALL if with_content or not each.is_content})


class Telemetry:
    """Makes spans. `with_content`: also prompts, completions, knowledge and actions, which hold an agent's cards and strategy."""

    def __init__(self, tracer: Tracer, *, with_content: bool = False) -> None:
        self._tracer = tracer
        self._with_content = with_content

    def turn_captured(self, turn: CapturedTurn) -> None:
        """A turn's span and those of its calls, at their times."""
        end_us = turn.at_us
        span = self._tracer.start_span(
            "invoke_agent",
            kind=SpanKind.INTERNAL,
            start_time=(end_us - turn.latency_ms * 1000) * 1000,
            attributes=turn_attributes(turn, with_content=self._with_content),
        )
        within = trace.set_span_in_context(span)
        begin_us = end_us - sum(call.latency_ms for call in turn.calls) * 1000
        for call in turn.calls:
            called = self._tracer.start_span(
                f"chat {_plain(call.model)}",
                context=within,
                kind=SpanKind.CLIENT,
                start_time=begin_us * 1000,
                attributes=call_attributes(turn, call, with_content=self._with_content),
            )
            if call.outcome is not CallOutcome.ANSWERED:
                called.set_status(Status(StatusCode.ERROR, call.outcome.value))
            begin_us += call.latency_ms * 1000
            called.end(begin_us * 1000)
        span.end(end_us * 1000)


def _there(attributes: Mapping[str, AttributeValue | None]) -> Attributes:
    return {name: _sendable(value) for name, value in attributes.items() if value is not None}


def _sendable(value: AttributeValue) -> AttributeValue:
    """Exporters write UTF-8: half a character becomes a question mark."""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, Sequence):
        return [_plain(each) for each in value if isinstance(each, str)]
    return value


def _plain(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _text(part: object) -> str | None:
    return part.decode(errors="replace") if isinstance(part, bytes) else None


def _sha256(call: CapturedCall) -> str | None:
    return call.prompt.fingerprint.sha256.hex() if isinstance(call.prompt, CapturedPrompt) else None


def _asked(call: CapturedCall) -> str | None:
    if not isinstance(call.prompt, CapturedPrompt):
        return None
    said = {"type": "text", "content": call.prompt.whole.decode(errors="replace")}
    return json.dumps([{"role": "user", "parts": [said]}])


def _answered(call: CapturedCall) -> str | None:
    if call.completion is None:
        return None
    said = {"type": "text", "content": call.completion}
    return json.dumps([{"role": "assistant", "parts": [said], "finish_reason": call.finish_reason or ""}])
