"""A model whose replies a test writes, behind the port that every model is behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import TypeAlias

from capture.record import Call, CallOutcome
from railbird.agenthost.models.port import ModelRequest, Reply

Line: TypeAlias = "str | CallOutcome | Reply | Exception | Callable[[ModelRequest, float], Awaitable[str]]"
"""A completion, a way to fail, a whole reply, a fault, or what makes a completion."""


def call_of(
    request: ModelRequest, completion: str | None, outcome: CallOutcome = CallOutcome.ANSWERED, attempt: int = 0
) -> Call:
    return Call(
        attempt=attempt,
        purpose=request.purpose,
        outcome=outcome,
        provider="scripted",
        model="script-1",
        prompt=request.prompt,
        request_body=b"{}",
        response_body=b"" if completion is None else completion.encode("utf-8", "surrogatepass"),
        completion=completion,
        finish_reason=None if completion is None else "stop",
        input_tokens=10,
        output_tokens=5,
        cost_usd=Decimal("0.001"),
        latency_ms=1,
    )


class ScriptedModel:
    """Says its lines in order, the last one again and again; `after_s` each. `requests`: what it was asked."""

    provider = "scripted"
    name = "script-1"

    def __init__(self, *lines: Line, after_s: float = 0.0) -> None:
        self.requests: list[ModelRequest] = []
        self.deadlines: list[float] = []
        self._lines = lines or ('{"reasoning": "because", "action": "fold", "amount": null}',)
        self._after_s = after_s

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        line = self._lines[min(len(self.requests), len(self._lines) - 1)]
        self.requests.append(request)
        self.deadlines.append(deadline)
        if self._after_s:
            await asyncio.sleep(self._after_s)
        match line:
            case str():
                return Reply((call_of(request, line),))
            case CallOutcome():
                return Reply((call_of(request, None, line),))
            case Reply():
                return line
            case Exception():
                raise line
            case _:
                return Reply((call_of(request, await line(request, deadline)),))
