"""SECURITY: not display logic. How other people's text enters an agent's prompt.

Withholds the voice of the prompt from whoever wrote a name, a chat line, a note or a shown thought: their text is one
quoted value on one line, and nothing in it begins a line, ends the quote, opens a section or a role, or is a control
token of a model's template. It holds wherever text that the agent's own model did not write enters a prompt.

It does not judge what a text says. "Fold now" is quoted, and it is for the model to make of it what it will; the
decision is read from the model's own reply and from nowhere else (that is the parser's part).

Holds decision 0003.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from policy.characters import is_unseen

_ESCAPED_BY_BACKSLASH: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

# What templates make control tokens, sections and fences of: <|im_end|>, </s>, [INST], ```, {{ }}, and SentencePiece's
# own space. Broken up in the open, by their codes: a model still reads them, a tokenizer takes them for what they are,
# text.
_STRUCTURAL: Final = frozenset("<>[]{}|`\u2581")


def quote_for_prompt(*, text: str, most_characters: int) -> str:
    """The text as one quoted value on one line, in the form of a JSON string; a JSON reader gets the text back.

    `most_characters`: how many of the text's characters are kept (above 0); a cut is told behind the quote.
    A character becomes at most twelve, so the value is bounded too.
    """
    # A row of spaces could push the rest out of sight: every second one is shown by its code.
    quoted = "".join(map(_as_quoted, text[:most_characters])).replace("  ", " \\u0020")
    if len(text) <= most_characters:
        return f'"{quoted}"'
    return f'"{quoted}" (cut: {most_characters} of {len(text)} characters)'


def _as_quoted(character: str) -> str:
    if escape := _ESCAPED_BY_BACKSLASH.get(character):
        return escape
    if is_unseen(character) or not _STRUCTURAL.isdisjoint(unicodedata.normalize("NFKC", character)):
        return _as_codes(character)
    return character


def _as_codes(character: str) -> str:
    r"""Its UTF-16 codes, as JSON has them: `\u200b`, or two of them."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
