"""What in a diary is a failure, and what the bot did, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from railbird.checkbot.diary import Diary
from railbird.checkbot.faults import Fault

TURNS_AFTER: Final = 3
"""So many turns a bot has to act on after a fault."""
MOST_REFUSALS: Final = 3
"""So many refused messages are slips."""
STAYS_AWAY_S: Final = 3.0
"""So long a bot that was told to stop is watched."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One fault, what the bot did, and what of it was wrong. `said`: the last lines that the bot printed, where it failed."""

    fault: str
    words: str
    did: tuple[str, ...]
    failures: tuple[str, ...]
    said: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures


def judge(fault: Fault, diary: Diary, *, exit_code: int | None, patience_s: float, said: tuple[str, ...]) -> Verdict:
    """`exit_code`: of a bot that ended by itself; None: it had to be ended."""
    failures = tuple(_failures(fault, diary, exit_code, patience_s))
    return Verdict(fault.name, fault.words, tuple(_did(fault, diary)), failures, said if failures else ())


def is_decided(fault: Fault, diary: Diary) -> bool:
    """Whether there is nothing more to wait for: the bot has shown all that it has to, or it has failed."""
    return _has_gone_on(fault, diary) or any(_wrongs(fault, diary))


def _has_gone_on(fault: Fault, diary: Diary) -> bool:
    back = not fault.breaks_the_line or diary.came_back_after_s is not None
    return not fault.is_final and back and diary.taken_since >= TURNS_AFTER


def _failures(fault: Fault, diary: Diary, exit_code: int | None, patience_s: float) -> Sequence[str]:
    """What it did wrong; else what it did not do, which nobody waited for where it had failed before."""
    return tuple(_wrongs(fault, diary)) or tuple(_presence(fault, diary, exit_code, patience_s))


def _wrongs(fault: Fault, diary: Diary) -> Iterator[str]:
    if diary.twice:
        yield f"it acted twice on one turn ({_times(diary.twice)})"
    if diary.ran_out > fault.may_run_out:
        yield f"it let {_count(diary.ran_out - fault.may_run_out, 'turn')} run out"
    refused = diary.errors - Counter(fault.allowed)
    if refused.total() > MOST_REFUSALS:
        yield f"{refused.total()} of its messages were refused ({_codes(refused)}); {MOST_REFUSALS} would be slips"


def _presence(fault: Fault, diary: Diary, exit_code: int | None, patience_s: float) -> Iterator[str]:
    if fault.is_final:
        yield from _after_the_end(diary, exit_code, patience_s)
        return
    if _has_gone_on(fault, diary):
        return
    ended = "" if exit_code is None else f" (it ended with exit code {exit_code})"
    if not diary.visits:
        yield f"it did not connect within {patience_s:g} s{ended}"
    elif diary.struck_at is None:
        yield f"it acted on {_count(diary.taken, 'turn')} within {patience_s:g} s, too few to begin{ended}"
    elif fault.breaks_the_line and diary.came_back_after_s is None:
        yield f"it did not come back within {patience_s:g} s{ended}"
    else:
        yield f"it acted on {diary.taken_since} of {TURNS_AFTER} turns within {patience_s:g} s afterwards{ended}"


def _after_the_end(diary: Diary, exit_code: int | None, patience_s: float) -> Iterator[str]:
    if diary.struck_at is None:
        ended = "" if exit_code is None else f" (it ended with exit code {exit_code})"
        yield f"it acted on {_count(diary.taken, 'turn')} within {patience_s:g} s, too few to begin{ended}"
    elif diary.came_back_after_s is not None:
        yield f"it came back after {diary.came_back_after_s:.1f} s"


def _did(fault: Fault, diary: Diary) -> Iterator[str]:
    back_s = diary.came_back_after_s
    if back_s is not None and not fault.is_final:
        opening = next((visit.opening for visit in diary.visits[1:] if visit.opening), "")
        yield f"came back after {back_s:.1f} s" + (f" with {opening}" if opening else "")
    if fault.is_final and diary.struck_at is not None and back_s is None:
        yield f"stayed away for {STAYS_AWAY_S:g} s"
    yield f"acted on {_count(diary.taken, 'turn')}"
    if diary.ran_out:
        yield f"{_count(diary.ran_out, 'turn')} ran out"
    if diary.errors:
        yield f"was refused: {_codes(diary.errors)}"


def _codes(errors: Counter[str]) -> str:
    return ", ".join(f"{code} {_times(count)}" for code, count in sorted(errors.items()))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("" if count == 1 else "s")
