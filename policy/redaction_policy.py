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

import functools
import hashlib
import hmac
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from policy.errors import PolicyRefusal, RefusalCode

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, "JsonValue"]

LEAST_KEY_BYTES: Final = 16
MOST_LEVELS: Final = 64
"""How deep a record may nest; what is deeper is dropped."""

_PLAIN_NAME: Final = re.compile("[a-z_-][a-z0-9_-]*")
"""A name, in small letters, that JSON has one way to write, but for its case and for escapes by number."""

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
    _check_key(hash_key)
    for rule in rules:
        _check(rule)
    live = tuple((rule, tuple(rule.path.casefold().split("."))) for rule in sorted(rules, key=_strictness))
    redacted = _Walk(hash_key).value(record, live)
    return redacted if isinstance(redacted, dict) else _mark("drop", _UNKNOWN)


def redact_text_for_record(*, text: bytes, place: str, rules: Sequence[Rule], hash_key: bytes) -> bytes:
    """JSON text as it is recorded at this place; withholds what stood where a rule of `redact_for_record` leads.

    `place`: the name that the text has in its record, which paths begin with. A text in which no rule can fire comes
    back byte for byte, unread; any other is read, redacted and written anew, in ASCII. What then is no JSON has a drop mark.
    Raises PolicyRefusal as `redact_for_record` does; nothing in the text raises.
    """
    _check_key(hash_key)
    if not _can_fire(_names_needed(tuple(rules), place), text):
        return text
    redacted = redact_for_record(record={place: _read_json(text)}, rules=rules, hash_key=hash_key)
    return json.dumps(redacted[place], separators=(",", ":")).encode()


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


def _check_key(hash_key: bytes) -> None:
    if len(hash_key) < LEAST_KEY_BYTES:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, f"a hash key has at least {LEAST_KEY_BYTES} bytes")


def _check(rule: Rule) -> None:
    if type(rule) not in _STRICTEST_FIRST:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a rule drops, hashes or truncates")
    if not all(rule.path.split(".")):
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a rule's path has names with dots between them")
    if isinstance(rule, Truncate) and rule.keep < 0:
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "a text is cut to 0 characters or more")


def _find_names(rules: tuple[Rule, ...], place: str) -> frozenset[frozenset[bytes]]:
    """For each rule that can lead into this place: names that stand in a text in which it fires; none: it fires anywhere.

    Parts that are found by what they are, and not by their letters, are not asked for: `*`, and the index of a list.
    """
    for rule in rules:
        _check(rule)
    paths = [tuple(rule.path.casefold().split(".")) for rule in rules]
    inner = {rest for path in paths for rest in _step(path, place.casefold())}
    return frozenset(frozenset(part.encode() for part in rest if _PLAIN_NAME.fullmatch(part)) for rest in inner)


_names_needed: Final = functools.lru_cache(maxsize=256)(_find_names)


def _can_fire(needed: frozenset[frozenset[bytes]], text: bytes) -> bool:
    """Whether all names that a rule needs may stand in the text; yes, where it may write them by number or is no UTF-8.

    A name stands between quotes, or between dots in a name with dots; JSON has no other way to write a plain one.
    """
    if not needed:
        return False
    if b"\\u" in text or b"\x00" in text:
        return True
    try:
        small = text.decode().casefold().encode()
    except UnicodeDecodeError:
        return True
    parts = frozenset(small.replace(b".", b'"').split(b'"'))
    return any(names <= parts for names in needed)


def _read_json(text: bytes) -> object:
    """What the text says; an object that is no JSON where it says none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return ...


def _strictness(rule: Rule) -> int:
    return _STRICTEST_FIRST.index(type(rule))


_Live: TypeAlias = tuple[tuple[Rule, tuple[str, ...]], ...]
"""The rules that may yet fire at a place or within it, the strictest first, each with what is left of its path."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """One pass over a value. `odd`: what it had to drop without a rule."""

    hash_key: bytes
    odd: list[str] = field(default_factory=list)

    def value(self, value: object, live: _Live, depth: int = 0) -> JsonValue:
        """The value as it is recorded where these rules are live. `depth`: counts from the root."""
        for rule, rest in live:
            if not rest:
                return self._redacted(value, rule)
        if type(value) is str or value is None or type(value) is bool:
            return value
        if type(value) is dict:
            return self._object(value, live, depth)
        if type(value) is list or type(value) is tuple:
            return self._list(value, live, depth)
        if type(value) is int and value.bit_length() <= _MOST_BITS:
            return value
        if type(value) is float and math.isfinite(value):
            return value
        return self._dropped(_UNKNOWN)

    def _object(self, members: dict[object, object], live: _Live, depth: int) -> JsonValue:
        if depth >= MOST_LEVELS:
            return self._dropped(_TOO_DEEP)
        copied: JsonObject = {}
        for name, member in members.items():
            if type(name) is not str:
                return self._dropped(_UNKNOWN)
            copied[name] = self.value(member, _enter(live, name.casefold()), depth + 1)
        return copied

    def _list(self, items: Sequence[object], live: _Live, depth: int) -> JsonValue:
        if depth >= MOST_LEVELS:
            return self._dropped(_TOO_DEEP)
        return [self.value(item, _enter(live, str(index)), depth + 1) for index, item in enumerate(items)]

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
        whole = _Walk(self.hash_key)
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


def _enter(live: _Live, name: str) -> _Live:
    """The rules that are live one name further in."""
    return tuple((rule, rest) for rule, path in live for rest in _step(path, name))


def _step(path: tuple[str, ...], name: str) -> Iterator[tuple[str, ...]]:
    """What is left of a path after this name, in each way to take it: a name with dots in it is as many parts of the path."""
    if path[0] == "*":
        yield path[1:]
    parts = name.split(".")
    if path[: len(parts)] == tuple(parts):
        yield path[len(parts) :]
