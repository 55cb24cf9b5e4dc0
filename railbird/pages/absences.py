"""Why something of a turn is not there, in words. Each reason has its own, and what is there and empty has others still
(test_not_captured_expired_dropped_and_empty_are_four_sentences).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capture.record import MissingReason

EMPTY: Final = "Empty: it was captured, and there is nothing in it."

OF_A_PART: Final[Mapping[MissingReason, str]] = {
    MissingReason.BEFORE_CAPTURE: "Not captured: the program of the agent did not hand it over.",
    MissingReason.EXPIRED: "Expired: it was captured, and its time is over. Only what is kept stays.",
    MissingReason.DROPPED: "Dropped: it was captured, and there was no room for it in the end.",
    MissingReason.STORE_DOWN: "Not to be had now: the store of captured turns does not answer. Look again in a moment.",
    MissingReason.REDACTED: "Deleted: it was captured, and then deleted for good.",
    MissingReason.NO_DECISION: "No decision came of this turn, so there is nothing to show of one.",
}

OF_A_HAND: Final[Mapping[MissingReason, str]] = {
    **OF_A_PART,
    MissingReason.BEFORE_CAPTURE: (
        "Not captured: your agent was dealt in, and nothing is on record of it. It was not asked to act, or the program that plays it "
        "records nothing here."
    ),
    MissingReason.REDACTED: "Deleted: all turns of your agent in this hand were deleted for good.",
}
