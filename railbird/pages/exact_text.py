"""A text of a model, a rival or a provider as a page shows it: whole, as text, and with every character to be seen.

No character of it is markup, and none hides, reorders or ends what stands beside it: what has no shape of its own stands as its
number (test_every_character_without_a_shape_is_named). A text that would choke a browser is cut, and the page says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

MOST_CHARACTERS: Final = 200_000
"""So much of one text stands in a page; the export has all of it."""
_MOST_NAMED: Final = 2_000
_ODD: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Controls but line feeds and tabs, marks of direction, lone surrogates, and what else has no shape. Joiners within emoji have one."""
_RUN: Final = re.compile(f"([{_ODD}])\\1*")
_BYTES_BEGIN, _BYTES_END = 0xDC80, 0xDCFF


@dataclass(frozen=True, slots=True)
class ExactText:
    """`shown`: for a page. `left_out`: characters that are not in it. `unnamed`: odd ones that stand as U+FFFD, as there are too many."""

    shown: Markup
    length_bytes: int
    left_out: int = 0
    unnamed: int = 0

    @property
    def is_empty(self) -> bool:
        """It is there, and there is nothing in it."""
        return self.length_bytes == 0


def exact(text: str | bytes, most: int = MOST_CHARACTERS) -> ExactText:
    """A text, or bytes that should be one in UTF-8: those that are none stand as `\\x80`."""
    if isinstance(text, bytes):
        whole, length_bytes = text.decode("utf-8", "surrogateescape"), len(text)
    else:
        whole, length_bytes = text, len(text.encode("utf-8", "surrogatepass"))
    drawing = _Drawing(of_bytes=isinstance(text, bytes))
    shown = Markup("").join(drawing.parts(whole[:most]))
    return ExactText(shown, length_bytes, max(0, len(whole) - most), drawing.unnamed)


def word(text: str) -> Markup:
    """A short text within a line: a name, a model, a reason."""
    drawn = exact(text, 200)
    return drawn.shown + "…" if drawn.left_out else drawn.shown


class _Drawing:
    """Of one text. `unnamed`: how many stand as U+FFFD so far."""

    def __init__(self, *, of_bytes: bool) -> None:
        self._of_bytes, self._named, self.unnamed = of_bytes, 0, 0

    def parts(self, text: str) -> Iterator[Markup]:
        at = 0
        for run in _RUN.finditer(text):
            yield escape(text[at : run.start()])
            yield self._odd(run[1], run.end() - run.start())
            at = run.end()
        yield escape(text[at:])

    def _odd(self, character: str, times: int) -> Markup:
        if self._named >= _MOST_NAMED:
            self.unnamed += times
            return Markup("\ufffd" * min(times, 8))
        self._named += 1
        more = f" ({times} times)" if times > 1 else ""
        return Markup('<span class="odd">{}</span>').format(self._name(ord(character)) + more)

    def _name(self, code: int) -> str:
        if self._of_bytes and _BYTES_BEGIN <= code <= _BYTES_END:
            return f"\\x{code - 0xDC00:02x}"
        return f"U+{code:04X}"
