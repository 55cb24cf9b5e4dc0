"""What a client makes of frames that a newer server sends."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from gameserver.wire import messages as m
from gameserver.wire.encode import encode
from railbird.client.codec import UnknownFrame, decode, seq_of
from railbird.client.errors import NotUnderstood
from tests.wire.frames import OUTBOUND, SAMPLES


def with_more(value: Any) -> Any:
    """The same with a field more in every object, but for maps by seat."""
    if isinstance(value, list):
        return [with_more(each) for each in value]
    if not isinstance(value, dict):
        return value
    grown = {key: with_more(each) for key, each in value.items()}
    return grown if all(key.isdigit() for key in value) else {**grown, "saidSinceProtocol9": {"deep": [1]}}


@pytest.mark.parametrize("kind", OUTBOUND, ids=lambda kind: str(kind.__struct_config__.tag))
def test_a_field_that_this_client_does_not_know_is_no_matter(kind: type[m.ServerMessage]) -> None:
    """In any message, and in any part of one, a newer server may say more; what is known is read as before."""
    message = SAMPLES[kind]
    newer = json.dumps(with_more(json.loads(encode(message))))
    assert "saidSinceProtocol9" in newer
    assert decode(newer) == message


@pytest.mark.parametrize("kind", m.Inbound.__args__, ids=lambda kind: str(kind.__struct_config__.tag))
def test_a_message_of_a_client_has_no_field_that_is_not_named(kind: type[m.Inbound]) -> None:
    """The models of the other direction stay strict, whoever decodes with them."""
    assert kind.__struct_config__.forbid_unknown_fields
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"type": kind.__struct_config__.tag, "saidSinceProtocol9": 1}, type=kind)


def test_a_frame_of_an_unknown_type_is_told_with_its_number() -> None:
    """It counts in the stream, so that nothing seems to be missing after it."""
    frame = decode('{"type":"weather","seq":12,"tableId":"t","rain":true}')
    assert frame == UnknownFrame("weather", 12)
    assert seq_of(frame) == 12


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"presence","seq":1,"seat":"zero"}',
        '{"type":"ack","requestId":7}',
        "[]",
        '{"seq":1}',
        b'{"type":"\xff"}',
    ],
)
def test_a_known_frame_that_does_not_fit_is_not_guessed_at(text: str | bytes) -> None:
    """A field of the wrong type is no unknown field, and the frame is not repeated in the error."""
    with pytest.raises(NotUnderstood) as problem:
        decode(text)
    assert "zero" not in str(problem.value)
