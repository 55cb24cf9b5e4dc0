"""`python -m tests.crash --kills 300 --db sqlite|postgres`: kill the real server so many times, and say what was left."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gameserver.store.stored import HandStatus
from tests.crash import harness
from tests.crash.harness import LEAST_OF_EACH_PHASE, Report
from tests.crash.marks import Phase
from tests.live import postgres


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    asked.add_argument("--kills", type=int, default=300, help="how many (default: 300)")
    asked.add_argument("--db", choices=("sqlite", "postgres"), default="sqlite", help="on which database")
    asked.add_argument(
        "--seed", type=int, default=int(time.time()), help="of the instants (default: another one each time)"
    )
    chosen = asked.parse_args()
    print(f"{chosen.kills} kills on {chosen.db}, seed {chosen.seed}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="railbird-crash-") as folder, _database(chosen.db, Path(folder)) as url:
        report = asyncio.run(harness.run(url, Path(folder) / "keys", chosen.kills, chosen.seed, _tell(chosen.kills)))
    print(summary(report, chosen.kills))
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if problems(report, chosen.kills) else 0


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'railbird.sqlite'}"
        return
    with postgres.running() as url:
        yield url.render_as_string(hide_password=False)


def _tell(kills: int) -> Callable[[int, Report], None]:
    def told(number: int, report: Report) -> None:
        if sys.stdout.isatty():
            print(f"\r{number} of {kills}", end="\n" if number == kills else "", flush=True)
        elif number % 25 == 0:
            print(f"{number} of {kills}", flush=True)

    return told


def summary(report: Report, kills: int) -> str:
    """The report in words."""
    hands = ", ".join(f"{report.hands[status]} {status}" for status in HandStatus)
    return "\n".join(
        [
            *(f"  {phase:<28} {report.phases[phase]:>5} kills" for phase in Phase),
            f"  hands: {hands}",
            f"  chips on seats and in bankrolls: {report.chips:,}; issued: the same",
            *problems(report, kills),
        ]
    )


def problems(report: Report, kills: int) -> list[str]:
    """What is wrong, and phases that a long run hit too seldom to say anything about them."""
    seldom = [
        f"too few kills {phase}: {report.phases[phase]}"
        for phase in Phase
        if kills >= 300 and report.phases[phase] <= LEAST_OF_EACH_PHASE
    ]
    return [*report.wrong, *seldom]


if __name__ == "__main__":
    sys.exit(main())
