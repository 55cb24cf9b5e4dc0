"""Measuring and saying it: rounds of CPU time, percentiles, and a table with ratios."""

from __future__ import annotations

import importlib.metadata
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured. `value` is None where it was not: `note` says why. `higher`: the more the better.

    `has_peer`: whether it is to be compared with the first of its unit.
    """

    name: str
    value: float | None
    unit: str
    note: str = ""
    higher: bool = True
    has_peer: bool = True


def rate(work: Callable[[], object], seconds: float, rounds: int = 3) -> float:
    """How often a second of CPU time `work` gets done: the median of some rounds."""
    return statistics.median(_round(work, seconds / rounds) for _ in range(rounds))


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie."""
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def version(distribution: str) -> str:
    """`name version`, or `name not installed`."""
    try:
        return f"{distribution} {importlib.metadata.version(distribution)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{distribution} not installed"


def print_figures(title: str, figures: Sequence[Figure]) -> None:
    """A table, and how each compares to the first of its unit (ours): above 1 means that ours is ahead."""
    print(f"\n{title}")
    for figure in figures:
        print(
            f"  {figure.name:<44} {_value(figure):>12} {figure.unit:<9} {_ratio(figure, figures):<14} {figure.note}".rstrip()
        )


def _round(work: Callable[[], object], seconds: float) -> float:
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        work()
        done += 1
    return done / spent


def _value(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    return f"{figure.value:,.0f}" if figure.value >= 100 else f"{figure.value:,.3g}"


def _ratio(figure: Figure, figures: Sequence[Figure]) -> str:
    ours = next(other for other in figures if other.unit == figure.unit)
    if figure is ours or not figure.has_peer or not figure.value or not ours.value:
        return ""
    ahead = ours.value / figure.value if figure.higher else figure.value / ours.value
    return f"ours {ahead:.2f}x"
