"""One strict parse of JSON text: what it read, and what it saw on the way. It knows no message.

The standard library's parser is the one parser here, because it can show duplicate keys: a second parser could read the same
bytes differently (test_there_is_one_parse).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, NoReturn

OUT_OF_BOUNDS: Final = 10**18
"""Stands for a whole number that is written with too many digits, and for minus zero: no field's range holds it."""

_MAX_DIGITS: Final = 17
_MAX_READ_DEPTH: Final = 100
"""What is nested deeper is not parsed: the parser recurses."""

# Linear: the repeats are possessive, and a string that is not closed takes the rest of the text.
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class NotJson(ValueError):
    """The text is not JSON. It says nothing of the text."""


class TooDeepToRead(ValueError):
    """The text nests so deep that it is not parsed; whether it is JSON is not known."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a text says. `depth`: how deep arrays and objects nest. A key that was there twice is not in `value`."""

    value: object
    depth: int
    duplicate_key: bool


def read(data: bytes) -> Read:
    """Parse UTF-8 that was checked before.

    Whole numbers are `int`, numbers with a point or an exponent `float` (also 40.0 and 1e3). NaN and Infinity are not JSON.
    """
    depth = depth_of(data)
    if depth > _MAX_READ_DEPTH:
        raise TooDeepToRead
    objects = _Objects()
    try:
        value: object = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=objects.take,
            parse_int=_whole_number,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError:
        raise NotJson from None
    return Read(value, depth, objects.duplicate_key)


def depth_of(data: bytes) -> int:
    """How deep brackets nest at most, brackets in strings not counted. It does not recurse, and takes any bytes."""
    if data.startswith(b"{") and data.count(b"{") == 1 and b"[" not in data:
        return 1  # nearly every message; the scan below would say the same
    deepest = depth = 0
    for bracket in _STRING.sub(b"", data).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


class _Objects:
    """Takes the parser's objects and remembers whether a key came twice."""

    __slots__ = ("duplicate_key",)

    def __init__(self) -> None:
        self.duplicate_key = False

    def take(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        taken = dict(pairs)
        if len(taken) == len(pairs):
            return taken
        self.duplicate_key = True
        times = Counter(key for key, _ in pairs)
        return {key: value for key, value in pairs if times[key] == 1}


def _whole_number(digits: str) -> int:
    # int() refuses 4,300 digits and more with a bare ValueError, and takes its time below.
    if digits == "-0" or len(digits) > _MAX_DIGITS:
        return OUT_OF_BOUNDS
    return int(digits)


def _refuse_constant(_: str) -> NoReturn:
    raise NotJson
