"""SECURITY: not display logic. Which texts may be the name of an agent, a person or a table.

Withholds a name from a text that would speak as somebody else: as the table, as a role, as a seat, as another player,
or as part of a page, a prompt, a log, a path or a spreadsheet. It holds before anything is stored.
A name is refused and not repaired: a repaired name is somebody else's choice.

A name is letters and digits of one writing system, with single spaces and a few marks between. Its way out is still
quoted and escaped (`prompt_policy`, the pages): a name that was taken here is data, and no more.

Holds decision 0003.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final, NewType

from policy.characters import is_unseen, name_key, scripts_of
from policy.errors import PolicyRefusal, RefusalCode

DisplayName = NewType("DisplayName", str)
"""A player's name that `check_display_name` has taken."""

TableName = NewType("TableName", str)
"""A table's name that `check_table_name` has taken."""

MOST_CHARACTERS: Final = 32
MOST_MARKS_IN_A_ROW: Final = 2
"""Accents on one letter, after composing: enough for every living script, too few to paint over a neighbour."""

_PUNCTUATION: Final = frozenset(" '\"\\-_.,!?")
_RESERVED_WORDS: Final = (
    *("system", "developer", "assistant", "user", "human", "tool", "function", "model"),
    *("dealer", "house", "board", "pot", "button", "blind", "blinds", "hand", "deck", "game", "server"),
    *("you", "me", "self", "everyone", "everybody", "all", "nobody", "none", "null", "unknown", "anonymous"),
    *("admin", "administrator", "operator", "moderator", "host", "owner", "spectator", "observer", "staff", "railbird"),
)
_RESERVED: Final = frozenset(map(name_key, _RESERVED_WORDS))
_NUMBERED: Final = re.compile(f"(?:{'|'.join(map(name_key, ('seat', 'player', 'hand', 'table')))})[0-9ol]*")
"""Addresses: in a name's key a nought is an o, and a one an l."""


def check_display_name(*, name: str) -> DisplayName:
    """The name of a player, as it is.

    Raises PolicyRefusal as `check_table_name` does, and `bad_value` where the table or a role speaks by that word.
    """
    if _is_reserved(check_table_name(name=name)):
        raise PolicyRefusal(RefusalCode.BAD_VALUE, "the table speaks by this word")
    return DisplayName(name)


def check_table_name(*, name: str) -> TableName:
    """The name of a table, as it is.

    Raises PolicyRefusal: `text_too_long` above 32 characters, those that look like several counted as several;
    `bad_text` where it is not NFC, has a character that names have not, marks or spaces out of place, or mixes writing
    systems.
    """
    # The plain length first: what follows takes time by length.
    if len(name) > MOST_CHARACTERS or len(unicodedata.normalize("NFKC", name)) > MOST_CHARACTERS:
        raise PolicyRefusal(RefusalCode.TEXT_TOO_LONG, f"a name has at most {MOST_CHARACTERS} characters")
    if not unicodedata.is_normalized("NFC", name):
        raise PolicyRefusal(RefusalCode.BAD_TEXT, "a name is composed text (NFC)")
    if not all(map(_is_for_names, name)):
        raise PolicyRefusal(RefusalCode.BAD_TEXT, "a name has letters, digits, single spaces and ' \" \\ - _ . , ! ?")
    if not name or not name[0].isalnum() or name.endswith(" ") or "  " in name:
        raise PolicyRefusal(
            RefusalCode.BAD_TEXT, "a name begins with a letter or digit; its spaces are single and inside"
        )
    if _marks_in_a_row(name) > MOST_MARKS_IN_A_ROW:
        raise PolicyRefusal(RefusalCode.BAD_TEXT, f"a letter has at most {MOST_MARKS_IN_A_ROW} marks")
    if len(scripts_of(name)) > 1:
        raise PolicyRefusal(RefusalCode.BAD_TEXT, "a name is of one writing system")
    return TableName(name)


def check_name_at_table(*, name: DisplayName, seated: Collection[DisplayName]) -> DisplayName:
    """The name, where no seated one looks like it. `seated`: the other players' names.

    Raises PolicyRefusal `name_conflict` where a person could not tell the two apart.
    """
    if name_key(name) in map(name_key, seated):
        raise PolicyRefusal(RefusalCode.NAME_CONFLICT, "this name looks like that of somebody at the table")
    return name


def _is_for_names(character: str) -> bool:
    category = unicodedata.category(character)
    is_written = category[0] == "L" or category in {"Mn", "Mc", "Nd"} or character in _PUNCTUATION
    return is_written and not is_unseen(character)


def _marks_in_a_row(name: str) -> int:
    runs = re.findall("M+", "".join(unicodedata.category(character)[0] for character in name))
    return max(map(len, runs), default=0)


def _is_reserved(name: str) -> bool:
    """Whether it is a word of the table, whatever stands between its letters or above them."""
    bare = "".join(character for character in name_key(name) if character.isalnum())
    return bare in _RESERVED or _NUMBERED.fullmatch(bare) is not None
