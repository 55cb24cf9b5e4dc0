"""A model's reply is read tolerantly; what it decides is read from the reply and from nowhere else."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railbird.agenthost.turns.parse import ANSWER_SCHEMA, Answer, NoSense, parse_answer
from railbird.client import ActionKind
from tests.policy.hostile_text import hostile_strings, text_of

RAISE = Answer(ActionKind.RAISE, 80, "top pair")
PLAIN = '{"reasoning": "top pair", "action": "raise", "amount": 80}'


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\n",
        f"Let me see. The pot is 120.\n\n{PLAIN}\n\nGood luck!",
        f"<think>Fold? {{'action': 'fold'}} no. {{\"action\": \"fold\"}}</think>{PLAIN}",
        f'First I thought {{"action": "fold"}} but no:\n{PLAIN}',
        '{"thought": "top pair", "decision": "RAISE", "raise_to": "80"}',
        '{"reasoning": "top pair", "action": "raise to 80"}',
        '{"reasoning": "top pair", "action": "Raise", "amount": 80.0}',
        '{"reasoning": "top pair", "action": "raise", "amount": "$80"}',
        '{"reasoning": "top pair", "action": "raise", "amount": "80 chips"}',
        '{"Reasoning": "top pair", "Action": "raise", "Amount": 80}',
        '{"reasoning": "top pair", "decision": {"action": "raise", "amount": 80}}',
        '{"reasoning": "top\npair", "action": "raise", "amount": 80}'.replace("\n", " "),
        f"{{ I think }} {PLAIN}",
        "\ufeff" + PLAIN,
    ],
)
def test_an_answer_is_found_however_it_is_wrapped(reply: str) -> None:
    assert parse_answer(reply) == RAISE


@pytest.mark.parametrize(
    ("word", "action"),
    [
        ("fold", ActionKind.FOLD),
        ("Check.", ActionKind.CHECK),
        (" CALL ", ActionKind.CALL),
        ("all-in", ActionKind.ALL_IN),
        ("All In", ActionKind.ALL_IN),
        ("allin", ActionKind.ALL_IN),
        ("shove", ActionKind.ALL_IN),
        ("bet", ActionKind.BET),
    ],
)
def test_an_action_is_known_by_its_usual_spellings(word: str, action: ActionKind) -> None:
    assert parse_answer(json.dumps({"action": word})) == Answer(action, None, "")


@pytest.mark.parametrize(
    ("amount", "read"),
    [
        (80, 80),
        (80.4, 80),
        ("1,200", 1_200),
        ("1 200 chips", 1_200),
        (-5, -5),
        (0, 0),
        (True, None),
        (None, None),
        ([80], None),
        ("much", None),
        ("half the pot", None),
        (2**70, None),
        (1e300, None),
        ("9" * 30, None),
    ],
)
def test_an_amount_is_a_number_of_chips_or_none(amount: object, read: int | None) -> None:
    """What is none is left to the clamp, and no number is made of it."""
    assert parse_answer(json.dumps({"action": "raise", "amount": amount})) == Answer(ActionKind.RAISE, read, "")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_python_takes_for_a_number_is_no_amount(word: str) -> None:
    assert parse_answer(f'{{"action": "raise", "amount": {word}}}') == Answer(ActionKind.RAISE, None, "")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would fold.",
        "null",
        "[]",
        "{}",
        '{"action": null}',
        '{"action": 7}',
        '{"action": "dance"}',
        '{"action": ["fold"]}',
        '{"reasoning": "cut sho',
        '{"action": "fold", "action": "raise", "amount": 80}',
        '{"action": "fold", "Action": "raise", "amount": 80}',
        '{"decision": {"action": {"action": {"action": 1}}}}',
        '<think>{"action": "fold"}</think>',
        '{"action":' * 900 + "1" + "}" * 900,
        '{"a":' * 5_000,
        "{" * 100_000,
        '{"action": "fold", "amount": ' + "9" * 5_000 + "}",
        "[" * 100_000,
    ],
    ids=lambda reply: reply[:30],
)
def test_what_is_no_answer_makes_no_sense(reply: str) -> None:
    """It is not guessed at, and nothing is raised."""
    assert isinstance(parse_answer(reply), NoSense)


def test_reasoning_before_the_answer_is_taken_where_the_answer_has_none() -> None:
    assert parse_answer('<think> two outs </think>{"action": "fold"}') == Answer(ActionKind.FOLD, None, "two outs")


def test_a_huge_reply_is_read_in_no_time() -> None:
    """Two megabytes, of the worst kinds: the end is read."""
    began = time.monotonic()
    for filling in ("x", "{", '{"a":"', '{"action": "fold", "x": ', "}{"):
        reply = filling * (2_000_000 // len(filling)) + PLAIN
        found = parse_answer(reply)
        assert found == RAISE or isinstance(found, NoSense)
    assert time.monotonic() - began < 20


def test_the_hostile_strings_are_taken_as_reasoning() -> None:
    """A model's own words are recorded as they are, and decide nothing beside the action."""
    for entry in hostile_strings(where="reasoning"):
        text = text_of(entry)
        reply = json.dumps({"reasoning": text, "action": "check", "amount": None})
        assert parse_answer(reply) == Answer(ActionKind.CHECK, None, text), entry["id"]


@given(st.text(max_size=200))
def test_no_reply_raises(reply: str) -> None:
    parse_answer(reply)
    parse_answer('{"action": ' + reply)
    parse_answer(json.dumps({"action": reply, "amount": reply, "reasoning": 1}))


def test_the_schema_asks_for_what_is_read() -> None:
    """Structured output of a provider is an answer."""
    properties = ANSWER_SCHEMA["properties"]
    assert isinstance(properties, dict) and list(properties) == ["reasoning", "action", "amount"]
    assert properties["action"]["enum"] == [action.value for action in ActionKind]
