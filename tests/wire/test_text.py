"""What a text from a client must be."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.errors import ErrorCode
from gameserver.wire.decode import MessageRefused, decode
from gameserver.wire.fields import MAX_CHAT_CHARACTERS, MAX_INBOUND_BYTES
from gameserver.wire.messages import ChatIn
from gameserver.wire.text import encodable, nfc_length, refusal_of_text, visible
from tests.hostile.texts import HostileText, hostile_texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t",
        "\u200b\u200b",
        "\u3164",
        "\u2800\u2800",
        "\u00ad",
        "\U000e0041",
        "\u202e",
        "\u0301",
        "\ufe0f",
        "\ufffc",
    ],
)
def test_nothing_to_see(text: str) -> None:
    """Spaces, format characters, fillers, tags and marks without a letter are no words."""
    assert not visible(text)
    assert visible(text + "x")


@pytest.mark.parametrize("text", ["x", ".", "\u05e9", "\U0001f600", "a\u0301", "\u0e33"])
def test_something_to_see(text: str) -> None:
    """Letters of any script, signs and pictures are."""
    assert visible(text)


def test_what_no_store_takes() -> None:
    """Half a pair of surrogates and NUL; a whole pair is one character."""
    assert not encodable("\ud83d")
    assert not encodable("a\udc00")
    assert not encodable("a\0b")
    assert encodable("\U0001f600 \u2028 \x1b")


@given(st.text(max_size=200))
def test_length_counts_after_nfc(text: str) -> None:
    """For texts of living scripts it is exactly the length of the normalised text."""
    if encodable(text):
        assert nfc_length(text) == len(unicodedata.normalize("NFC", text))


def test_a_long_run_of_marks_takes_no_time() -> None:
    """Normalising it whole would take time that grows with the square of its length."""
    began = time.process_time()
    assert nfc_length("a" + "\u0301" * 3_000 + "\u0316" * 3_000) > 5_900
    assert time.process_time() - began < 0.2


def test_limits_are_exact() -> None:
    """At the limit a text is taken; one character or byte more is too long."""

    def code(text: str, max_bytes: int | None = None) -> ErrorCode | None:
        return refusal_of_text(text, must_be_visible=False, max_characters=10, max_bytes=max_bytes)

    assert code("x" * 10) is None
    assert code("x" * 11) is ErrorCode.TEXT_TOO_LONG
    assert code("\u00e4" * 10, max_bytes=20) is None
    assert code("\u00e4" * 10, max_bytes=19) is ErrorCode.TEXT_TOO_LONG
    assert code("\U0001d160" * 3) is None, "each becomes three"
    assert code("\U0001d160" * 4) is ErrorCode.TEXT_TOO_LONG
    assert code("e\u0301" * 10) is None
    assert code("\u1fb7" * 10) is None
    assert code("\u03b1\u0342\u0345" * 10) is None, "three become one"
    assert code("\0" * 11) is ErrorCode.BAD_TEXT


@pytest.mark.parametrize("case", hostile_texts("chat"), ids=lambda case: case.id)
def test_hostile_chat_is_taken_as_it_is_or_refused(case: HostileText) -> None:
    """What the file says of each string, at the decoder; one that it says is taken is longer than a chat line may be."""
    frame = json.dumps({"type": "chat", "text": case.text})
    if case.at_input == "taken" and len(case.text) <= MAX_CHAT_CHARACTERS:
        assert decode(frame, max_bytes=MAX_INBOUND_BYTES) == ChatIn(text=case.text)
    else:
        with pytest.raises(MessageRefused) as refused:
            decode(frame, max_bytes=MAX_INBOUND_BYTES)
        assert refused.value.code in (ErrorCode.BAD_TEXT, ErrorCode.TEXT_TOO_LONG)
