"""How a call ended, from what was heard and what is on the tape, and whether asking again can help. Pure."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

from capture.record import CallOutcome
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.tape import Tape

_TOO_LONG: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded", "insufficient_system_resource"})
_FILTERED: Final = frozenset({"content_filter", "refusal", "safety"})
_BROKEN: Final = frozenset({"error", "abort"})
"""Words by which providers say that an answer is none. Any other word is taken for a proper end: there are many."""

_SAYS_WHAT_IT_LACKS: Final = frozenset({400, 422})
_MAY_NAME_IT: Final = frozenset({404, 415, 500, 501})
_PASSING: Final = frozenset({408, 409, 425})


class Failure(enum.Enum):
    """What stopped the reading of an answer: the line broke, the provider told of an error, what came made no sense."""

    LINE = "line"
    TOLD = "told"
    NONSENSE = "nonsense"


class Again(enum.Enum):
    """Whether to ask again: not at all, later, or at once for less (`LESS_IF_NAMED`: if the refusal names what is too much)."""

    NO = "no"
    LATER = "later"
    LESS = "less"
    LESS_IF_NAMED = "less_if_named"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`wait_s`: how long to wait, `None` where that is ours to choose. Who hung up may be there again at once, on a new connection."""

    outcome: CallOutcome
    again: Again = Again.NO
    wait_s: float | None = None


def judge(tape: Tape, heard: Heard, failure: Failure | None) -> Verdict:
    """Of a call that is over. What broke after the provider had said that the answer is whole does not matter."""
    if tape.status is None:
        return Verdict(CallOutcome.UNREACHABLE, Again.LATER, 0.0 if tape.hung_up else None)
    if tape.status >= 300:
        return _by_status(tape.status, tape)
    if heard.finish_reason is not None:
        return Verdict(_by_word(heard.finish_reason.lower(), heard))
    match failure:
        case None:
            return Verdict(_without_a_word(tape, heard))
        case Failure.NONSENSE:
            return Verdict(CallOutcome.GARBLED)
        case Failure.LINE | Failure.TOLD if heard.completion or heard.reasoning:
            return Verdict(CallOutcome.CUT_SHORT)
        case Failure.LINE:
            return Verdict(CallOutcome.UNREACHABLE, Again.LATER)
        case Failure.TOLD:
            return _by_fault(heard.fault, tape)


def _by_word(word: str, heard: Heard) -> CallOutcome:
    if word in _TOO_LONG:
        return CallOutcome.CUT_SHORT
    if word in _FILTERED:
        return CallOutcome.REFUSED
    if word in _BROKEN:
        return CallOutcome.CUT_SHORT if heard.completion else CallOutcome.UNREACHABLE
    return CallOutcome.ANSWERED if heard.completion is not None else CallOutcome.GARBLED


def _without_a_word(tape: Tape, heard: Heard) -> CallOutcome:
    """The stream ended as if all were well, but nobody said so; the SDKs are silent about it."""
    if heard.events == 0:
        streamed = tape.headers.get("content-type", "").lower().startswith("text/event-stream")
        return CallOutcome.CUT_SHORT if streamed or not tape.response_body else CallOutcome.GARBLED
    done = bytes(tape.response_body[-32:]).rstrip().endswith(b"[DONE]")
    return CallOutcome.ANSWERED if done and heard.completion else CallOutcome.CUT_SHORT


def _by_status(status: int, tape: Tape) -> Verdict:
    wait_s = wanted_wait_s(tape.headers)
    if status == 429:
        spent = b"insufficient_quota" in tape.response_body
        return Verdict(CallOutcome.RATE_LIMITED, Again.NO if spent else Again.LATER, wait_s)
    if status in _SAYS_WHAT_IT_LACKS:
        return Verdict(CallOutcome.REFUSED, Again.LESS)
    if status >= 500:
        again = Again.LESS_IF_NAMED if status in _MAY_NAME_IT else Again.LATER
        return Verdict(CallOutcome.UNREACHABLE, again, wait_s)
    if status in _PASSING:
        return Verdict(CallOutcome.UNREACHABLE, Again.LATER, wait_s)
    return Verdict(CallOutcome.REFUSED, Again.LESS_IF_NAMED if status in _MAY_NAME_IT else Again.NO)


def _by_fault(fault: object, tape: Tape) -> Verdict:
    """An error told with status 200. Its code is a status, or words of the provider's own."""
    inner = fault.get("error", fault) if isinstance(fault, Mapping) else fault
    told = [inner.get(name) for name in ("code", "status", "type")] if isinstance(inner, Mapping) else []
    status = next((code for code in told if isinstance(code, int) and 400 <= code <= 599), None)
    if status is not None:
        return _by_status(status, tape)
    if any(isinstance(word, str) and "rate" in word for word in told):
        return Verdict(CallOutcome.RATE_LIMITED, Again.LATER, wanted_wait_s(tape.headers))
    return Verdict(CallOutcome.UNREACHABLE, Again.LATER)


def wanted_wait_s(headers: Mapping[str, str]) -> float | None:
    """What `Retry-After` asks for: seconds, or a date, which is counted from the answer's own `Date`."""
    if (wait_ms := _number(headers.get("retry-after-ms"))) is not None:
        return wait_ms / 1000
    given = headers.get("retry-after")
    return number if (number := _number(given)) is not None else _until(given, headers.get("date"))


def _number(given: str | None) -> float | None:
    try:
        number = float(given or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(then: str | None, now: str | None) -> float | None:
    if then is None or now is None:
        return None
    try:
        return max(0.0, (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds())
    except (ValueError, TypeError):
        return None
