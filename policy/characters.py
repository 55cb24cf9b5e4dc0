"""What a person sees of a text: which characters cannot be seen, and which texts look alike.

It answers; it refuses nothing. The gates that ask are `name_policy` and `prompt_policy`.
Sources: Unicode's general categories and names, from `unicodedata`; its Default_Ignorable_Code_Point and blanks, as far
as they are of a category that is seen; and a list of our own of letters that look Latin, after UTS #39. The list is not
whole: it holds the four scripts whose letters can spell a Latin name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NewType

NameKey = NewType("NameKey", str)
"""Equal for two texts that a person can hardly tell apart. Made for comparing, not for showing."""

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Letters, marks and symbols by category, but nothing to see by their shape.
_UNSEEN_RANGES: Final = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x2800, 0x2800),  # blank braille
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xFFFC, 0xFFFC),  # object replacement
    (0x16FE4, 0x16FE4),  # Khitan filler
    (0x1D159, 0x1D159),  # null note head
    (0xE0100, 0xE01EF),  # variation selectors
)
_UNSEEN: Final = frozenset(point for first, last in _UNSEEN_RANGES for point in range(first, last + 1))


def is_unseen(character: str) -> bool:
    """Whether one character leaves no mark of its own: a control, joiner, filler or odd space. Not the space."""
    category = unicodedata.category(character)
    odd_space = category == "Zs" and character != " "
    return odd_space or category in _UNSEEN_CATEGORIES or ord(character) in _UNSEEN


# Letters of other writing systems that look like a Latin one, capital or small, and Latin ones beyond a to z.
# Cyrillic 04xx 05xx, Greek 03xx, Armenian 05xx, Cherokee 13xx.
_LIKE: Final = {
    "a": (0x0251, 0x0391, 0x03B1, 0x0410, 0x0430, 0x13AA),
    "b": (0x0392, 0x0412, 0x0432, 0x13F4),
    "c": (0x0421, 0x0441, 0x13DF),
    "d": (0x0500, 0x0501, 0x13A0),
    "e": (0x0395, 0x0415, 0x0435, 0x13AC),
    "g": (0x0261, 0x050C, 0x050D, 0x0581, 0x13C0),
    "h": (0x0397, 0x041D, 0x043D, 0x04BB, 0x0570, 0x13BB),
    "i": (0x0131, 0x0269, 0x0399, 0x03B9, 0x0406, 0x0456, 0x13C6),
    "j": (0x0408, 0x0458, 0x0575, 0x13AB),
    "k": (0x039A, 0x03BA, 0x041A, 0x043A, 0x13E6),
    "l": (0x04C0, 0x04CF, 0x13DE),
    "m": (0x039C, 0x041C, 0x043C, 0x13B7),
    "n": (0x039D, 0x03B7, 0x0578),
    "o": (0x039F, 0x03BF, 0x041E, 0x043E, 0x0555, 0x0585),
    "p": (0x03A1, 0x03C1, 0x0420, 0x0440, 0x13E2),
    "q": (0x051A, 0x051B, 0x0563),
    "r": (0x13A1,),
    "s": (0x0405, 0x0455, 0x054D, 0x13DA),
    "t": (0x03A4, 0x03C4, 0x0422, 0x0442, 0x13A2),
    "u": (0x03C5, 0x057D),
    "v": (0x03BD, 0x13D9),
    "w": (0x03C9, 0x051C, 0x051D, 0x13D4),
    "x": (0x03A7, 0x03C7, 0x0425, 0x0445),
    "y": (0x03A5, 0x03B3, 0x0423, 0x0443),
    "z": (0x0396, 0x13C3),
}
_LOOKS_LIKE: Final = {chr(point): letter for letter, points in _LIKE.items() for point in points}
_ONE_SHAPE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
_TWO_FOR_ONE: Final = (("rn", "m"), ("vv", "w"))
_SMALL_CAPITAL: Final = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])")


def name_key(text: str) -> NameKey:
    """The text as a shape: widths, cases, look-alike letters and digits are one, what cannot be seen is gone."""
    seen = "".join(character for character in unicodedata.normalize("NFKD", text) if not is_unseen(character))
    # Before and after folding: a capital may look like another letter than its small one, and folding makes others.
    folded = unicodedata.normalize("NFKD", "".join(map(_looks_like, seen)).casefold())
    shape = "".join(map(_looks_like, folded)).replace("i\u0307", "i").translate(_ONE_SHAPE)
    for two, one in _TWO_FOR_ONE:
        shape = shape.replace(two, one)
    return NameKey(" ".join(shape.split()))


def _looks_like(character: str) -> str:
    if (digit := unicodedata.digit(character, None)) is not None:
        return str(digit)
    if small_capital := _SMALL_CAPITAL.fullmatch(unicodedata.name(character, "")):
        return small_capital[1].lower()
    return _LOOKS_LIKE.get(character, character)


_SCRIPTS_WRITTEN_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})


def scripts_of(text: str) -> frozenset[str]:
    """The writing systems of its letters, by the first word of their names. East Asian ones are one."""
    return frozenset(_scripts(unicodedata.normalize("NFKC", text)))


def _scripts(text: str) -> Iterator[str]:
    for character in text:
        if unicodedata.category(character).startswith("L"):
            script = unicodedata.name(character, "UNKNOWN").split()[0]
            yield "EAST ASIAN" if script in _SCRIPTS_WRITTEN_TOGETHER else script
