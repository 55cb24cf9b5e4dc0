"""The prompt of a turn, byte for byte, and its two parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.envelope import join
from capture.record import Prompt
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.prompt import (
    PROMPT_VERSION,
    Instructions,
    Skill,
    build_prompt,
    envelope_of,
    stricter_prompt,
)
from railbird.agenthost.knowledge.turn_context import TurnContext, build_turn_context
from tests.agenthost.story import asked, remembering, started, this_hand, whole_hand

GOLDEN = Path(__file__).parent / "golden"
INSTRUCTIONS = Instructions("Wait for good cards.\nThen bet.", (Skill("Pot odds", "Call when the price is right."),))


def context(*more: object, form: Form = Form.COMPACT) -> TurnContext:
    return build_turn_context(remembering(*more).freeze(asked()), form)


def whole(prompt: Prompt) -> bytes:
    return join(prompt.envelope, prompt.remainder)


@pytest.mark.parametrize("form", Form)
def test_the_prompt_of_a_turn_is_this_one(form: Form) -> None:
    """The bytes that a model gets; a text of ours that changes has a new version, and with it a new file."""
    prompt = build_prompt(INSTRUCTIONS, context(form=form))
    assert whole(prompt) == (GOLDEN / f"prompt-{PROMPT_VERSION}-{form.value}.txt").read_bytes()


def test_the_stricter_prompt_is_the_same_and_a_section_more() -> None:
    """The envelope stays what it was, so it is kept once; and what the model said before is not in it."""
    told = context()
    prompt = build_prompt(INSTRUCTIONS, told)
    again = stricter_prompt(prompt, told, "there was no JSON object with an action in it")
    assert again.envelope == prompt.envelope and again.remainder.startswith(prompt.remainder)
    assert whole(again) == (GOLDEN / f"prompt-{PROMPT_VERSION}-again.txt").read_bytes()


def test_the_envelope_stays_while_the_game_moves_on() -> None:
    """Every turn of a version has the same first part, however the game goes."""
    first = build_prompt(INSTRUCTIONS, context())
    later = build_prompt(INSTRUCTIONS, context(*whole_hand(2), *whole_hand(3), started(4), *this_hand(4)))
    assert first.envelope == later.envelope and first.remainder != later.remainder


@pytest.mark.parametrize(
    "changed",
    [
        Instructions("Wait for good cards.\nThen check.", INSTRUCTIONS.skills),
        Instructions(INSTRUCTIONS.strategy),
        Instructions(INSTRUCTIONS.strategy, (Skill("Pot odds", "Never call."),)),
        Instructions(INSTRUCTIONS.strategy, (Skill("Odds", "Call when the price is right."),)),
    ],
)
def test_another_strategy_or_skill_is_another_envelope(changed: Instructions) -> None:
    assert envelope_of(changed) != envelope_of(INSTRUCTIONS)


def test_an_envelope_without_instructions_is_the_base_prompt() -> None:
    assert b"[" not in envelope_of(Instructions())
