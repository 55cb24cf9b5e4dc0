"""As much of TOML as a hand history needs: one key and its value a line. It knows nothing of hands."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Value: TypeAlias = bool | int | str | datetime.time | Sequence[int] | Sequence[str]


def toml_text(pairs: Iterable[tuple[str, Value]]) -> str:
    """A TOML document. Keys are bare ones."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in pairs)


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, datetime.time):
        return value.isoformat("seconds")
    return _list(value)


def _list(values: Sequence[int] | Sequence[str]) -> str:
    """Numbers in one line, texts in a line each."""
    items = [_value(item) for item in values]
    if any(isinstance(item, str) for item in values):
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    return "[" + ", ".join(items) + "]"


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, and DEL has to be escaped in TOML only."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
