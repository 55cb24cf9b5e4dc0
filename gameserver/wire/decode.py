"""Bytes from a stranger become one of our messages, or a refusal with a code of the closed list.

The order of the checks is a contract: frame, encoding, size, JSON, duplicate keys, depth, object, type, unknown fields,
missing fields, types, values. Everything after that (entered, allowed, seated, turn, legality, amount) is for who knows the
connection and the table. A refusal never repeats the sender's bytes, which may hold a token
(test_a_refusal_repeats_nothing_of_the_sender).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from gameserver.errors import Bug, ErrorCode, RailbirdError, Refusal
from gameserver.wire.fields import MAX_INBOUND_DEPTH
from gameserver.wire.messages import Inbound
from gameserver.wire.shapes import REQUEST_ID, SHAPES, TYPE, FieldShape, MessageShape
from gameserver.wire.strict_json import NotJson, Read, TooDeepToRead, read

NOT_UTF8: Final = 1007
MESSAGE_TOO_BIG: Final = 1009


class BrokenFrame(RailbirdError):
    """The frame is no message at all. `close_code` of RFC 6455: 1007 (not UTF-8) or 1009 (too big)."""

    def __init__(self, close_code: int) -> None:
        super().__init__(f"close with {close_code}")
        self.close_code = close_code


class MessageRefused(Refusal):
    """A message of the wrong shape. `request_id`: the sender's, where the message was an object with a valid one."""

    def __init__(self, code: ErrorCode, why: str = "", request_id: str | None = None) -> None:
        super().__init__(code, why)
        self.request_id = request_id


def decode(frame: str | bytes, *, max_bytes: int, binary: bool = False) -> Inbound:
    """Read one frame.

    `frame`: a text frame's payload, as text or as its bytes; `max_bytes` bounds its UTF-8. `binary`: it was a binary frame.
    Raises `MessageRefused` or `BrokenFrame`, and nothing else, for whatever bytes.
    """
    if binary:
        raise MessageRefused(ErrorCode.BINARY_FRAME, "messages are text frames")
    message = _object(_read(_utf8(frame), max_bytes))
    try:
        return _message(message)
    except MessageRefused as refused:
        refused.request_id = _request_id(message)
        raise


def _utf8(frame: str | bytes) -> bytes:
    try:
        if isinstance(frame, str):
            return frame.encode("utf-8")
        frame.decode("utf-8")
    except UnicodeError:
        raise BrokenFrame(NOT_UTF8) from None
    return frame


def _read(data: bytes, max_bytes: int) -> Read:
    if len(data) > max_bytes:
        raise BrokenFrame(MESSAGE_TOO_BIG)
    try:
        return read(data)
    except NotJson:
        raise MessageRefused(ErrorCode.BAD_JSON, "not one JSON value") from None
    except TooDeepToRead:
        raise MessageRefused(ErrorCode.TOO_DEEP, _TOO_DEEP) from None


_TOO_DEEP: Final = f"arrays and objects nest {MAX_INBOUND_DEPTH} deep at most"


def _object(found: Read) -> Mapping[str, object]:
    message = found.value if isinstance(found.value, dict) else None
    request_id = None if message is None else _request_id(message)
    if found.duplicate_key:
        raise MessageRefused(ErrorCode.DUPLICATE_KEY, "a key came twice", request_id)
    if found.depth > MAX_INBOUND_DEPTH:
        raise MessageRefused(ErrorCode.TOO_DEEP, _TOO_DEEP, request_id)
    if message is None:
        raise MessageRefused(ErrorCode.NOT_AN_OBJECT, "a message is one JSON object")
    return message


def _request_id(message: Mapping[str, object]) -> str | None:
    value = message.get(REQUEST_ID)
    if isinstance(value, str) and _REQUEST_ID.check(value) is None:
        return value
    return None


_REQUEST_ID: Final[FieldShape] = SHAPES["ping"].fields[REQUEST_ID]


def _message(message: Mapping[str, object]) -> Inbound:
    shape = _shape_of(message)
    if shape.unknown(message):
        raise MessageRefused(ErrorCode.UNKNOWN_FIELD, f"{_tag(shape)} has no such field")
    missing = shape.missing(message)
    if missing is not None:
        raise MessageRefused(ErrorCode.MISSING_FIELD, f"{_tag(shape)} needs {missing}")
    given = [field for name, field in shape.fields.items() if name in message]
    for field in given:
        if not field.has_right_type(message[field.name]):
            raise MessageRefused(ErrorCode.BAD_TYPE, f"{field.name} must be {field.expected}")
    for field in given:
        code = field.check(message[field.name])
        if code is not None:
            raise MessageRefused(code, f"{field.name} must be {field.expected}")
    return _built(shape.model, message)


def _shape_of(message: Mapping[str, object]) -> MessageShape:
    tag = message.get(TYPE, msgspec.UNSET)
    if tag is msgspec.UNSET:
        raise MessageRefused(ErrorCode.MISSING_FIELD, "a message needs type")
    if not isinstance(tag, str):
        raise MessageRefused(ErrorCode.BAD_TYPE, "type is text")
    shape = SHAPES.get(tag)
    if shape is None:
        raise MessageRefused(ErrorCode.UNKNOWN_TYPE, "no message from a client has this type")
    return shape


def _tag(shape: MessageShape) -> str:
    return str(shape.model.__struct_config__.tag)


def _built(model: type[Inbound], message: Mapping[str, object]) -> Inbound:
    try:
        return msgspec.convert(message, type=model, strict=True)
    except msgspec.ValidationError:
        raise Bug("a message passed every check and does not fit its model") from None
