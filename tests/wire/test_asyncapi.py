"""The AsyncAPI document is one, and says of the socket what the models say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gameserver.wire.asyncapi import ADDRESS, asyncapi
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.schema import CLIENT, SERVER, tag
from tests.http.documents.published import faults


def test_the_document_is_as_asyncapi_has_published() -> None:
    """Valid under the published schema of 3.0.0, below a prefix as well."""
    assert faults("asyncapi-3.0.0", asyncapi()) == []
    assert faults("asyncapi-3.0.0", asyncapi(prefix="/poker")) == []


@pytest.mark.parametrize("path", ["info", "channels/table", "operations/tell", "components/messages/client.ping"])
def test_a_fault_in_the_document_would_be_found(path: str) -> None:
    """The published schema is not one that takes everything."""
    document = part = asyncapi()
    for step in path.split("/"):
        part = part[step]
    part["nonsense"] = {"no": "such thing"}
    assert faults("asyncapi-3.0.0", document) != []


def test_every_message_of_the_models_is_there_and_no_other() -> None:
    """Under `client.` or `server.` and its type."""
    document = asyncapi()
    names = {f"client.{tag(model)}" for model in CLIENT} | {f"server.{tag(model)}" for model in SERVER}
    assert set(document["components"]["messages"]) == set(document["channels"]["table"]["messages"]) == names


def test_every_message_is_said_or_heard_in_an_operation() -> None:
    """What the server receives is what clients say, what it sends or answers with is what the server says."""
    operations = asyncapi()["operations"].values()
    heard = {name for one in operations if one["action"] == "receive" for name in named(one["messages"])}
    said = {name for one in operations if one["action"] == "send" for name in named(one["messages"])}
    said |= {name for one in operations for name in named(one.get("reply", {}).get("messages", []))}
    assert heard == {f"client.{tag(model)}" for model in CLIENT}
    assert said == {f"server.{tag(model)}" for model in SERVER}


def named(references: list[dict[str, str]]) -> list[str]:
    return [reference["$ref"].rpartition("/")[2] for reference in references]


def test_every_reference_leads_somewhere() -> None:
    """No program that reads the document is left standing."""
    document = asyncapi()
    for reference in references(document):
        found: Any = document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        assert isinstance(found, dict)


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from [part["$ref"]] if "$ref" in part else []
        part = list(part.values())
    for inner in part if isinstance(part, list) else []:
        yield from references(inner)


def test_every_payload_is_a_schema_and_takes_its_example() -> None:
    """AsyncAPI reads schemas as draft 7."""
    document = asyncapi()
    for message in document["components"]["messages"].values():
        schema = {"$ref": message["payload"]["$ref"], "components": document["components"]}
        Draft7Validator.check_schema(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        for example in message["examples"]:
            Draft7Validator(schema).validate(example["payload"])


def test_every_close_code_is_told() -> None:
    """With whether to come back."""
    told = asyncapi()["channels"]["table"]["description"]
    assert [code for code in CloseCode if f"- {int(code)}: " not in told] == []


def test_the_address_has_its_parameter() -> None:
    """And the document is JSON."""
    channel = json.loads(json.dumps(asyncapi()))["channels"]["table"]
    assert channel["address"] == ADDRESS
    assert set(channel["parameters"]) == {"tableId"}
