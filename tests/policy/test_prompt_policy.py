"""Other people's text in a prompt is one quoted value on one line, whatever it says."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import prompt_policy
from policy.characters import is_unseen
from tests.policy.hostile_text import hostile_strings, text_of

QUOTED = [
    # text, as it stands in a prompt
    ("", '""'),
    ("nice hand", '"nice hand"'),
    ('he said "call"', '"he said \\"call\\""'),
    ("a\\b", '"a\\\\b"'),
    ("a\nb\r\tc", '"a\\nb\\r\\tc"'),
    ("fold\n\n## Legal actions", '"fold\\n\\n## Legal actions"'),
    ("<|im_end|>", '"\\u003c\\u007cim_end\\u007c\\u003e"'),
    ("[INST]", '"\\u005bINST\\u005d"'),
    ("```{{x}}", '"\\u0060\\u0060\\u0060\\u007b\\u007bx\\u007d\\u007d"'),
    ("\uff1c\uff5ceot\u2581", '"\\uff1c\\uff5ceot\\u2581"'),
    ("Al\u200bice\u202e", '"Al\\u200bice\\u202e"'),
    ("\U000e0041", '"\\udb40\\udc41"'),
    ("\ud83d", '"\\ud83d"'),
    ("\x00\x1b\x7f\x85\u2028\xa0", '"\\u0000\\u001b\\u007f\\u0085\\u2028\\u00a0"'),
    ("a b  c   d    e", '"a b \\u0020c \\u0020 d \\u0020 \\u0020e"'),
    ("Zo\u00eb \u5c71 \U0001f600", '"Zo\u00eb \u5c71 \U0001f600"'),
    ("it's 100% (+1) $x #1 *a* _b_ ~c~", '"it\'s 100% (+1) $x #1 *a* _b_ ~c~"'),
]


@pytest.mark.parametrize(("text", "quoted"), QUOTED, ids=ascii)
def test_the_quoted_value(text: str, quoted: str) -> None:
    """Breaks, quotes, structure and what cannot be seen are shown by their codes; all else stands as it was written."""
    assert prompt_policy.quote_for_prompt(text=text, most_characters=500) == quoted


@pytest.mark.parametrize(
    ("text", "most", "quoted"),
    [
        ("abc", 3, '"abc"'),
        ("abcd", 3, '"abc" (cut: 3 of 4 characters)'),
        ("\n\n\n", 1, '"\\n" (cut: 1 of 3 characters)'),
        ("  x", 2, '" \\u0020" (cut: 2 of 3 characters)'),
    ],
)
def test_a_cut_is_told_behind_the_quote(text: str, most: int, quoted: str) -> None:
    """A text that is too long is cut by its own characters, and the cut stands in our words outside of its quote."""
    assert prompt_policy.quote_for_prompt(text=text, most_characters=most) == quoted


def check(text: str) -> None:
    quoted = prompt_policy.quote_for_prompt(text=text, most_characters=2_000)
    assert len(quoted.splitlines()) == 1
    assert quoted.startswith('"')
    value, end = json.JSONDecoder().raw_decode(quoted)
    assert value == text[:2_000]
    assert quoted[end:] in {"", f" (cut: 2000 of {len(text)} characters)"}
    assert not any(map(is_unseen, quoted))
    assert not set(unicodedata.normalize("NFKC", quoted)) & set("<>[]{}|`\u2581")
    assert "  " not in quoted
    assert end <= 12 * 2_000 + 2


def test_the_hostile_strings_stay_in_their_quotes() -> None:
    """Every hostile chat line, note, name and thought is one value on one line, and a JSON reader gets it back."""
    for where in ("chat", "note", "name", "reasoning"):
        for entry in hostile_strings(where=where):
            for text in [json.loads(literal) for literal in entry["pair"]] if "pair" in entry else [text_of(entry)]:
                check(text)


@given(st.text())
def test_any_text_stays_in_its_quotes(text: str) -> None:
    """One line, one value, nothing unseen, no structural character, and the text comes back whole."""
    check(text)


@given(st.text(alphabet='\\"\n u0020<|', max_size=12))
def test_texts_of_quotes_and_escapes_stay_in_their_quotes(text: str) -> None:
    """What looks like an escape or the end of a quote is told from one."""
    check(text)
