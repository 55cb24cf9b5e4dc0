"""The examples of the documentation are messages of the protocol, and hang together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gameserver.wire.asyncapi import asyncapi
from gameserver.wire.decode import decode
from gameserver.wire.examples import FROM_CLIENT, FROM_SERVER, example_of, example_text
from gameserver.wire.fields import MAX_INBOUND_BYTES, MAX_INBOUND_BYTES_BEFORE_ENTER
from gameserver.wire.messages import HandResult, Snapshot
from gameserver.wire.schema import CLIENT, SERVER, schemas, tag
from railbird.client import codec


def test_every_message_has_an_example() -> None:
    """One each, in the order of the models."""
    assert tuple(type(example) for example in FROM_CLIENT) == CLIENT
    assert tuple(type(example) for example in FROM_SERVER) == SERVER


def test_every_example_is_what_the_decoders_take() -> None:
    """The server's strict decoder reads a client's examples, the client's decoder the server's, and each means the same."""
    for example in FROM_CLIENT:
        text = example_text(example)
        assert decode(text, max_bytes=MAX_INBOUND_BYTES) == example
        assert len(text) <= MAX_INBOUND_BYTES_BEFORE_ENTER
    for told in FROM_SERVER:
        assert codec.decode(example_text(told)) == told


@pytest.mark.parametrize("side", ["client", "server"])
def test_every_example_is_as_its_schema_says(side: str) -> None:
    """The schemas and the decoders take the same."""
    models: tuple[Any, ...] = CLIENT if side == "client" else SERVER
    for model in models:
        schema = schemas()[f"{side}.{tag(model)}"]
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(example_of(model))


def test_every_example_of_the_asyncapi_document_is_taken() -> None:
    """By the decoder of whoever hears it."""
    for name, message in asyncapi()["components"]["messages"].items():
        for example in message["examples"]:
            text = json.dumps(example["payload"])
            if name.startswith("client."):
                decode(text, max_bytes=MAX_INBOUND_BYTES)
            else:
                assert not isinstance(codec.decode(text), codec.UnknownFrame)


def test_no_chip_of_the_story_is_lost() -> None:
    """Three players with 1,000 chips each."""
    (result,) = (told for told in FROM_SERVER if isinstance(told, HandResult))
    (snapshot,) = (told for told in FROM_SERVER if isinstance(told, Snapshot))
    assert sum(result.stacks.values()) == 3_000
    assert sum(snapshot.state.stacks.values()) + snapshot.state.pot == 3_000
