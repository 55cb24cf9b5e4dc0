"""Names are refused and not repaired: what hides, marks up, or speaks as somebody else is no name."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import name_policy
from policy.characters import is_unseen, name_key
from policy.errors import PolicyRefusal
from policy.name_policy import DisplayName
from tests.policy.hostile_text import hostile_strings, text_of

TAKEN = [
    *("Al", "A", "7", "Alice", "Bob 7", "R2-D2", "Mr. X!", 'O\'Neil \\ "Q"', "snake_case", "Who, me?", "A" * 32),
    *(
        "Zo\u00eb",
        "Nguy\u1ec5n Th\u1ecb",
        "\u5c71\u7530 \u592a\u90ce",
        "\u0422\u0438\u0433\u0440",
        "\u0645\u062d\u0645\u062f",
    ),
    *(
        "\u0915\u094d\u0937\u093f\u0924\u093f\u091c",
        "\u0e2a\u0e21\u0e0a\u0e32\u0e22",
        "\ud55c\uad6d \uc0ac\ub78c",
        "\uff21lice",
    ),
    *("Agent 7", "Seattle", "Handy", "Dealers", "Tablet", "House Rock", "Potter", "q\u0323\u0331b"),
]
TOO_LONG = ["A" * 33, "A" * 10_000, "\ufdfa" * 2, "\u0958" * 17]
BAD_TEXT = [
    *("", " ", " Alice", "Alice ", "Al  ice", "'Al'", "-Al", "_Al", ".Al", "!", "\u0301Al"),
    *(
        "<b>Al</b>",
        "a&b",
        "=1+1",
        "+1",
        "@Al",
        "a/b",
        "../etc",
        "a:b",
        "a;b",
        "a#b",
        "a|b",
        "[a]",
        "{a}",
        "`a`",
        "a=b",
        "a*b",
    ),
    *("a\nb", "a\tb", "a\x00b", "\x1b[31mRed", "a\x85b", "a\x9bb"),
    *(
        "abc\u202etxt",
        "\u2066hid\u2069",
        "Al\u200bice",
        "Al\u200dice",
        "Alice\ufe0f",
        "Al\u00adice",
        "\u3164",
        "\u2800",
        "a\u034fb",
    ),
    *("\U000e0041Bob", "Alice\u00a0Smith", "a\u2028b", "a\ud800", "a\ue000", "a\u0378"),
    *("\U0001f600", "a\u20dd", "\u2167", "a\u00b2"),
    *("Zoe\u0308", "\u212aelvin", "\u0410lice", "Al\u0456ce", "a\u03b1"),
    *("Z\u0351\u036b\u0343", "q\u0323\u0331\u0324b"),
]
RESERVED = [
    *(
        "system",
        "SYSTEM",
        "System",
        "Dealer",
        "DEALER",
        "You",
        "y o u",
        "d-e-a-l-e-r",
        "Dea1er",
        "DeaIer",
        "De\u00e1ler",
    ),
    *(
        "\uff33ystem",
        "Admin",
        "Operator",
        "house",
        "assistant",
        "User",
        "Human",
        "everyone",
        "Railbird",
        "nobody",
        "pot",
    ),
    *("seat", "seat 3", "Seat3", "SEAT 10", "seat-0", "seat \u0663", "player 2", "Hand 12", "Table 1", "table"),
]


def refusal(name: str) -> PolicyRefusal:
    with pytest.raises(PolicyRefusal) as refused:
        name_policy.check_display_name(name=name)
    return refused.value


@pytest.mark.parametrize("name", TAKEN, ids=ascii)
def test_a_name_is_taken_as_it_is(name: str) -> None:
    """Names of the world, with quotes and a backslash: not a character of them changes."""
    assert name_policy.check_display_name(name=name) == name


@pytest.mark.parametrize("name", TOO_LONG, ids=lambda name: ascii(name[:3]))
def test_a_name_has_at_most_32_characters(name: str) -> None:
    """One that shows as many more counts by what it shows."""
    assert (refusal(name).code, refusal(name).why) == ("text_too_long", "a name has at most 32 characters")


@pytest.mark.parametrize("name", BAD_TEXT, ids=ascii)
def test_a_name_holds_nothing_unseen_and_no_markup(name: str) -> None:
    """Controls, directions, joiners, fillers, markup, signs, loose spaces and marks, two writing systems: refused."""
    assert refusal(name).code == "bad_text"


@pytest.mark.parametrize("name", RESERVED, ids=ascii)
def test_a_word_of_the_table_is_no_players_name(name: str) -> None:
    """In any case, spelling, spacing and with any accents; as a table's name it is taken."""
    assert (refusal(name).code, refusal(name).why) == ("bad_value", "the table speaks by this word")
    assert name_policy.check_table_name(name=name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Zoe\u0308", "a name is composed text (NFC)"),
        ("a<b", "a name has letters, digits, single spaces and ' \" \\ - _ . , ! ?"),
        ("Al ", "a name begins with a letter or digit; its spaces are single and inside"),
        ("q\u0323\u0331\u0324b", "a letter has at most 2 marks"),
        ("\u0410lice", "a name is of one writing system"),
    ],
    ids=ascii,
)
def test_a_refusal_says_which_rule(name: str, why: str) -> None:
    """The reason is the rule; the name is not repeated."""
    assert refusal(name).why == why


CONFLICTS = [
    # name, seated, conflict
    ("Alice", ["Bob"], False),
    ("Alice", [], False),
    ("Alice", ["Bob", "alice"], True),
    ("AIice", ["Alice"], True),
    ("max", ["rnax"], True),
    ("\u0441\u043e\u0440\u0455", ["cops"], True),
    ("Alice", ["Alicia", "Ali ce"], False),
]


@pytest.mark.parametrize(("name", "seated", "conflict"), CONFLICTS, ids=ascii)
def test_two_names_that_look_alike_do_not_sit_at_one_table(name: str, seated: list[str], conflict: bool) -> None:
    """The second is refused; a name that can be told from all seated ones is taken as it is."""
    taken, others = DisplayName(name), [DisplayName(other) for other in seated]
    if conflict:
        with pytest.raises(PolicyRefusal) as refused:
            name_policy.check_name_at_table(name=taken, seated=others)
        assert refused.value.code == "name_conflict"
        assert refused.value.why == "this name looks like that of somebody at the table"
    else:
        assert name_policy.check_name_at_table(name=taken, seated=others) is taken


def test_the_hostile_names() -> None:
    """Each name of the hostile strings is taken or refused as that file says; of a pair the second is."""
    for entry in hostile_strings(where="name"):
        if "pair" in entry:
            first, second = (json.loads(literal) for literal in entry["pair"])
            seated = name_policy.check_display_name(name=first)
            with pytest.raises(PolicyRefusal):
                name_policy.check_name_at_table(name=name_policy.check_display_name(name=second), seated=[seated])
        elif entry["at_input"] == "taken":
            assert name_policy.check_display_name(name=text_of(entry)) == text_of(entry)
        else:
            assert refusal(text_of(entry)).code in {"bad_text", "bad_value", "text_too_long"}, entry["id"]


@given(st.text(max_size=40))
def test_what_was_taken_is_visible_bounded_text(name: str) -> None:
    """Whatever passes is NFC, at most 32 characters, has something to see, and no character that cannot be seen."""
    try:
        taken = name_policy.check_display_name(name=name)
    except PolicyRefusal:
        return
    assert taken == name == unicodedata.normalize("NFC", name)
    assert 0 < len(taken) <= 32
    assert not any(map(is_unseen, taken))
    assert name_key(taken)
    assert not set(taken) & set("<>&[]{}`|/=@#:;*\n\r")


@given(st.text(max_size=6), st.text(max_size=6))
def test_a_conflict_is_the_same_from_both_sides(one: str, other: str) -> None:
    """Who sat down first does not matter for whether two names look alike."""
    answers = []
    for name, seated in ((one, other), (other, one)):
        try:
            name_policy.check_name_at_table(name=DisplayName(name), seated=[DisplayName(seated)])
            answers.append("taken")
        except PolicyRefusal as refused:
            answers.append(refused.code)
    assert answers[0] == answers[1]
    assert answers[0] == ("name_conflict" if name_key(one) == name_key(other) else "taken")
