"""What a model's reply says: tolerant of how it is wrapped, strict about what it means.

Only the model's own reply is read. An object that has a field twice means two things, and is not guessed at.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from railbird.client import ActionKind

ANSWER_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "action": {"type": "string", "enum": [action.value for action in ActionKind]},
        "amount": {"type": ["integer", "null"]},
    },
    "required": ["reasoning", "action", "amount"],
    "additionalProperties": False,
}
"""The answer, for providers that can be held to a schema."""

_MOST_CHARACTERS: Final = 100_000
"""Of a longer reply its end is read: an answer follows the reasoning."""
_MOST_TRIES: Final = 200
_REASONED: Final = re.compile(r"<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_ACTION_KEYS: Final = ("action", "decision", "move", "choice")
_AMOUNT_KEYS: Final = ("amount", "raise_to", "bet", "size", "total", "chips")
_REASONING_KEYS: Final = ("reasoning", "thought", "thoughts", "reason", "explanation", "analysis", "rationale")
_BY_WORD: Final[Mapping[str, ActionKind]] = {
    **{action.value: action for action in ActionKind},
    "allin": ActionKind.ALL_IN,
    "shove": ActionKind.ALL_IN,
    "jam": ActionKind.ALL_IN,
    "raise_to": ActionKind.RAISE,
    "bet_to": ActionKind.BET,
}
_WITH_AMOUNT: Final = re.compile(r"([a-z_]+?)_*(?:to_)?\$?(\d[\d,]*)(?:_?chips)?")
_NUMBER: Final = re.compile(r"\$?\s*(\d[\d,_ ]*)(?:\.0+)?\s*(?:chips?)?", re.IGNORECASE)
_DIGITS: Final = 15
_NO_ACTION: Final = "there was no JSON object with an action in it"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model chose: not yet known to be legal. `amount`: `None` where it named none, or nothing that is a number of chips."""

    action: ActionKind
    amount: int | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class NoSense:
    """The reply cannot be read as an answer; why, in words of ours that can be told to the model."""

    why: str


def parse_answer(completion: str) -> Answer | NoSense:
    """The answer in a reply: in a code fence, among prose, behind its reasoning, under another name of a field."""
    if (only := _only_object(completion)) is not None:
        return _answer(only, "")
    text = completion[-_MOST_CHARACTERS:]
    aloud = " ".join(match[2].strip() for match in _REASONED.finditer(text))
    said = _REASONED.sub(" ", text)
    objects = [found for found in _objects(said) if _value(found, _ACTION_KEYS) is not None]
    if not objects:
        return NoSense(_NO_ACTION)
    return _answer(objects[-1], aloud)


def _answer(found: Mapping[str, Any], aloud: str) -> Answer | NoSense:
    """The last object counts: a model that thinks in drafts ends with what it means."""
    if isinstance(nested := _value(found, _ACTION_KEYS), dict):  # {"decision": {"action": ..., "amount": ...}}
        found = {**found, **dict.fromkeys(_ACTION_KEYS), **nested}
    chosen = _value(found, _ACTION_KEYS)
    if chosen is None:
        return NoSense(_NO_ACTION)
    read = _action(chosen)
    if read is None:
        return NoSense("its action is none of the game's")
    action, amount_in_action = read
    amount = _chips(_value(found, _AMOUNT_KEYS))
    reasoning = _value(found, _REASONING_KEYS)
    return Answer(
        action,
        amount_in_action if amount is None else amount,
        reasoning if isinstance(reasoning, str) and reasoning else aloud,
    )


def _action(value: object) -> tuple[ActionKind, int | None] | None:
    if not isinstance(value, str):
        return None
    word = re.sub(r"[\s\-]+", "_", value.strip().lower().strip(".!\"'*"))[:40]
    if word in _BY_WORD:
        return _BY_WORD[word], None
    match = _WITH_AMOUNT.fullmatch(word)  # "raise to 80"
    if match is None or match[1] not in _BY_WORD:
        return None
    return _BY_WORD[match[1]], _chips(match[2])


def _chips(value: object) -> int | None:
    match value:
        case bool():
            return None
        case int() if value.bit_length() < 64:
            return value
        case float() if math.isfinite(value) and abs(value) < 10**_DIGITS:
            return round(value)
        case str() if (number := _NUMBER.fullmatch(value.strip()[:40])) is not None:
            digits = re.sub(r"\D", "", number[1])
            return int(digits) if len(digits) <= _DIGITS else None
        case _:
            return None


def _value(found: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((found[name] for name in names if found.get(name) is not None), None)


def _only_object(text: str) -> dict[str, Any] | None:
    """The object that is all of a reply, however long its reasoning is."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return found if end == len(text) else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, with names in small letters. What looks like one and is none is passed over."""
    start = 0
    for _ in range(_MOST_TRIES):
        start = text.find("{", start)
        if start < 0:
            return
        try:
            found, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield found
        start = end


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that is there twice has two meanings, and nobody knows which one is meant."""
    found = {name.strip().lower(): value for name, value in pairs}
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_without_doubles, strict=False)
