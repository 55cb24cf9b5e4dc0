"""How much a prompt spells out."""

from __future__ import annotations

import enum


class Form(enum.Enum):
    """`COMPACT` costs fewer tokens and says the same as `PLAIN`."""

    COMPACT = "compact"
    PLAIN = "plain"
