"""Numbers in an address: plain decimal digits, within the range of the store; anything else is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.history.page import LARGEST, USUAL
from policy.ids import HandNumber

_PLAIN: Final = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_LARGEST_STORED: Final = 2**63 - 1


def hand_number(text: str) -> HandNumber | None:
    """The text as the number of a hand, or None: `1`, and neither `01`, `1.0`, `1e3`, `+1` nor a number that no store has."""
    if _PLAIN.fullmatch(text) is None or int(text) > _LARGEST_STORED:
        return None
    return HandNumber(int(text))


def limit_of(values: Sequence[str]) -> int:
    """How many hands a page has at most, from what `?limit=` says. Raises Refusal `out_of_range`."""
    if not values:
        return USUAL
    limit = hand_number(values[0])
    if len(values) > 1 or limit is None or limit > LARGEST:
        raise Refusal(ErrorCode.OUT_OF_RANGE, f"limit is a whole number from 1 to {LARGEST}")
    return limit


def before_of(values: Sequence[str]) -> HandNumber | None:
    """Where a page ends, from what `?before=` says; None: it begins with the newest. Raises Refusal `out_of_range`."""
    if not values:
        return None
    before = hand_number(values[0])
    if len(values) > 1 or before is None:
        raise Refusal(ErrorCode.OUT_OF_RANGE, "before is the number of a hand")
    return before
