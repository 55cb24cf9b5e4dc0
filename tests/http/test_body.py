"""A request's body is read as strictly as a message on the wire."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import UNSET, Meta, UnsetType

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.http.body import MAX_BODY_BYTES, Body, decode_body
from gameserver.http.requests import NewNote, NewTable, NewVersion
from tests.http.world import TABLE, World


class Sample(Body, frozen=True, kw_only=True):
    count: Annotated[int, Meta(ge=1, le=5)]
    warmth: Annotated[float, Meta(ge=0, le=2)] | UnsetType = UNSET
    flag: bool = False
    word: Literal["a", "b"] = "a"
    two_words: Annotated[str, Meta(pattern="^[a-z]+ [a-z]+$")] | UnsetType = UNSET


def refused(data: bytes, model: type[Body] = Sample) -> ErrorCode:
    with pytest.raises(Refusal) as caught:
        decode_body(data, model)
    assert "MARKER" not in str(caught.value)
    return caught.value.code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ErrorCode.BAD_JSON),
        (b"{", ErrorCode.BAD_JSON),
        (b'{"count":1}x', ErrorCode.BAD_JSON),
        (b"\xff\xfe{}", ErrorCode.BAD_JSON),
        ('{"count":1}'.encode("utf-16"), ErrorCode.BAD_JSON),
        (b'{"count":NaN}', ErrorCode.BAD_JSON),
        (b'{"count":1,"count":1}', ErrorCode.DUPLICATE_KEY),
        (b'{"count":1,"c\\u006funt":2}', ErrorCode.DUPLICATE_KEY),
        (b'{"count":[[[[[[[[1]]]]]]]]}', ErrorCode.TOO_DEEP),
        (b"[" * 200, ErrorCode.TOO_DEEP),
        (b"[]", ErrorCode.NOT_AN_OBJECT),
        (b"null", ErrorCode.NOT_AN_OBJECT),
        (b'{"count":1,"MARKER":2}', ErrorCode.UNKNOWN_FIELD),
        (b'{"count":1,"two_words":"a b"}', ErrorCode.UNKNOWN_FIELD),
        (b"{}", ErrorCode.MISSING_FIELD),
        (b'{"count":"MARKER"}', ErrorCode.BAD_TYPE),
        (b'{"count":1.0}', ErrorCode.BAD_TYPE),
        (b'{"count":1e0}', ErrorCode.BAD_TYPE),
        (b'{"count":true}', ErrorCode.BAD_TYPE),
        (b'{"count":null}', ErrorCode.BAD_TYPE),
        (b'{"count":0}', ErrorCode.OUT_OF_RANGE),
        (b'{"count":-0}', ErrorCode.OUT_OF_RANGE),
        (b'{"count":' + b"9" * 5_000 + b"}", ErrorCode.OUT_OF_RANGE),
        (b'{"count":1,"warmth":2.5}', ErrorCode.OUT_OF_RANGE),
        (b'{"count":1,"warmth":1e999}', ErrorCode.OUT_OF_RANGE),
        (b'{"count":1,"warmth":"1"}', ErrorCode.BAD_TYPE),
        (b'{"count":1,"flag":0}', ErrorCode.BAD_TYPE),
        (b'{"count":1,"word":"MARKER"}', ErrorCode.BAD_VALUE),
        (b'{"count":1,"word":1}', ErrorCode.BAD_TYPE),
        (b'{"count":1,"twoWords":"MARKER"}', ErrorCode.BAD_VALUE),
        (b'{"count":1,"twoWords":"a b\\n"}', ErrorCode.BAD_VALUE),
        (b'{"count":1,"twoWords":"\\ud800"}', ErrorCode.BAD_TEXT),
        (b'{"count":9,"flag":0}', ErrorCode.BAD_TYPE),
    ],
)
def test_a_refused_body_is_not_repeated(data: bytes, code: ErrorCode) -> None:
    """Each wrong body gets the code of the first check that fails, in the wire's order, and none of its own words."""
    assert refused(data) is code


def test_a_good_body_is_its_model() -> None:
    """A whole number is a number too."""
    assert decode_body(b'{"count":5,"warmth":1,"twoWords":"a b"}', Sample) == Sample(
        count=5, warmth=1.0, two_words="a b"
    )


def test_texts_are_checked_as_on_the_wire() -> None:
    """Length after NFC, something to see where it is spoken, no lone surrogate and no NUL."""
    assert decode_body(json.dumps({"text": "é" * 2_000}).encode(), NewNote).text == "é" * 2_000
    for text, code in (
        ("x" * 2_001, ErrorCode.TEXT_TOO_LONG),
        ("", ErrorCode.BAD_TEXT),
        ("\u200b", ErrorCode.BAD_TEXT),
        ("a\0", ErrorCode.BAD_TEXT),
        ("\ud800", ErrorCode.BAD_TEXT),
    ):
        assert refused(json.dumps({"text": text}).encode(), NewNote) is code
    assert refused(json.dumps({"skills": ["x"] * 33}).encode(), NewVersion) is ErrorCode.OUT_OF_RANGE
    assert refused(json.dumps({"skills": ["x", 7]}).encode(), NewVersion) is ErrorCode.BAD_TYPE
    assert refused(json.dumps({"skills": "x"}).encode(), NewVersion) is ErrorCode.BAD_TYPE


def test_a_field_that_nobody_can_check_is_an_error_of_ours() -> None:
    """A model whose field has no bounds is found at the first request, not let through."""

    class Loose(Body, frozen=True, kw_only=True):
        anything: int

    with pytest.raises(Bug):
        decode_body(b'{"anything":1}', Loose)


def test_every_model_can_be_read() -> None:
    """Each field of each model has bounds."""
    for model in Body.__subclasses__():
        if model.__module__ == NewTable.__module__:
            required = {field.encode_name for field in msgspec.structs.fields(model) if field.required}
            assert required == set() or refused(b"{}", model) is ErrorCode.MISSING_FIELD


async def test_a_body_that_is_too_long_is_not_read_to_its_end(world: World) -> None:
    """413, and no sooner than that."""
    padded = json.dumps({**TABLE, "name": "Kitchen"}).encode()
    whole = padded + b" " * (MAX_BODY_BYTES - len(padded))
    for content, status in ((whole, 201), (whole + b" ", 413)):
        answer = await world.client.post("/games/poker", content=content, headers=world.be("olga"))
        assert answer.status_code == status
    assert (answer.json()["code"], answer.headers["cache-control"]) == ("too_large", "no-store")


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ("Application/JSON", 201),
        (None, 201),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
    ],
)
async def test_a_plain_form_is_no_request(world: World, kind: str | None, status: int) -> None:
    """Another site's page can send these kinds without asking."""
    headers = {**world.be("olga"), **({} if kind is None else {"content-type": kind})}
    answer = await world.client.post("/games/poker", content=json.dumps(TABLE), headers=headers)
    assert answer.status_code == status
    assert status == 201 or "Content-Type: application/json" in answer.json()["detail"]
