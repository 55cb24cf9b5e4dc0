"""What each message of a client may hold, read from the models once, at import.

The models say it all; this module turns each field into two questions (is it of the right JSON type, is it a permitted value),
because a sender is told which of the two went wrong, and msgspec's own errors do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

import msgspec.inspect

from gameserver.errors import Bug, ErrorCode
from gameserver.wire import fields
from gameserver.wire.messages import Action, AgentDecision, Inbound
from gameserver.wire.text import encodable, refusal_of_text
from gameserver.words import ActionKind

TYPE: Final = "type"
REQUEST_ID: Final = "requestId"
WITH_AMOUNT: Final = frozenset({ActionKind.BET.value, ActionKind.RAISE.value})

Check = Callable[[Any], ErrorCode | None]
"""Why a value of the right type may not be taken, or None."""


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One field by its name on the wire. `json_type`: `int`, `str` or `bool`."""

    name: str
    required: bool
    json_type: type
    check: Check
    expected: str
    """For people."""

    def has_right_type(self, value: object) -> bool:
        """`True` is no whole number, and nothing is null."""
        return type(value) is self.json_type


@dataclass(frozen=True, slots=True)
class MessageShape:
    """One message. `bet_and_raise_only`: a field that two actions need and that the others have not, or None."""

    model: type[Inbound]
    fields: Mapping[str, FieldShape]
    names: frozenset[str]
    required: tuple[str, ...]
    bet_and_raise_only: str | None

    def unknown(self, message: Mapping[str, object]) -> bool:
        """Whether there is a field that this message has not."""
        if not message.keys() <= self.names:
            return True
        return self._amount_belongs(message) is False and self.bet_and_raise_only in message

    def missing(self, message: Mapping[str, object]) -> str | None:
        """The first field that is not there and must be, or None."""
        for name in self.required:
            if name not in message:
                return name
        if self._amount_belongs(message) is True and self.bet_and_raise_only not in message:
            return self.bet_and_raise_only
        return None

    def _amount_belongs(self, message: Mapping[str, object]) -> bool | None:
        """None where it cannot be said: a message without an amount, or an action that is none."""
        action = message.get("action")
        if self.bet_and_raise_only is None or not isinstance(action, str) or action not in _ACTIONS:
            return None
        return action in WITH_AMOUNT


_ACTIONS: Final = frozenset(kind.value for kind in ActionKind)


def _field_shape(field: msgspec.inspect.Field) -> FieldShape:
    if isinstance(field.type, msgspec.inspect.Metadata):
        json_type, check, expected = _reading(field.type.type, field.type.extra or {})
    else:
        json_type, check, expected = _reading(field.type, {})
    return FieldShape(field.encode_name, field.required, json_type, check, expected)


def _reading(kind: msgspec.inspect.Type, extra: Mapping[str, Any]) -> tuple[type, Check, str]:
    match kind:
        case msgspec.inspect.IntType(ge=int() as least, le=int() as most):
            return int, _in_range(least, most), f"a whole number from {least} to {most}"
        case msgspec.inspect.EnumType(cls=words):
            return str, _one_of(frozenset(word.value for word in words)), _listed(words)
        case msgspec.inspect.LiteralType(values=(True,)):
            return bool, _one_of(frozenset({True})), "true"
        case msgspec.inspect.LiteralType(values=words):
            return str, _one_of(frozenset(words)), _listed(words)
        case msgspec.inspect.StrType(pattern=str() as pattern):
            return str, _of_form(pattern), f"text of the form {pattern}"
        case msgspec.inspect.StrType() if extra.get(fields.KIND) == fields.OPAQUE:
            return str, _opaque, "text without a lone surrogate or NUL"
        case msgspec.inspect.StrType() if fields.MAX_CHARACTERS in extra:
            return str, _text(extra), f"text of at most {extra[fields.MAX_CHARACTERS]} characters"
        case _:
            raise Bug("a field of a client's message has a type or bounds that the decoder does not know")


def _listed(words: Iterable[object]) -> str:
    return "one of " + ", ".join(str(word) for word in words)


def _in_range(least: int, most: int) -> Check:
    return lambda value: None if least <= value <= most else ErrorCode.OUT_OF_RANGE


def _one_of(words: frozenset[object]) -> Check:
    return lambda value: None if value in words else ErrorCode.BAD_VALUE


def _of_form(pattern: str) -> Check:
    form = re.compile(pattern)
    return lambda value: None if form.fullmatch(value) else ErrorCode.BAD_VALUE


def _opaque(value: str) -> ErrorCode | None:
    return None if encodable(value) else ErrorCode.BAD_TEXT


def _text(extra: Mapping[str, Any]) -> Check:
    must_be_visible = extra[fields.KIND] == fields.SPOKEN
    max_characters, max_bytes = extra[fields.MAX_CHARACTERS], extra[fields.MAX_BYTES]
    return lambda value: refusal_of_text(
        value, must_be_visible=must_be_visible, max_characters=max_characters, max_bytes=max_bytes
    )


def _message_shape(model: type[Inbound]) -> MessageShape:
    info = msgspec.inspect.type_info(model)
    assert isinstance(info, msgspec.inspect.StructType)
    shapes = [_field_shape(field) for field in info.fields]
    return MessageShape(
        model=model,
        fields={shape.name: shape for shape in shapes},
        names=frozenset(shape.name for shape in shapes) | {TYPE},
        required=tuple(shape.name for shape in shapes if shape.required),
        bet_and_raise_only="amount" if model in (Action, AgentDecision) else None,
    )


SHAPES: Final[Mapping[str, MessageShape]] = {
    str(model.__struct_config__.tag): _message_shape(model) for model in get_args(Inbound)
}
"""By the value of `type`."""
