"""SECURITY: not display logic. What does not enter a record, decided when it is written.

Withholds credentials, identifiers and long texts from everybody who can read a record, its writer included, for good:
what a rule redacts is not stored, so no later reader, copy or backup has it.
- by rule: a place is dropped, hashed with a key, or truncated;
- by allow-list: a header that is not on the list keeps its name and loses its value;
- without a rule: what is no JSON is dropped, since nobody can say what it holds.

Redacted, and not deleted: a mark stands in the place and says which rule fired, since a field that is gone reads as one
that was not there. It looks at places and not at what a text says: a secret under a name without a rule is kept.

Holds decision 0017.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, "JsonValue"]

LEAST_KEY_BYTES: Final = 16
MOST_LEVELS: Final = 64
"""How deep a record may nest; what is deeper is dropped."""

_DOMAIN: Final = b"railbird.redaction.hash.v1\x00"
_MOST_BITS: Final = 1024
_UNKNOWN: Final = "(not JSON)"
_TOO_DEEP: Final = "(too deep)"
_NOT_ALLOWED: Final = "(header not on the list)"


@dataclass(frozen=True, slots=True)
class Drop:
    """Nothing of the value is kept. `path`: names with dots between them; `*` is any one name or list index."""

    path: str


@dataclass(frozen=True, slots=True)
class Hash:
    """A keyed hash is kept: equal values have equal ones, and without the key a short value is not guessed back."""

    path: str


@dataclass(frozen=True, slots=True)
class Truncate:
    """The first `keep` characters of a text are kept, and its length. What is no text is dropped."""

    path: str
    keep: int


Rule: TypeAlias = Drop | Hash | Truncate

_STRICTEST_FIRST: Final = (Drop, Hash, Truncate)


def redact_for_record(*, record: Mapping[str, object], rules: Sequence[Rule], hash_key: bytes) -> JsonObject:
    """A new record in which each place that a rule names holds a mark; withholds what stood there.

    Names are compared without regard to case. Where several rules name a place, the strictest one fires, and a rule
    for what encloses a place goes before one for the place.
    Marks: `{"redacted": "drop" | "hash" | "truncate", "rule": path}`, with `hash` (HMAC-SHA256 in hex, over canonical
    JSON), or with `kept` and `length` (characters). What is no JSON has a drop mark, with a rule in brackets.
    Raises PolicyRefusal (`bad_value`) for a rule that names nothing or keeps less than nothing, and for a short key.
    Nothing in the record raises.
    """
    if len(hash_key) < LEAST_KEY_BYTES:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, f"a hash key has at least {LEAST_KEY_BYTES} bytes")
    for rule in rules:
        _check(rule)
    redacted = _Walk(tuple(sorted(rules, key=_strictness)), hash_key).value(record, ())
    return redacted if isinstance(redacted, dict) else _mark("drop", _UNKNOWN)


def keep_known_headers(
    *, headers: Sequence[tuple[str, str]], allowed: AbstractSet[str]
) -> tuple[tuple[str, str | JsonObject], ...]:
    """The headers in their order; withholds the value of each one that is not on the list, and keeps its name.

    `allowed`: names, compared without regard to case. What is no text is on no list.
    """
    known = {name.lower() for name in allowed}
    return tuple(_header(name, value, known) for name, value in headers)


def _header(name: object, value: object, known: AbstractSet[str]) -> tuple[str, str | JsonObject]:
    if type(name) is not str:
        return _UNKNOWN, _mark("drop", _UNKNOWN)
    if type(value) is not str:
        return name, _mark("drop", _UNKNOWN)
    # A sign outside ASCII may have an ASCII small letter, and would get in under another header's name.
    if name.isascii() and name.lower() in known:
        return name, value
    return name, _mark("drop", _NOT_ALLOWED)


def _check(rule: Rule) -> None:
    if type(rule) not in _STRICTEST_FIRST:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a rule drops, hashes or truncates")
    if not all(rule.path.split(".")):
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a rule's path has names with dots between them")
    if isinstance(rule, Truncate) and rule.keep < 0:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a text is cut to 0 characters or more")


def _strictness(rule: Rule) -> int:
    return _STRICTEST_FIRST.index(type(rule))


@dataclass(frozen=True, slots=True)
class _Walk:
    """One pass over a value. `odd`: what it had to drop without a rule."""

    rules: tuple[Rule, ...]
    hash_key: bytes
    odd: list[str] = field(default_factory=list)

    def value(self, value: object, place: tuple[str, ...]) -> JsonValue:
        """The value as it is recorded at this place: names from the root, in small letters."""
        for rule in self.rules:
            if _fits(tuple(rule.path.casefold().split(".")), place):
                return self._redacted(value, rule)
        if type(value) is dict:
            return self._object(value, place)
        if type(value) is list or type(value) is tuple:
            return self._list(value, place)
        if value is None or type(value) is bool or type(value) is str:
            return value
        if type(value) is int and value.bit_length() <= _MOST_BITS:
            return value
        if type(value) is float and math.isfinite(value):
            return value
        return self._dropped(_UNKNOWN)

    def _object(self, members: dict[object, object], place: tuple[str, ...]) -> JsonValue:
        if len(place) >= MOST_LEVELS:
            return self._dropped(_TOO_DEEP)
        copied: JsonObject = {}
        for name, member in members.items():
            if type(name) is not str:
                return self._dropped(_UNKNOWN)
            copied[name] = self.value(member, (*place, name.casefold()))
        return copied

    def _list(self, items: Sequence[object], place: tuple[str, ...]) -> JsonValue:
        if len(place) >= MOST_LEVELS:
            return self._dropped(_TOO_DEEP)
        return [self.value(item, (*place, str(index))) for index, item in enumerate(items)]

    def _dropped(self, why: str) -> JsonObject:
        self.odd.append(why)
        return _mark("drop", why)

    def _redacted(self, value: object, rule: Rule) -> JsonObject:
        match rule:
            case Drop():
                return _mark("drop", rule.path)
            case Hash():
                return self._hashed(value, rule)
            case Truncate():
                return _truncated(value, rule)
            case _:
                assert_never(rule)

    def _hashed(self, value: object, rule: Hash) -> JsonObject:
        whole = _Walk((), self.hash_key)
        canonical = json.dumps(whole.value(value, ()), sort_keys=True, separators=(",", ":"), allow_nan=False)
        # Two values that are no JSON would look equal.
        if whole.odd:
            return _mark("drop", rule.path)
        digest = hmac.new(self.hash_key, _DOMAIN + canonical.encode("ascii"), hashlib.sha256).hexdigest()
        return {**_mark("hash", rule.path), "hash": digest}


def _truncated(value: object, rule: Truncate) -> JsonObject:
    if type(value) is not str:
        return _mark("drop", rule.path)
    return {**_mark("truncate", rule.path), "kept": value[: rule.keep], "length": len(value)}


def _mark(mode: str, rule: str) -> JsonObject:
    return {"redacted": mode, "rule": rule}


def _fits(path: tuple[str, ...], place: tuple[str, ...]) -> bool:
    """Whether a rule's path leads to the place. A name with dots in it is met by as many parts of the path."""
    if not place:
        return not path
    return any(
        _fits(path[taken:], place[1:])
        for taken in range(1, len(path) + 1)
        if path[:taken] == ("*",) or ".".join(path[:taken]) == place[0]
    )
