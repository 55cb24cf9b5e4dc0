"""Whether a JSON Schema is one that providers can hold a model to strictly: every object closed, every property required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def is_closed(schema: object) -> bool:
    """True where no object in it is open and no property may be left out."""
    return all(_is_closed_object(part) for part in _parts(schema) if part.get("type") == "object")


def _is_closed_object(part: Mapping[str, object]) -> bool:
    properties, required = part.get("properties", {}), part.get("required", [])
    named = isinstance(properties, Mapping) and isinstance(required, list | tuple) and set(properties) == set(required)
    return named and part.get("additionalProperties") is False


def _parts(schema: object) -> Iterator[Mapping[str, object]]:
    if isinstance(schema, Mapping):
        yield schema
        for inner in schema.values():
            yield from _parts(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            yield from _parts(inner)
