"""What an agent says fits the wire, whatever its model said."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.wire.decode import decode
from gameserver.wire.fields import MAX_INBOUND_BYTES
from gameserver.wire.messages import AgentThoughtIn
from railbird.agenthost.turns.words import sendable
from tests.policy.hostile_text import hostile_strings, text_of


def sent(text: str) -> str:
    """As the table decodes it from one frame."""
    frame = msgspec.json.encode(AgentThoughtIn(request_id="x" * 64, turn_id="t" * 32, text=sendable(text)))
    message = decode(frame.decode(), max_bytes=MAX_INBOUND_BYTES)
    assert isinstance(message, AgentThoughtIn)
    return message.text


def test_what_fits_is_said_as_it_is() -> None:
    for text in ("", "top pair", "a" * 8_000, "\u5c71" * 4_000, "\U0001f600" * 3_000, "e\u0301" * 4_000, "\n\t"):
        assert sent(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a" * 8_001,
        "\u5c71" * 4_001,
        "\U0001f600" * 3_001,
        "\x01" * 3_000,
        '"\\' * 5_000,
        "x" * 2_000_000,
        "e\u0301" * 8_100,
    ],
    ids=["ascii", "three bytes", "four bytes", "controls", "escapes", "huge", "marks"],
)
def test_what_does_not_fit_is_cut_with_a_mark(text: str) -> None:
    """By characters, by bytes, and by what a frame has room for when a character takes six bytes of it."""
    told = sent(text)
    kept, mark = told.rsplit(" (cut: ", 1)
    assert mark == f"{len(text)} characters in all)" and text.startswith(kept) and len(kept) > 1_500


def test_what_no_wire_takes_is_replaced() -> None:
    assert sent("a\0b\ud83dc") == "a\ufffdb\ufffdc"


def test_the_hostile_strings_can_be_said() -> None:
    for entry in hostile_strings(where="reasoning"):
        assert sent(text_of(entry)), entry["id"]


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300), st.integers(1, 200))
def test_anything_can_be_said(text: str, times: int) -> None:
    sent(text * times)
