"""The type of a field in a few words, from its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gameserver.wire.schema import Schema


def type_words(kind: Schema, named: Callable[[str], str]) -> str:
    """`named`: what to write for a part or message, by its name."""

    def words(one: Schema) -> str:
        return type_words(one, named)

    match kind:
        case {"$ref": str() as target}:
            return named(target.rpartition("/")[2])
        case {"anyOf": kinds}:
            return " or ".join(map(words, kinds))
        case {"enum": values}:
            return listed(values)
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"whole number, {least} to {most}"
        case {"type": "integer"}:
            return "whole number"
        case {"type": "array", "items": items}:
            return f"list of {words(items)}"
        case {"type": "object", "additionalProperties": dict() as values}:
            return f"object of {words(values)}"
        case {"type": "string", "maxLength": most}:
            return f"text, at most {most} characters"
        case {"type": "string"}:
            return "text"
        case {"type": str() as name}:
            return name
        case _:
            raise AssertionError("a type that has no words yet")


def listed(words: Sequence[Any]) -> str:
    """The words of a closed list."""
    return " ".join(f"`{str(word).lower() if isinstance(word, bool) else word}`" for word in words)
