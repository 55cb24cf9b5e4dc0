"""What of a turn is redacted before it is kept: knowledge, messages, arguments and headers, each at its place in one set of rules.

    knowledge.<name>...    decision.<index>.<name>...    arguments.<name>...    headers.<name>

The gates of `policy.redaction_policy` decide; here stands what they are asked. Prompt and response are exact bytes and no
rule is applied to them: who must not read those has no turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

import msgspec

from capture.record import MissingReason
from policy import redaction_policy
from policy.errors import PolicyRefusal
from policy.redaction_policy import Drop, Hash, JsonObject, JsonValue, Rule, Truncate

CREDENTIAL_NAMES: Final = (
    "agentToken",
    "apiKey",
    "authorization",
    "cookie",
    "password",
    "secret",
    "serviceKey",
    "token",
)

DEFAULT_RULES: Final[tuple[Rule, ...]] = tuple(
    Drop(f"{place}.{name}") for place in ("*", "*.*", "*.*.*") for name in CREDENTIAL_NAMES
)
"""Behind the door, which redacts what it knows to be a credential before anybody is told of a message."""

DEFAULT_HEADERS: Final[AbstractSet[str]] = frozenset(
    {"accept", "content-encoding", "content-length", "content-type", "date", "user-agent", "x-request-id"}
)

NOT_ENCODED: Final = (TypeError, ValueError, OverflowError, RecursionError)
"""What `json_text` raises."""

_RAW: Final = msgspec.json.Decoder(msgspec.Raw)
_KNOWLEDGE: Final = "knowledge"
_DECISION: Final = "decision"


def rule_of(words: str) -> Rule:
    """A rule as an operator writes it: `drop:PATH`, `hash:PATH` or `truncate:CHARACTERS:PATH`. Raises ValueError."""
    kind, _, rest = words.partition(":")
    match kind:
        case "drop":
            rule: Rule = Drop(rest)
        case "hash":
            rule = Hash(rest)
        case "truncate":
            keep, _, path = rest.partition(":")
            rule = Truncate(path, keep=int(keep))
        case _:
            raise ValueError("a rule drops, hashes or truncates")
    try:
        redaction_policy.redact_for_record(record={}, rules=[rule], hash_key=bytes(redaction_policy.LEAST_KEY_BYTES))
    except PolicyRefusal as refused:
        raise ValueError(refused.why) from None
    return rule


@dataclass(frozen=True, slots=True)
class Redactor:
    """Applies rules to the parts of turns. `hash_key`: at least `redaction_policy.LEAST_KEY_BYTES`; the gates refuse a shorter one."""

    hash_key: bytes = field(repr=False)
    rules: tuple[Rule, ...] = DEFAULT_RULES
    headers_kept: AbstractSet[str] = DEFAULT_HEADERS

    def knowledge(self, value: object) -> bytes | MissingReason:
        """JSON text of anything that msgspec encodes; what it does not encode is redacted, as is what a rule drops whole."""
        try:
            text = json_text(value)
        except NOT_ENCODED:
            return MissingReason.REDACTED
        redacted = redaction_policy.redact_text_for_record(
            text=text, place=_KNOWLEDGE, rules=self.rules, hash_key=self.hash_key
        )
        return redacted if redacted is text or not _is_dropped(json.loads(redacted)) else MissingReason.REDACTED

    def messages(self, messages: Sequence[bytes]) -> tuple[bytes, ...] | MissingReason:
        """The messages, byte for byte where no rule can fire."""
        try:
            for message in messages:
                _RAW.decode(message)
        except (msgspec.MsgspecError, RecursionError):
            return self._odd_messages(messages)
        joined = b"[%b]" % b",".join(messages)
        redacted = redaction_policy.redact_text_for_record(
            text=joined, place=_DECISION, rules=self.rules, hash_key=self.hash_key
        )
        return tuple(messages) if redacted is joined else _each(json.loads(redacted))

    def arguments(self, arguments: Mapping[str, object]) -> JsonObject | MissingReason:
        """Of a call to a tool, as they were resolved."""
        redacted = self._record("arguments", arguments)
        return redacted if isinstance(redacted, dict) and not _is_dropped(redacted) else MissingReason.REDACTED

    def headers(self, headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, JsonValue], ...]:
        """Of a request or an answer: first the list of those whose value is kept, then the rules."""
        kept = redaction_policy.keep_known_headers(headers=headers, allowed=self.headers_kept)
        return tuple((name, _member(self._record("headers", {name: value}), name)) for name, value in kept)

    def _odd_messages(self, messages: Sequence[bytes]) -> tuple[bytes, ...] | MissingReason:
        """Where a message is no JSON, or holds a lone surrogate: each by itself, and what is none has a mark."""
        return _each(self._record(_DECISION, [_parsed(message) for message in messages]))

    def _record(self, place: str, value: object) -> JsonValue:
        record = redaction_policy.redact_for_record(record={place: value}, rules=self.rules, hash_key=self.hash_key)
        return record[place]


def json_text(value: object) -> bytes:
    """JSON of anything that msgspec encodes. Raises one of NOT_ENCODED for what it does not."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can write and UTF-8 cannot
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode("ascii")


def _parsed(message: bytes) -> object:
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return message


def _each(redacted: object) -> tuple[bytes, ...] | MissingReason:
    if not isinstance(redacted, list):
        return MissingReason.REDACTED
    return tuple(json.dumps(each, separators=(",", ":")).encode("ascii") for each in redacted)


def _member(redacted: JsonValue, name: str) -> JsonValue:
    return redacted[name] if isinstance(redacted, dict) and name in redacted else redacted


def _is_dropped(redacted: object) -> bool:
    return isinstance(redacted, dict) and redacted.keys() == {"redacted", "rule"} and redacted["redacted"] == "drop"
