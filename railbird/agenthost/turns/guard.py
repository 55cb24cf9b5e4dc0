"""Gets an answer out of a model, or the reason why there is none, in time: it asks, reads, and asks once more where that can help.

It does not wait past its deadline, whatever a model does (test_a_model_that_keeps_to_no_deadline_is_cancelled), and nothing that a model
raises gets through (test_a_model_that_raises). It sends nothing to a table.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from capture.record import Call, CallOutcome, Prompt, Purpose
from railbird.agenthost import fallback
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.knowledge.memory import TurnKnowledge
from railbird.agenthost.knowledge.prompt import build_prompt, stricter_prompt
from railbird.agenthost.knowledge.turn_context import build_turn_context
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.turns.parse import ANSWER_SCHEMA, Answer, NoSense, parse_answer

_LOG: Final = logging.getLogger(__name__)
_LEAST_FOR_REPAIR_S: Final = 0.2
_GRACE_S: Final = 0.1
"""How much longer than asked for a model may take to return; then it is cancelled."""
_DOWN: Final = frozenset({CallOutcome.UNREACHABLE, CallOutcome.RATE_LIMITED})
_REPAIRABLE: Final = frozenset({CallOutcome.ANSWERED, CallOutcome.CUT_SHORT, CallOutcome.GARBLED})


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply made sense: the last of `calls`."""

    calls: tuple[Call, ...]
    answer: Answer


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No reply made sense. `provider_down`: nobody answered there, or it takes no more."""

    calls: tuple[Call, ...]
    reason: Fallback
    provider_down: bool = False


class Guard:
    """The asking of one turn. `calls`: those that have ended so far, to be charged even where the turn is given up."""

    def __init__(self, mind: Mind, knowledge: TurnKnowledge, deadline: float) -> None:
        self.calls: tuple[Call, ...] = ()
        self._mind = mind
        self._knowledge = knowledge
        self._deadline = deadline
        self._now: Callable[[], float] = asyncio.get_running_loop().time

    async def answer(self) -> Answered | Unanswered:
        """By the deadline at the latest: seconds of the loop's clock."""
        context = build_turn_context(self._knowledge, self._mind.form)
        prompt = build_prompt(self._mind.instructions, context)
        began = self._now()
        first = await self._ask(prompt, Purpose.DECISION)
        read = _read(first)
        if isinstance(read, Answer):
            return Answered(self.calls, read)
        if _can_be_repaired(first) and self._deadline - self._now() >= max(_LEAST_FOR_REPAIR_S, self._now() - began):
            again = await self._ask(stricter_prompt(prompt, context, read.why), Purpose.REPAIR)
            read = _read(again)
            if isinstance(read, Answer):
                return Answered(self.calls, read)
            return _unanswered(again, self.calls)
        return _unanswered(first, self.calls)

    async def _ask(self, prompt: Prompt, purpose: Purpose) -> Reply:
        mind = self._mind
        request = ModelRequest(
            prompt=prompt,
            purpose=purpose,
            temperature=mind.temperature,
            seed=mind.seed,
            max_tokens=mind.max_tokens,
            answer_schema=ANSWER_SCHEMA,
        )
        reply = await self._in_time(request)
        first = len(self.calls)
        self.calls += tuple(replace(call, attempt=first + at) for at, call in enumerate(reply.calls))
        return reply

    async def _in_time(self, request: ModelRequest) -> Reply:
        """A model keeps to its deadline and raises nothing; where one does not, the turn does."""
        try:
            async with asyncio.timeout_at(self._deadline + _GRACE_S):
                return await self._mind.model.ask(request, self._deadline)
        except TimeoutError:
            return Reply((), not_asked=Fallback.TIMED_OUT)
        except Exception as failed:  # noqa: BLE001 - a fault of a model costs no more than its decision (test_a_model_that_raises)
            _LOG.error("a model failed: %s", type(failed).__name__)
            return Reply((), not_asked=Fallback.MODEL_FAILED)


def _read(reply: Reply) -> Answer | NoSense:
    if reply.completion is None:
        return NoSense("it did not come to its end")
    return parse_answer(reply.completion)


def _can_be_repaired(reply: Reply) -> bool:
    """Asking again in other words helps where something was said."""
    return bool(reply.calls) and reply.calls[-1].outcome in _REPAIRABLE


def _unanswered(reply: Reply, calls: tuple[Call, ...]) -> Unanswered:
    if not reply.calls:
        return Unanswered(calls, reply.not_asked or Fallback.MODEL_FAILED)
    outcome = reply.calls[-1].outcome
    return Unanswered(calls, fallback.of_call(outcome), provider_down=outcome in _DOWN)
