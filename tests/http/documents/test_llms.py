"""/llms.txt holds the whole protocol."""

from __future__ import annotations

from gameserver.errors import ErrorCode
from gameserver.http.documents.llms import llms
from gameserver.net.address_places import AddressPlaces
from gameserver.net.event_stream import EVENT_LIMITS
from gameserver.net.protocol import HEARTBEAT_MS
from gameserver.net.websocket import SOCKET_LIMITS, told_limits
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.examples import FROM_CLIENT, FROM_SERVER, HELLO, example_text
from gameserver.wire.meanings import CLOSE_MEANINGS, ERROR_ADVICE
from gameserver.wire.schema import CLIENT, SERVER, components, tag
from railbird.wiring.descriptions import DESCRIPTIONS
from tests.http.documents.test_openapi import described_routes

TEXT = llms(described_routes(), DESCRIPTIONS)


def test_every_message_is_told_with_its_example_and_every_field() -> None:
    """A reader needs nothing else to write a client."""
    for example in (*FROM_CLIENT, *FROM_SERVER):
        assert f"Example: {example_text(example)}\n" in TEXT
    for model in (*CLIENT, *SERVER):
        assert f"\n### {tag(model)}\n" in TEXT
    for name, schema in components().items():
        for field in schema.get("properties", ()):
            assert field == "type" or f"{field}: " in TEXT or f"{field}?: " in TEXT, (name, field)


def test_every_code_is_told_with_what_to_do() -> None:
    """Errors and closes."""
    for code in ErrorCode:
        assert f"- {code}: " in TEXT and ERROR_ADVICE[code] in TEXT
    for closed in CloseCode:
        assert f"- {int(closed)}: {CLOSE_MEANINGS[closed].what} Come back? {CLOSE_MEANINGS[closed].reconnect}." in TEXT


def test_every_route_is_told() -> None:
    """In a line each."""
    assert [key for key in DESCRIPTIONS if f"- {key} (" not in TEXT] == []


def test_the_hello_of_the_examples_is_the_servers() -> None:
    """The limits in the documents are those of a server as it comes."""
    assert HELLO.heartbeat_ms == HEARTBEAT_MS
    assert HELLO.limits == told_limits(SOCKET_LIMITS, EVENT_LIMITS, AddressPlaces())


def test_it_is_short_enough_to_be_read_at_once() -> None:
    """Some ten thousand tokens of a model."""
    assert len(TEXT) < 40_000
