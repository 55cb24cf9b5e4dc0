"""A table's options as bytes, and back.

Reading goes through the gate: what a stored row says about reveals is folded for the table's kind
(`spectator_policy.fold_reveal_options`), so a row that another hand wrote opens nothing that it may not.
"""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Final

import msgspec

from gameserver.errors import Bug
from gameserver.table.options import TableOptions
from policy import spectator_policy
from policy.spectator_policy import RevealOptions

SCHEMA: Final = 1


def write_options(options: TableOptions) -> bytes:
    """The options as JSON: an object with `schema` and a field for each of TableOptions."""
    row = {field.name: getattr(options, field.name) for field in fields(options)}
    return msgspec.json.encode({"schema": SCHEMA, **row, "powers": dict(options.powers)})


def read_options(stored: bytes) -> TableOptions:
    """The options of a stored row, reveals folded; a field that the row lacks has its default. Raises Bug for any other row."""
    try:
        row = msgspec.json.decode(stored, type=dict[str, Any])
        reveal = row.pop("reveal", None)
        known = row.pop("schema", None) == SCHEMA
        options = msgspec.convert(row, TableOptions)
    except msgspec.MsgspecError:
        raise Bug("a table's stored options cannot be read") from None
    if not known:
        raise Bug("a table's stored options have a schema that is not known here")
    return _folded(options, reveal)


def _folded(options: TableOptions, reveal: object) -> TableOptions:
    """`reveal`: whatever the row has there. It is not decoded strictly, so that a strange row opens nothing and still loads."""
    row = reveal if isinstance(reveal, dict) else {}
    stored = RevealOptions(show_hands=row.get("show_hands", False), show_thoughts=row.get("show_thoughts", False))
    permitted = spectator_policy.fold_reveal_options(table_kind=options.kind, stored=stored)
    return replace(options, reveal=permitted, powers=MappingProxyType(dict(options.powers)))
