"""What a person sees of a text: unseen characters, look-alike shapes, writing systems."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.characters import is_unseen, name_key, scripts_of

UNSEEN = [
    *("\x00", "\t", "\n", "\r", "\x1b", "\x7f", "\x85", "\x9b"),
    *("\xa0", "\u2003", "\u3000", "\u2028", "\u2029"),
    *("\xad", "\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2060", "\u2066", "\u2069", "\ufeff"),
    *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180e", "\u180f", "\u2800", "\u3164"),
    *("\ufe00", "\ufe0f", "\uffa0", "\ufffc", "\U00016fe4", "\U0001d159", "\U0001d173"),
    *("\U000e0001", "\U000e0041", "\U000e0100", "\U000e01ef"),
    *("\ud800", "\udfff", "\ue000", "\U0010ffff", "\u0378"),
]
SEEN = [*" aZ09-_'\"\\<>", "\xe9", "\u0301", "\u0416", "\u0e33", "\u05e9", "\u5c71", "\uac00", "\U0001f600", "\u2801"]
BESIDE_THE_UNSEEN = ["\u034e", "\u0350", "\u1161", "\u17b3", "\u17b6", "\u27ff", "\u3163", "\ufe10", "\uffa1", "\ufffd"]


@pytest.mark.parametrize("character", UNSEEN, ids=ascii)
def test_it_is_unseen(character: str) -> None:
    """Controls, odd spaces, joiners, directions, fillers, selectors, tags, surrogates, private and unassigned ones."""
    assert is_unseen(character)


@pytest.mark.parametrize("character", SEEN + BESIDE_THE_UNSEEN, ids=ascii)
def test_it_is_seen(character: str) -> None:
    """Letters, marks, digits, signs, emoji, the plain space, and what stands next to an unseen range."""
    assert not is_unseen(character)


WORDS_OF_THE_UNSEEN = (
    "VARIATION SELECTOR",
    "FILLER",
    "JOINER",
    "BLANK",
    "OBJECT REPLACEMENT",
    "NULL NOTEHEAD",
    "INVISIBLE",
)
SEEN_ALL_THE_SAME = {
    *("BLANK SYMBOL", "TIFINAGH CONSONANT JOINER", "DEVANAGARI GAP FILLER", "MANICHAEAN PUNCTUATION LINE FILLER"),
    *("BRAHMI NUMBER JOINER", "NEWA GAP FILLER", "DIVES AKURU GAP FILLER", "ZANABAZAR SQUARE SUBJOINER"),
    *("SOYOMBO SUBJOINER", "BHAIKSUKI GAP FILLER-1", "BHAIKSUKI GAP FILLER-2"),
}


def test_what_unicode_names_as_unseen_is_unseen() -> None:
    """Every selector, filler, joiner and blank, but for a few that have a shape in spite of their names."""
    names = {
        unicodedata.name(character, "") for character in map(chr, range(sys.maxunicode + 1)) if not is_unseen(character)
    }
    assert {name for name in names if any(word in name for word in WORDS_OF_THE_UNSEEN)} <= SEEN_ALL_THE_SAME


ALIKE = [
    ("Alice", "alice"),
    ("Alice", "\u0410lice"),
    ("Alice", "\uff21lice"),
    ("alice", "al\u0131ce"),
    ("alice", "\u1d00\u029f\u026a\u1d04\u1d07"),
    ("cops", "\u0441\u043e\u0440\u0455"),
    ("ACE", "\u0410\u0421\u0415"),
    ("KOBE", "\u039a\u039f\u0392\u0395"),
    ("nova", "\u03b7\u03bf\u03bd\u03b1"),
    ("Agent0", "AgentO"),
    ("Agentl", "AgentI"),
    ("Agentl", "Agent1"),
    ("Agent1", "Agent\u0661"),
    ("Agent|", "Agenti"),
    ("rnax", "max"),
    ("vvill", "will"),
    ("Zo\u00eb", "Zoe\u0308"),
    ("STRASSE", "stra\u00dfe"),
    ("\u0130stanbul", "istanbul"),
    ("Kelvin", "\u212aelvin"),
    ("Bob", "Bob "),
    ("Bob", " Bob"),
    ("Al Ice", "Al   Ice"),
    ("Al Ice", "Al\u00a0Ice"),
    ("Alice", "Al\u200bice"),
    ("Alice", "Alice\ufe0f"),
    ("Bob", "\U000e0041\U000e0042Bob"),
    ("HEMP", "\u13bb\u13ac\u13b7\u13e2"),
    ("son", "\u054d\u0555\u0578"),
]
APART = [
    ("Alice", "Alicia"),
    ("Zoe", "Zo\u00eb"),
    ("Bob 1", "Bob 2"),
    ("Al Ice", "Alice"),
    ("a-b", "ab"),
    ("man", "nan"),
    ("", "a"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=ascii)
def test_two_names_look_alike(one: str, other: str) -> None:
    """They differ by case, width, composition, a look-alike letter or what cannot be seen, and have one key."""
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(("one", "other"), APART, ids=ascii)
def test_two_names_can_be_told_apart(one: str, other: str) -> None:
    """What a person can see keeps two names apart."""
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Alice 0", "allce o"),
        ("R\u0069\u0307k", "rlk"),
        ("barn vvv", "bam wv"),
        ("\u1d00B", "ab"),
        ("\u0e51\u0662", "l2"),
    ],
    ids=ascii,
)
def test_the_key_itself(text: str, key: str) -> None:
    """A key is small letters, one for each shape, with single spaces."""
    assert name_key(text) == key


@given(st.text(), st.text())
def test_what_cannot_be_seen_does_not_change_a_key(one: str, other: str) -> None:
    """Any number of unseen characters between two texts leaves their key as it is without them."""
    hidden = "".join(character for character in UNSEEN if unicodedata.category(character)[0] not in "Z")
    assert name_key(f"{one}\x00{hidden}{other}").replace("\x00", "") == name_key(f"{one}\u200b{other}")


def _named(value: str | set[str]) -> str:
    """The same name in every process, whatever the order of a set."""
    return ascii(value if isinstance(value, str) else sorted(value))


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("Alice 7!", {"LATIN"}),
        ("\uff21lice", {"LATIN"}),
        ("\u0410lice", {"LATIN", "CYRILLIC"}),
        ("\u03b1\u0430", {"GREEK", "CYRILLIC"}),
        ("\u5c71\u7530 \u3042\u30a2", {"EAST ASIAN"}),
        ("\ud55c\uad6d", {"EAST ASIAN"}),
        ("\u3105\u5c71", {"EAST ASIAN"}),
        ("12 -", set()),
        ("", set()),
    ],
    ids=_named,
)
def test_the_writing_systems_of_a_text(text: str, scripts: set[str]) -> None:
    """Letters count, digits and signs do not; the systems of East Asian names are one."""
    assert scripts_of(text) == scripts
