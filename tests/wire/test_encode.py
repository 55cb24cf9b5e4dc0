"""Messages to bytes: once, numbered by the stream, and nothing that no wire can carry."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.wire.encode import Unencodable, encode, encode_numbered, encode_unnumbered
from gameserver.wire.messages import Chat, NumberedFrame, Pong, ServerMessage
from policy.ids import Card
from policy.sealed import Sealed
from tests.wire.frames import NUMBERED, OUTBOUND, SAMPLES


@pytest.mark.parametrize("kind", OUTBOUND)
def test_every_message_is_one_json_object_with_its_type(kind: type[ServerMessage]) -> None:
    """Type first, names in camelCase, and the same message again when it is read."""
    raw = encode(SAMPLES[kind])
    assert raw.startswith(b'{"type":"')
    assert not [name for name in json.loads(raw) if "_" in name]
    assert msgspec.json.decode(raw, type=kind) == SAMPLES[kind]


@pytest.mark.parametrize("kind", NUMBERED)
def test_a_stream_numbers_a_frame_the_same_way_by_both_ways(kind: type[NumberedFrame]) -> None:
    """The number is the stream's; the rest of the bytes is the frame's."""
    frame = SAMPLES[kind]
    for seq in (0, 1, 9, 10, 2**53):
        whole = encode_numbered(frame, seq)
        assert json.loads(whole) == {**json.loads(encode(frame)), "seq": seq}
        assert encode_unnumbered(frame).numbered(seq) == whole


@given(st.integers(0, 2**53), st.text(max_size=50))
def test_text_cannot_move_the_place_of_the_number(seq: int, text: str) -> None:
    """A text that looks like the head of a frame stays text."""
    for said in (text, '{"type":"chat","seq":0', '"seq":0,'):
        if said.isascii() or said.encode("utf-8", "ignore").decode() == said:
            frame = Chat(seq=5, table_id="t", sender=said, text=said)
            assert json.loads(encode_unnumbered(frame).numbered(seq)) == {
                "type": "chat",
                "seq": seq,
                "tableId": "t",
                "sender": said,
                "text": said,
            }


@pytest.mark.parametrize("value", ["\ud800", "a\udfffb", Sealed((Card("As"), Card("Ah"))), object()])
def test_what_cannot_be_encoded_reaches_nobody(value: Any) -> None:
    """It is a bug of ours, named by the message's type without what it holds."""
    for message in (Pong(server_time=1, echo=value), Chat(seq=0, table_id="t", sender="s", text=value)):
        with pytest.raises(Unencodable) as refused:
            encode(message)
        assert str(refused.value) == f"{type(message).__name__} cannot be encoded"
        assert refused.value.__cause__ is None


def fractions(kind: Any) -> bool:
    """Whether a float may stand anywhere in a model."""
    if isinstance(kind, msgspec.inspect.FloatType | msgspec.inspect.AnyType):
        return True
    inner = [getattr(kind, name, ()) for name in ("type", "item_type", "key_type", "value_type")]
    many = [getattr(kind, name, ()) for name in ("types", "fields")]
    found = [part for part in inner if part != ()] + [part for parts in many for part in parts]
    return any(fractions(part) for part in found)


@pytest.mark.parametrize("kind", OUTBOUND)
def test_no_message_of_the_server_has_a_fraction(kind: type[ServerMessage]) -> None:
    """All numbers are whole, so that no NaN and no rounding travels."""
    assert not fractions(msgspec.inspect.type_info(kind))


def test_the_search_for_fractions_finds_one() -> None:
    """The test above can fail."""

    class Deep(msgspec.Struct):
        parts: list[dict[str, float | None]]

    assert fractions(msgspec.inspect.type_info(Deep))
