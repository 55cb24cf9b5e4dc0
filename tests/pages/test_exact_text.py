"""Texts of models and rivals on a page: each character to be seen, none of it markup."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from markupsafe import Markup, escape

from railbird.pages.exact_text import MOST_CHARACTERS, exact, word
from tests.hostile.texts import hostile_texts


def test_a_text_is_text_and_no_markup() -> None:
    """Whatever is in it, the page has its characters."""
    for text in ("<script>boom()</script>", "&amp;", "'\"", "</div><!--", "{{ 7 * 7 }}", "a\tb\nc", "👩\u200d🚀"):
        assert exact(text).shown == escape(text)


def test_every_character_without_a_shape_is_named() -> None:
    """Controls, formats, lone surrogates and separators of lines, all of Unicode through; but what is a part of emoji."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in hidden and chr(code) not in "\n\t\u200d":
            assert exact(chr(code)).shown == Markup(f'<span class="odd">U+{code:04X}</span>'), hex(code)


def test_bytes_that_are_no_text_are_named_as_bytes() -> None:
    """And counted as they are; a lone surrogate within a text is another thing."""
    of_bytes, of_text = exact(b"a\x80\xffb"), exact("a\udc80b")
    assert of_bytes.shown.striptags() == "a\\x80\\xffb" and of_bytes.length_bytes == 4
    assert of_text.shown.striptags() == "aU+DC80b" and of_text.length_bytes == 5


def test_there_and_empty_is_not_the_same_as_odd() -> None:
    """A NUL is something."""
    assert exact("").is_empty and not exact("\0").is_empty and exact(b"").shown == ""


@pytest.mark.parametrize("unit", ["a", "<", "\0\u202e", "漢", "\0"])
def test_two_megabytes_stay_usable(unit: str) -> None:
    """Cut, and said so; a flood of odd characters makes no flood of marks."""
    drawn = exact(unit * (2_000_000 // len(unit)))
    assert drawn.left_out == 2_000_000 - MOST_CHARACTERS
    assert len(drawn.shown) < 1_500_000
    assert (drawn.unnamed > 0) is (unit == "\0\u202e")


def test_a_word_in_a_line_is_short() -> None:
    """However long it was."""
    assert word("x" * 900) == "x" * 200 + "…"


def test_hostile_texts_leave_no_element_and_no_order_behind() -> None:
    """Each of the collection."""
    for case in hostile_texts("reasoning"):
        shown = exact(case.text[:10_000]).shown
        bare = shown.replace('<span class="odd">', "").replace("</span>", "")
        assert "<" not in bare, case.id
        assert not [c for c in shown if unicodedata.category(c) in ("Cf", "Cc", "Cs") and c not in "\n\t\u200d"], (
            case.id
        )
        shown.encode()
