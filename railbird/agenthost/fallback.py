"""Why a turn came to no decision: the words that the ledger keeps, and `docs/hosted-agents.md` explains."""

from __future__ import annotations

import enum

from capture.record import CallOutcome


class Fallback(enum.Enum):
    """Each word once. The first ones are how the last call ended."""

    CUT_SHORT = CallOutcome.CUT_SHORT.value
    TIMED_OUT = CallOutcome.TIMED_OUT.value
    RATE_LIMITED = CallOutcome.RATE_LIMITED.value
    REFUSED = CallOutcome.REFUSED.value
    UNREACHABLE = CallOutcome.UNREACHABLE.value
    GARBLED = CallOutcome.GARBLED.value
    MADE_NO_SENSE = "made_no_sense"
    """It was answered, and nobody could read the answer."""
    NO_TIME = "no_time"
    """None was left to ask."""
    BUDGET = "budget"
    """The day's is spent, or the price is unknown."""
    BUDGET_UNKNOWN = "budget_unknown"
    """The ledger did not say in time what is spent: what is not known is not spent."""
    MODEL_FAILED = "model_failed"
    """A fault of the model's adapter."""
    FAILED = "failed"
    """A fault of the host's."""
    TOO_LATE = "too_late"
    """The table had moved on."""
    NOT_TAKEN = "not_taken"
    """The move did not get there."""
    OVERTAKEN = "overtaken"
    """A newer request came first, or the host was stopped."""


def of_call(outcome: CallOutcome) -> Fallback:
    """Of a turn whose last call ended so, without a decision in it."""
    return Fallback.MADE_NO_SENSE if outcome is CallOutcome.ANSWERED else Fallback(outcome.value)
