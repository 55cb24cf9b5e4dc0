"""`make leaks`: the leak suite with many examples, and the matrix of who was compared where. Exit code 1 on a difference or an empty cell."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from tests.conftest import SHARED
from tests.leaks import machine, matrix, recorded, tours, without_gates
from tests.leaks.twins import Cell, Tally, Twins, templates

EXAMPLES: Final = 60
SEEDS: Final = 2
HANDS: Final = SHARED / "data/phh"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make leaks", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="of the state machine, in each process")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="tours of each kind of table")
    parser.add_argument("--every", type=int, default=1, help="of the recorded hands")
    parser.add_argument(
        "--without-gates",
        nargs="*",
        metavar="GATE",
        help="instead: the whole suite with each of these gates, or all, taken out",
    )
    parser.add_argument("--minutes", type=float, default=60, help="for the suites without gates; a further run goes on")
    asked = parser.parse_args()
    if asked.without_gates is not None:
        return without_gates.run(asked.without_gates, minutes=asked.minutes)
    began = time.monotonic()
    jobs = [(asked.examples, asked.seeds, asked.every, first) for first in (0, 1)]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        tallies = list(processes.map(half, jobs))
    total = merged(tallies)
    print(matrix.table(total), *matrix.footnotes(), sep="\n")
    print(f"{total.deals} hands were dealt in a second world, {total.other_deals} of them from other cards")
    print(f"{sum(total.sizes.values()) / 1e6:.0f} MB compared in {time.monotonic() - began:.0f} s")
    empty = matrix.empty_cells(total)
    for viewer, way in empty:
        print(f"EMPTY: {viewer} by {way}", file=sys.stderr)
    return 1 if empty else 0


def half(job: tuple[int, int, int, int]) -> Tally:
    """One process's share: tours of its seeds, half of the recorded hands, and a machine."""
    examples, seeds, every, first = job
    tally = Tally()
    for template in templates():
        for seed in range(first, seeds, 2):
            _tours(seed, tally, template)
        _recorded(first, every, tally, template)
        _say(f"{examples} plays by chance")
        machine.run(tally, template, examples=examples, seed=first)
    return tally


def _tours(seed: int, tally: Tally, template: Path) -> None:
    for setting in tours.SETTINGS:
        _say(f"tour of a {setting.name} table, seed {seed}")
        Twins(setting, seed, tally, template).check(tours.tour(setting), tours.focus_of(setting))


def _recorded(first: int, every: int, tally: Tally, template: Path) -> None:
    if not HANDS.is_dir():
        _say("the folder ../shared is not beside the project: no recorded hands")
        return
    hands = list(recorded.recorded_hands(HANDS))[first :: 2 * every]
    _say(f"{len(hands)} recorded hands")
    for number, hand in enumerate(hands):
        seat = number % len(hand.stacks)
        recorded.check(hand, tally, template, seats=[seat], show_hands=number % 4 == 3)
        if number % 50 == 49:
            _say(f"{number + 1} of {len(hands)} recorded hands")


def merged(tallies: Sequence[Tally]) -> Tally:
    """All together."""
    total = Tally()
    for tally in tallies:
        for ours, theirs in _counts(total, tally):
            for cell, count in theirs.items():
                ours[cell] += count
        total.deals += tally.deals
        total.other_deals += tally.other_deals
    return total


def _counts(one: Tally, other: Tally) -> Iterator[tuple[dict[Cell, int], dict[Cell, int]]]:
    yield one.worlds, other.worlds
    yield one.frames, other.frames
    yield one.sizes, other.sizes


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
