"""The house model is asked like any other, and is a pure function of what it is asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from capture.envelope import join
from capture.record import CallOutcome, Prompt, Purpose
from gameserver.wire.messages import YourTurn
from railbird.agenthost.house.model import HouseModel, answer, house_strategy
from railbird.agenthost.house.styles import STYLES
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.prompt import Instructions, build_prompt
from railbird.agenthost.knowledge.turn_context import build_turn_context
from railbird.agenthost.models.port import Model, ModelRequest
from railbird.agenthost.turns.clamp import clamp
from railbird.agenthost.turns.parse import Answer, parse_answer
from railbird.client import ActionKind
from tests.agenthost.story import asked, remembering


def prompt(style: str = "shark", turn: YourTurn | None = None) -> Prompt:
    context = build_turn_context(remembering().freeze(turn or asked()), Form.COMPACT)
    return build_prompt(Instructions(house_strategy(STYLES[style])), context)


async def test_it_answers_a_request_as_a_model_does() -> None:
    """Named as what it is, for nothing, and with the prompt that it was asked."""
    model: Model = HouseModel()
    request = ModelRequest(prompt(), Purpose.REPAIR, seed=3)
    reply = await model.ask(request, asyncio.get_running_loop().time() + 30)
    (call,) = reply.calls
    assert (call.provider, call.model, call.cost_usd, call.purpose) == ("house", "house", Decimal(0), Purpose.REPAIR)
    assert call.outcome is CallOutcome.ANSWERED and call.prompt == request.prompt and call.finish_reason == "stop"
    assert reply.completion == call.completion == call.response_body.decode()


@pytest.mark.parametrize("style", STYLES)
def test_its_reply_is_an_answer_that_is_legal(style: str) -> None:
    """In every style, with many dice: nothing has to be clamped."""
    turns = [asked(), asked(to_call=0, legal=[ActionKind.FOLD, ActionKind.CHECK, ActionKind.BET, ActionKind.ALL_IN])]
    for turn in turns:
        whole = prompt(style, turn)
        text = join(whole.envelope, whole.remainder)
        for seed in range(25):
            found = parse_answer(answer(text, seed))
            assert isinstance(found, Answer) and found.reasoning.startswith(f"House rules, {style}: ")
            assert clamp(found, turn).why is None


async def test_the_same_question_has_the_same_answer() -> None:
    """Whatever else stands in the request; another seed throws other dice."""
    whole = prompt("gambler")
    request = ModelRequest(whole, seed=3)
    told = {(await HouseModel().ask(each, 1e9)).completion for each in (request, replace(request, temperature=2.0))}
    assert len(told) == 1
    text = join(whole.envelope, whole.remainder)
    assert len({answer(text, seed) for seed in range(30)}) > 1


def test_nothing_but_the_joined_text_counts() -> None:
    """Where the two parts of a prompt meet makes no difference."""
    whole = prompt()
    text = join(whole.envelope, whole.remainder)
    moved = Prompt(text[:-40], text[-39:]) if text[-40:-39] == b"\n" else Prompt(text, b"")
    assert answer(join(moved.envelope, moved.remainder), 1) == answer(text, 1)


def test_a_prompt_that_says_nothing_is_given_up() -> None:
    found = parse_answer(answer(b"Hello!", None))
    assert isinstance(found, Answer) and found.action is ActionKind.FOLD and "I do not see my seat" in found.reasoning
    found = parse_answer(answer(b"[Your Turn]\naction 1, to call 0, legal fold check\n", None))
    assert isinstance(found, Answer) and found.action is ActionKind.CHECK
