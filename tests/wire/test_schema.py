"""Schemas and the reference say what the decoder does, and lag behind nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gameserver.errors import ErrorCode
from gameserver.table.facts import SeatStatus
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.decode import MessageRefused, decode
from gameserver.wire.fields import MAX_INBOUND_BYTES
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_MEANINGS
from gameserver.wire.messages import SeatView
from gameserver.wire.reference import main, reference
from gameserver.wire.schema import CLIENT, SERVER, components, schemas, tag
from gameserver.wire.shapes import SHAPES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "protocol.md"


def test_the_reference_does_not_lag() -> None:
    """docs/protocol.md is what the models say: `python -m gameserver.wire.reference --write` brings it up to date."""
    assert PAGE.read_text(encoding="utf-8") == reference()


def test_the_command_checks_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1 where the page lags or is not there, and 2 for other words."""
    page = tmp_path / "protocol.md"
    assert main(["--check"], page) == 1
    assert main(["--write"], page) == 0
    assert main(["--check"], page) == 0
    page.write_text(page.read_text(encoding="utf-8") + "x", encoding="utf-8")
    assert main(["--check"], page) == 1
    assert main([], page) == 2
    assert "--write" in capsys.readouterr().err


def test_every_code_has_its_meaning() -> None:
    """No code of the two lists is left without words, and coming back is said the same way in both places."""
    assert set(ERROR_MEANINGS) == set(ErrorCode)
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
