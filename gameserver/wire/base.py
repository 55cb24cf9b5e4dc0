"""What all messages have in common: frozen, camelCase on the wire, told apart by `type`; from a client no field that is not named."""

from __future__ import annotations

import msgspec


class Message(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """The settings of all messages. A field that has its default value is absent."""


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The settings of everything inside a message."""
