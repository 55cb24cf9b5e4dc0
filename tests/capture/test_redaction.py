"""What is redacted of a turn before it is kept, and what stays exact."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from capture.record import MissingReason
from capture.redaction import CREDENTIAL_NAMES, Redactor
from policy.errors import PolicyRefusal
from policy.redaction_policy import Drop, Hash, Rule, Truncate
from policy.sealed import Sealed
from tests.capture.buffers import HASH_KEY, entry_of, maker
from tests.capture.turns import call, decided, turn

SECRET = "s3cret-of-this-test"
ODD = {"redacted": "drop", "rule": "(not JSON)"}


def redactor(*rules: Rule) -> Redactor:
    return Redactor(HASH_KEY, rules)


class Known(msgspec.Struct):
    board: list[str]
    notes: str


def test_knowledge_is_kept_as_it_is_encoded() -> None:
    """Anything that msgspec encodes, and half a character, too."""
    assert Redactor(HASH_KEY).knowledge(Known(["As"], "é")) == '{"board":["As"],"notes":"é"}'.encode()
    assert Redactor(HASH_KEY).knowledge([]) == b"[]"
    odd = Redactor(HASH_KEY).knowledge({"said": "\ud83d\x00"})
    assert isinstance(odd, bytes) and json.loads(odd) == {"said": "\ud83d\x00"}


@pytest.mark.parametrize("odd", [object(), Sealed(SECRET), {"a": Sealed(SECRET)}, {"a": {1, object()}}])
def test_knowledge_that_cannot_be_encoded_is_redacted(odd: object) -> None:
    """The rest of the turn is kept; a sealed card is in no record."""
    assert Redactor(HASH_KEY).knowledge(odd) is MissingReason.REDACTED
    assert SECRET.encode() not in entry_of(turn(knowledge=odd)).record


def test_rules_apply_to_knowledge_by_path() -> None:
    """Drop, hash and truncate; a rule for all of it leaves a reason."""
    rules: list[Rule] = [Drop("knowledge.notes"), Hash("knowledge.rival"), Truncate("knowledge.chat", keep=2)]
    redacted = redactor(*rules).knowledge({"notes": SECRET, "rival": "bob", "chat": "hello", "pot": 3})
    assert isinstance(redacted, bytes)
    kept: Any = json.loads(redacted)
    assert kept["notes"] == {"redacted": "drop", "rule": "knowledge.notes"} and kept["pot"] == 3
    assert kept["rival"]["redacted"] == "hash" and "bob" not in str(kept)
    assert kept["chat"] == {"redacted": "truncate", "rule": "knowledge.chat", "kept": "he", "length": 5}
    assert redactor(Drop("knowledge")).knowledge({"a": 1}) is MissingReason.REDACTED
    assert redactor(Drop("decision.*.a")).knowledge({"a": 1}) == b'{"a":1}'


MESSAGES = (b'{"type": "enter", "agentToken": "s3cret-of-this-test"}', b'{"type":"action", "amount":4}')


def test_messages_stay_byte_for_byte_where_no_rule_fires() -> None:
    """Their spaces, too, and an empty list of them."""
    assert redactor(Drop("decision.*.other")).messages(MESSAGES) == MESSAGES
    assert Redactor(HASH_KEY).messages(()) == ()


def test_a_credential_in_a_message_is_redacted_by_default() -> None:
    """Under each name that is one, in the message and one level within; the mark says which rule fired."""
    first, second = Redactor(HASH_KEY).messages(MESSAGES)  # type: ignore[misc]
    assert json.loads(first) == {"type": "enter", "agentToken": {"redacted": "drop", "rule": "*.*.agentToken"}}
    assert json.loads(second) == {"type": "action", "amount": 4}
    for name in CREDENTIAL_NAMES:
        assert SECRET not in str(Redactor(HASH_KEY).messages([json.dumps({name.upper(): SECRET}).encode()]))
    assert redactor(Drop("decision")).messages(MESSAGES) is MissingReason.REDACTED
    assert redactor(Drop("decision.1")).messages(MESSAGES) == (
        json.dumps(json.loads(MESSAGES[0]), separators=(",", ":")).encode(), b'{"redacted":"drop","rule":"decision.1"}',
    )  # fmt: skip


@pytest.mark.parametrize("odd", [SECRET.encode(), b'{"a": 1', b"\xff", b"", b"1,2", b'{"a":NaN}', b"[" * 99_999])
def test_a_message_that_is_no_json_has_a_mark(odd: bytes) -> None:
    """Nobody can say what it holds; the messages beside it are kept."""
    kept = Redactor(HASH_KEY).messages([odd, b'{"b":2}'])
    assert isinstance(kept, tuple) and json.loads(kept[1]) == {"b": 2} and len(kept) == 2
    assert json.loads(kept[0]) in (ODD, {"a": ODD}) and SECRET not in str(kept)


def test_half_a_character_in_a_message_is_kept() -> None:
    """JSON can write it."""
    (kept,) = Redactor(HASH_KEY).messages([b'{"text":"\\ud83d\\u0000"}'])  # type: ignore[misc]
    assert json.loads(kept) == {"text": "\ud83d\x00"}


def test_arguments_and_headers_are_redacted_too() -> None:
    """Arguments by rule, headers by a list and then by rule; a header comes as often as it came."""
    rules = Redactor(HASH_KEY, (Drop("arguments.*.key"), Drop("headers.date")), frozenset({"date", "accept"}))
    assert rules.arguments({"mail": {"key": SECRET, "to": "bob"}}) == {
        "mail": {"key": {"redacted": "drop", "rule": "arguments.*.key"}, "to": "bob"}
    }
    assert redactor(Drop("arguments")).arguments({"a": 1}) is MissingReason.REDACTED
    sent = [("Date", SECRET), ("Authorization", SECRET), ("accept", "a"), ("Accept", "b")]
    headers = rules.headers(sent)
    assert [name for name, _ in headers] == ["Date", "Authorization", "accept", "Accept"]
    assert SECRET not in str(headers) and headers[2:] == (("accept", "a"), ("Accept", "b"))


def test_prompt_and_response_are_exact_whatever_the_rules() -> None:
    """They are what the model got and said."""
    said = f'{{"agentToken": "{SECRET}"}}'
    kept = maker().captured(turn(), decided(call(completion=said, response_body=said.encode())))
    assert kept.calls[0].completion == said and kept.calls[0].response_body == said.encode()


def test_a_short_hash_key_is_refused() -> None:
    """At the first turn, and not in silence."""
    with pytest.raises(PolicyRefusal):
        Redactor(b"short").knowledge({})
    assert HASH_KEY.decode() not in repr(Redactor(HASH_KEY))
