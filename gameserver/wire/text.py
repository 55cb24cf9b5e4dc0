"""What a text from a client must be: encodable, without NUL, with something to see, and short enough.

A text is checked and never changed: what is taken is what was sent (test_a_text_is_taken_as_it_was_sent). Making it safe
where it goes out is each way out's own matter.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from gameserver.errors import ErrorCode
from policy.characters import is_unseen

_NOTHING_ALONE: Final = frozenset({"Zs", "Mn", "Me"})
"""The space, and marks that need a letter: nothing to see by themselves. What is unseen anywhere is `policy.characters`' to say."""
_MARKS_IN_A_RUN: Final = 30


def encodable(text: str) -> bool:
    """Whether UTF-8 has it (no lone surrogate) and every store takes it (no NUL)."""
    return "\0" not in text and (text.isascii() or _without_surrogates(text))


def _without_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def visible(text: str) -> bool:
    """Whether a reader would see anything at all."""
    return any(not is_unseen(character) and unicodedata.category(character) not in _NOTHING_ALONE for character in text)


def nfc_length(text: str) -> int:
    """Characters after NFC. `text` is encodable.

    Normalising a run of combining marks takes time quadratic in its length (6,000 marks: 70 ms), so a run is cut every
    30 marks, as the Stream-Safe Text Process of UAX 15 does. No text of a living script has such a run.
    """
    if not any(map(unicodedata.combining, text)):
        return len(unicodedata.normalize("NFC", text))
    length, start, run = 0, 0, 0
    for index, character in enumerate(text):
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _MARKS_IN_A_RUN:
            length += len(unicodedata.normalize("NFC", text[start:index]))
            start, run = index, 1
    return length + len(unicodedata.normalize("NFC", text[start:]))


def too_long(text: str, *, max_characters: int, max_bytes: int | None) -> bool:
    """Whether the text passes a limit. Characters count after NFC, bytes as they were sent. `text` is encodable."""
    if max_bytes is not None and len(text.encode("utf-8")) > max_bytes:
        return True
    return (len(text) if text.isascii() else nfc_length(text)) > max_characters


def refusal_of_text(
    text: str, *, must_be_visible: bool, max_characters: int, max_bytes: int | None
) -> ErrorCode | None:
    """Why a text may not be taken, or None."""
    if not encodable(text):
        return ErrorCode.BAD_TEXT
    if too_long(text, max_characters=max_characters, max_bytes=max_bytes):
        return ErrorCode.TEXT_TOO_LONG
    if must_be_visible and not visible(text):
        return ErrorCode.BAD_TEXT
    return None
