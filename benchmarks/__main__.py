"""`python -m benchmarks [NAME ...] [--seconds S]`: run the named benchmarks, or all of them.

To add one, write a module with `run(seconds) -> (title, figures)` and name it in BENCHMARKS.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from benchmarks import agenthost, capture, fanout, hands, tables, thousand, views
from benchmarks.measure import Figure, print_figures

Benchmark: TypeAlias = Callable[[float], tuple[str, Sequence[Figure]]]

BENCHMARKS: Final[dict[str, Benchmark]] = {
    "hands": hands.run,
    "views": views.run,
    "tables": tables.run,
    "thousand": thousand.run,
    "fanout": fanout.run,
    "capture": capture.run,
    "agenthost": agenthost.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Our speed, side by side with peers.")
    parser.add_argument("names", nargs="*", help=f"which ones: {', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=6.0, help="CPU seconds for each thing measured (default: 6)")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    for name in chosen.names or BENCHMARKS:
        print_figures(*BENCHMARKS[name](chosen.seconds))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
