"""Schemas and the reference say what the decoder does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gameserver.errors import ErrorCode
from gameserver.table.facts import SeatStatus
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.decode import MessageRefused, decode
from gameserver.wire.examples import FROM_CLIENT, FROM_SERVER, example_text
from gameserver.wire.fields import MAX_INBOUND_BYTES
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_ADVICE, ERROR_MEANINGS
from gameserver.wire.messages import SeatView
from gameserver.wire.reference import reference
from gameserver.wire.schema import CLIENT, SERVER, components, schemas, tag
from gameserver.wire.shapes import SHAPES


def test_every_message_of_the_reference_is_told_with_its_example() -> None:
    """In one line, as it travels."""
    page = reference()
    assert [text for text in map(example_text, (*FROM_CLIENT, *FROM_SERVER)) if f"    {text}\n" not in page] == []


def test_every_code_has_its_meaning() -> None:
    """No code of the two lists is left without words, and coming back is said the same way in both places."""
    assert set(ERROR_MEANINGS) == set(ERROR_ADVICE) == set(ErrorCode)
    assert set(CLOSE_MEANINGS) == set(CloseCode) | {1000, 1002, 1003, 1007, 1008, 1009}
    for code in CloseCode:
        assert code.reconnect is CLOSE_MEANINGS[code].reconnect.startswith("yes")


def test_every_message_has_a_schema_that_stands_alone() -> None:
    """Every reference is answered within the same document, and the names are those of the files."""
    found = schemas()
    assert len(found) == len(CLIENT) + len(SERVER)
    for name, schema in found.items():
        assert schema["$id"] == f"{name}.json"
        assert schema["properties"]["type"] == {"enum": [name.partition(".")[2]]}
        assert set(references(schema)) == {f"#/$defs/{part}" for part in schema.get("$defs", {})}
        assert json.loads(json.dumps(schema)) == schema


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from [schema["$ref"]] if "$ref" in schema else []
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else []:
        yield from references(part)


def test_every_message_and_part_says_what_it_is() -> None:
    """A reader of the schema finds a sentence, not only names."""
    assert [name for name, schema in components().items() if "description" not in schema] == []


@pytest.mark.parametrize("model", CLIENT)
def test_the_schema_and_the_decoder_ask_for_the_same_fields(model: Any) -> None:
    """Names, and what must be there; nothing beside them."""
    schema, shape = components()[model.__name__], SHAPES[tag(model)]
    assert set(schema["properties"]) == shape.names
    assert set(schema["required"]) == {*shape.required, "type"}
    assert schema["additionalProperties"] is False


def test_the_schema_says_which_actions_have_an_amount() -> None:
    """As the decoder does."""
    for model in ("Action", "AgentDecision"):
        schema = components()[model]
        assert schema["if"] == {"properties": {"action": {"enum": ["bet", "raise"]}}}
        assert schema["then"] == {"required": ["amount"]}
        assert schema["else"] == {"properties": {"amount": False}}


def test_bounds_of_the_schema_are_the_decoders() -> None:
    """The least and the most are taken, one beyond is not."""
    for name, field in components()["Sit"]["properties"].items():
        if "minimum" not in field:
            continue
        good = {"type": "sit", "seat": 0, "buyIn": 100}
        for value, taken in (
            (field["minimum"], True),
            (field["maximum"], True),
            (field["minimum"] - 1, False),
            (field["maximum"] + 1, False),
        ):
            frame = json.dumps({**good, name: value})
            if taken:
                decode(frame, max_bytes=MAX_INBOUND_BYTES)
            else:
                with pytest.raises(MessageRefused) as refused:
                    decode(frame, max_bytes=MAX_INBOUND_BYTES)
                assert refused.value.code is ErrorCode.OUT_OF_RANGE


def test_the_words_of_a_seat_are_the_tables() -> None:
    """The schema lists every status that the table room knows."""
    status = msgspec.json.schema_components([SeatView])[1]["SeatView"]["properties"]["status"]
    assert status["enum"] == [str(word) for word in SeatStatus]


def test_a_message_of_a_newer_server_is_still_understood() -> None:
    """The schemas of what the server says leave room for fields to come; those of what a client says do not."""
    for name, schema in schemas().items():
        assert ("additionalProperties" in schema) is name.startswith("client.")
