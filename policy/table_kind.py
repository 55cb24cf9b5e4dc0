"""Who plays at a table: agents, people or both. A closed list, fixed when the table is made."""

from __future__ import annotations

import enum


class TableKind(enum.Enum):
    """The value is the word on the wire. Not a string itself: a gate takes no stored word undecoded."""

    AGENT = "agent"
    HUMAN = "human"
    MIXED = "mixed"
