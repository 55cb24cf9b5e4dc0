"""An answer, or the reason why there is none, in time, whatever a model does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from capture.record import CallOutcome, Purpose
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.turns.guard import Answered, Guard, Unanswered
from railbird.agenthost.turns.parse import ANSWER_SCHEMA
from railbird.client import ActionKind
from tests.agenthost.scripted import ScriptedModel, call_of
from tests.agenthost.story import asked, remembering

CALLS = '{"reasoning": "cheap", "action": "call", "amount": null}'
LONG_S = 30.0


async def answer(model: ScriptedModel, left_s: float = LONG_S, **mind: float) -> Answered | Unanswered:
    deadline = asyncio.get_running_loop().time() + left_s
    guard = Guard(replace(Mind(model), **mind), remembering().freeze(asked()), deadline)  # type: ignore[arg-type]
    async with asyncio.timeout(60):
        found = await guard.answer()
    assert found.calls == guard.calls
    return found


async def test_a_reply_that_makes_sense_is_the_answer() -> None:
    model = ScriptedModel(CALLS)
    found = await answer(model)
    assert isinstance(found, Answered) and found.answer.action is ActionKind.CALL
    assert [(call.attempt, call.purpose) for call in found.calls] == [(0, Purpose.DECISION)]


async def test_a_model_is_asked_with_the_versions_parameters_and_the_deadline() -> None:
    model = ScriptedModel(CALLS)
    await answer(model, temperature=0.5, seed=7, max_tokens=300)
    (request,) = model.requests
    assert (request.temperature, request.seed, request.max_tokens) == (0.5, 7, 300)
    assert request.answer_schema is ANSWER_SCHEMA
    assert 0 < model.deadlines[0] - asyncio.get_running_loop().time() <= LONG_S


@pytest.mark.parametrize("first", ["I fold, I think.", CallOutcome.CUT_SHORT, CallOutcome.GARBLED])
async def test_a_reply_that_makes_no_sense_is_asked_for_once_more(first: str | CallOutcome) -> None:
    """With a stricter prompt that says why, in the same envelope; both calls are there, numbered through the turn."""
    model = ScriptedModel(first, CALLS)
    found = await answer(model)
    assert isinstance(found, Answered)
    assert [(call.attempt, call.purpose) for call in found.calls] == [(0, Purpose.DECISION), (1, Purpose.REPAIR)]
    before, again = model.requests
    assert again.prompt.envelope == before.prompt.envelope
    assert again.prompt.remainder.startswith(before.prompt.remainder)
    assert b"[Answer Again]\nYour last answer could not be used: " in again.prompt.remainder


async def test_a_second_reply_without_sense_is_the_end() -> None:
    """There is one repair."""
    found = await answer(model := ScriptedModel("Fold?", "Call!"))
    assert found == Unanswered(found.calls, Fallback.MADE_NO_SENSE) and len(model.requests) == 2


async def test_there_is_no_repair_without_time() -> None:
    """As long as the first call took has to be left for the second one."""
    found = await answer(model := ScriptedModel("Fold?", CALLS, after_s=0.6), left_s=1.0)
    assert found == Unanswered(found.calls, Fallback.MADE_NO_SENSE) and len(model.requests) == 1


@pytest.mark.parametrize(
    ("outcome", "down"),
    [
        (CallOutcome.TIMED_OUT, False),
        (CallOutcome.REFUSED, False),
        (CallOutcome.RATE_LIMITED, True),
        (CallOutcome.UNREACHABLE, True),
    ],
)
async def test_a_call_that_failed_is_not_repaired(outcome: CallOutcome, down: bool) -> None:
    """Other words do not help; its reason is the call's, and a provider that is down is known as such."""
    found = await answer(model := ScriptedModel(outcome))
    assert found == Unanswered(found.calls, Fallback(outcome.value), provider_down=down) and len(model.requests) == 1


async def test_a_question_that_was_not_put_has_its_reason() -> None:
    """As where the day's budget is spent: no call, no cost."""
    found = await answer(ScriptedModel(Reply((), not_asked=Fallback.BUDGET)))
    assert found == Unanswered((), Fallback.BUDGET)


async def test_a_model_that_raises() -> None:
    """A fault of a model costs its decision and nothing else."""
    assert await answer(ScriptedModel(RuntimeError("boom"))) == Unanswered((), Fallback.MODEL_FAILED)


async def test_a_model_that_keeps_to_no_deadline_is_cancelled() -> None:
    found = await answer(ScriptedModel(CALLS, after_s=3_600), left_s=0.2)
    assert found == Unanswered((), Fallback.TIMED_OUT)


async def test_retries_inside_of_a_reply_are_numbered_through_the_turn() -> None:

    class Retries(ScriptedModel):
        async def ask(self, request: ModelRequest, deadline: float) -> Reply:
            self.requests.append(request)
            failed = call_of(request, None, CallOutcome.UNREACHABLE, attempt=0)
            text = CALLS if request.purpose is Purpose.REPAIR else "Fold?"
            return Reply((failed, call_of(request, text, attempt=1)))

    found = await answer(Retries())
    assert isinstance(found, Answered)
    assert [call.attempt for call in found.calls] == [0, 1, 2, 3]
    assert [call.purpose for call in found.calls][2:] == [Purpose.REPAIR] * 2
