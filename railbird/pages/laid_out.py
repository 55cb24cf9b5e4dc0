"""JSON of an agent's program, read as far as a reader takes it, and laid out in lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_WIDE: Final = 100
_MOST_LAID_OUT: Final = 100_000
_DEEPEST: Final = 12


def read_json(written: bytes) -> Any:
    """JSON, lone surrogates included; None for what no reader takes: too deep, too large a number, no JSON at all."""
    try:
        return json.loads(written.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None


def is_shallow(value: object, deepest: int = _DEEPEST) -> bool:
    """Whether it nests no deeper than people read."""
    match value:
        case dict() | list():
            below = value.values() if isinstance(value, dict) else value
            return deepest > 0 and all(is_shallow(each, deepest - 1) for each in below)
        case _:
            return True


def laid_out(value: object) -> str:
    """A text as it is; anything else as JSON, what fits a line on one line. `value`: shallow."""
    if isinstance(value, str):
        return value
    flat = _flat(value)
    return flat if len(flat) > _MOST_LAID_OUT else _indented(value, "")


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _indented(value: object, indent: str) -> str:
    flat = _flat(value)
    if len(flat) + len(indent) <= _WIDE or not isinstance(value, dict | list):
        return flat
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(f"{indent}  {line}" for line in _lines(value, f"{indent}  "))
    return f"{opening}\n{lines}\n{indent}{closing}"


def _lines(value: dict[Any, Any] | list[Any], indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{_flat(name)}: {_indented(each, indent)}" for name, each in value.items())
    else:
        yield from (_indented(each, indent) for each in value)
