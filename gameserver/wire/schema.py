"""JSON Schema of every message, from the models. It writes no file and serves none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, get_args

import msgspec

from gameserver.wire.messages import Action, AgentDecision, Inbound, Outbound, ServerMessage
from gameserver.wire.shapes import WITH_AMOUNT

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, as JSON."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
CLIENT: Final[tuple[type[Inbound], ...]] = get_args(Inbound)
SERVER: Final[tuple[type[ServerMessage], ...]] = get_args(Outbound)
_REF: Final = "#/$defs/{name}"

_AMOUNT_RULE: Final[Schema] = {
    "if": {"properties": {"action": {"enum": sorted(WITH_AMOUNT)}}},
    "then": {"required": ["amount"]},
    "else": {"properties": {"amount": False}},
}
"""`bet` and `raise` have an amount, the other actions have none."""


def schemas() -> Mapping[str, Schema]:
    """One whole schema for each message, by `client.<type>` or `server.<type>`: some types are said by both sides."""
    known = components()
    return {
        **{f"client.{tag(model)}": _schema("client", model, known) for model in CLIENT},
        **{f"server.{tag(model)}": _schema("server", model, known) for model in SERVER},
    }


def components(ref_template: str = _REF) -> Mapping[str, Schema]:
    """Every schema by the name of its model, messages and parts, with references among them, as `ref_template` places them."""
    _, found = msgspec.json.schema_components([*CLIENT, *SERVER], ref_template=ref_template)
    for model in (Action, AgentDecision):
        found[model.__name__].update(_AMOUNT_RULE)
    return found


def tag(model: type[Inbound | ServerMessage]) -> str:
    """The value of `type`."""
    return str(model.__struct_config__.tag)


def _schema(side: str, model: type[Inbound | ServerMessage], known: Mapping[str, Schema]) -> Schema:
    needed = sorted(set(_references(known[model.__name__], known)))
    whole = {"$schema": DIALECT, "$id": f"{side}.{tag(model)}.json", **known[model.__name__]}
    return {**whole, "$defs": {name: known[name] for name in needed}} if needed else whole


def _references(schema: object, known: Mapping[str, Schema]) -> Iterator[str]:
    """The names of all schemas that one refers to, also by way of others. No model refers to itself."""
    if isinstance(schema, dict):
        target = schema.get("$ref")
        if isinstance(target, str):
            name = target.rpartition("/")[2]
            yield name
            yield from _references(known[name], known)
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _references(part, known)
