"""A request's body: bounded, and read as strictly as a message on the wire, in the same order of checks with the same codes.

Size, encoding, JSON, duplicate keys, depth, object, unknown fields, missing fields, types, values. What is refused is not
repeated (test_a_refused_body_is_not_repeated). What the values mean is for the routes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import inspect
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.wire.fields import KIND, MAX_BYTES, MAX_CHARACTERS, MAX_INBOUND_BYTES, MAX_INBOUND_DEPTH, SPOKEN
from gameserver.wire.strict_json import NotJson, Read, TooDeepToRead, read
from gameserver.wire.text import encodable, refusal_of_text

MAX_BODY_BYTES: Final = MAX_INBOUND_BYTES
MAX_VERSION_BYTES: Final = 256 * 1024
"""An agent's version has whole texts in it."""

_JSON_TYPES: Final = re.compile(r"application/(?:[a-z0-9.+-]+\+)?json", re.IGNORECASE)


class Body(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The settings of all bodies: camelCase, and no field that is not named."""


B = TypeVar("B", bound=msgspec.Struct)
"""A body of ours, or of another package with the same settings."""

Check: TypeAlias = Callable[[Any], ErrorCode | None]
"""Why a value may not be taken, or None. A wrong JSON type is `bad_type`."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    required: bool
    check: Check


async def read_body(request: Request, model: type[B], *, max_bytes: int = MAX_BODY_BYTES) -> B:
    """The body as this model. An empty body is an empty object. Raises Refusal, and HTTPException 413 and 415."""
    _refuse_other_media(request)
    data = await bounded_body(request, max_bytes)
    return decode_body(data or b"{}", model)


async def bounded_body(request: Request, max_bytes: int) -> bytes:
    """The body's bytes. Raises HTTPException 413 as soon as there are too many."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > max_bytes:
            raise HTTPException(413)
    return bytes(data)


def decode_body(data: bytes, model: type[B]) -> B:
    """These bytes as this model. Raises Refusal."""
    content = _object(_read(data))
    fields = _fields_of(model)
    if not content.keys() <= fields.keys():
        raise Refusal(ErrorCode.UNKNOWN_FIELD, "there is no such field here")
    for field in fields.values():
        if field.required and field.name not in content:
            raise Refusal(ErrorCode.MISSING_FIELD, f"{field.name} is needed")
    refused = [(name, fields[name].check(value)) for name, value in content.items()]
    _refuse_first(refused, types=True)
    _refuse_first(refused, types=False)
    try:
        return msgspec.convert(content, type=model, strict=True)
    except msgspec.ValidationError:
        raise Bug("a body passed every check and does not fit its model") from None


def _refuse_other_media(request: Request) -> None:
    """A body that says what it is has to be JSON: so no plain form of another site's page is ever taken for one."""
    kind = request.headers.get("content-type")
    if kind is not None and _JSON_TYPES.fullmatch(kind.partition(";")[0].strip()) is None:
        raise HTTPException(415)


def _read(data: bytes) -> Read:
    try:
        data.decode("utf-8")
        return read(data)
    except (UnicodeDecodeError, NotJson):
        raise Refusal(ErrorCode.BAD_JSON, "not one JSON value in UTF-8") from None
    except TooDeepToRead:
        raise Refusal(ErrorCode.TOO_DEEP, "arrays and objects nest too deep") from None


def _object(found: Read) -> Mapping[str, object]:
    if found.duplicate_key:
        raise Refusal(ErrorCode.DUPLICATE_KEY, "a key came twice")
    if found.depth > MAX_INBOUND_DEPTH:
        raise Refusal(ErrorCode.TOO_DEEP, "arrays and objects nest too deep")
    if not isinstance(found.value, dict):
        raise Refusal(ErrorCode.NOT_AN_OBJECT, "the body is one JSON object")
    return found.value


def _refuse_first(refused: list[tuple[str, ErrorCode | None]], *, types: bool) -> None:
    for name, code in refused:
        if code is not None and (code is ErrorCode.BAD_TYPE) == types:
            raise Refusal(code, f"{name} cannot be that")


# --- what a field may hold, read from the models ------------------------------------------------------------------------


@cache
def _fields_of(model: type[msgspec.Struct]) -> Mapping[str, _Field]:
    info = inspect.type_info(model)
    assert isinstance(info, inspect.StructType)
    return {each.encode_name: _Field(each.encode_name, each.required, _check_of(each.type)) for each in info.fields}


def _check_of(kind: inspect.Type) -> Check:
    match kind:
        case inspect.Metadata(type=inspect.StrType(), extra=dict() as extra):
            return _text(extra)
        case inspect.Metadata(type=plain):
            return _check_of(plain)
        case inspect.StrType(pattern=str() as pattern):
            return _word(pattern)
        case inspect.IntType(ge=int() as least, le=int() as most):
            return _whole(least, most)
        case inspect.FloatType(ge=least, le=most) if least is not None and most is not None:
            return _number(float(least), float(most))
        case inspect.BoolType():
            return lambda value: None if isinstance(value, bool) else ErrorCode.BAD_TYPE
        case inspect.LiteralType(values=values):
            return _one_of(values)
        case inspect.ListType(item_type=item, max_length=int() as most):
            return _list(_check_of(item), most)
        case inspect.DictType(key_type=inspect.LiteralType(values=names), value_type=value):
            return _dict(frozenset(map(str, names)), _check_of(value))
        case _:
            raise Bug("a field of a body has a type or bounds that are not known here")


def _text(extra: Mapping[str, Any]) -> Check:
    must_be_visible = extra[KIND] == SPOKEN
    max_characters, max_bytes = extra[MAX_CHARACTERS], extra[MAX_BYTES]

    def check(value: object) -> ErrorCode | None:
        if not isinstance(value, str):
            return ErrorCode.BAD_TYPE
        return refusal_of_text(
            value, must_be_visible=must_be_visible, max_characters=max_characters, max_bytes=max_bytes
        )

    return check


def _word(pattern: str) -> Check:
    form = re.compile(pattern)

    def check(value: object) -> ErrorCode | None:
        if not isinstance(value, str):
            return ErrorCode.BAD_TYPE
        if not encodable(value):
            return ErrorCode.BAD_TEXT
        return None if form.fullmatch(value) else ErrorCode.BAD_VALUE

    return check


def _whole(least: int, most: int) -> Check:
    def check(value: object) -> ErrorCode | None:
        if type(value) is not int:
            return ErrorCode.BAD_TYPE
        return None if least <= value <= most else ErrorCode.OUT_OF_RANGE

    return check


def _number(least: float, most: float) -> Check:
    def check(value: object) -> ErrorCode | None:
        if type(value) not in (int, float):
            return ErrorCode.BAD_TYPE
        assert isinstance(value, int | float)
        return None if least <= value <= most else ErrorCode.OUT_OF_RANGE  # NaN is not JSON, and infinity is too much

    return check


def _one_of(values: tuple[object, ...]) -> Check:
    kinds = {type(value) for value in values}

    def check(value: object) -> ErrorCode | None:
        if type(value) not in kinds:
            return ErrorCode.BAD_TYPE
        return None if value in values else ErrorCode.BAD_VALUE

    return check


def _list(item: Check, most: int) -> Check:
    def check(value: object) -> ErrorCode | None:
        if not isinstance(value, list):
            return ErrorCode.BAD_TYPE
        if len(value) > most:
            return ErrorCode.OUT_OF_RANGE
        return next((code for code in map(item, value) if code is not None), None)

    return check


def _dict(names: frozenset[str], each: Check) -> Check:
    def check(value: object) -> ErrorCode | None:
        if not isinstance(value, dict):
            return ErrorCode.BAD_TYPE
        if not value.keys() <= names:
            return ErrorCode.UNKNOWN_FIELD
        return next((code for code in map(each, value.values()) if code is not None), None)

    return check
