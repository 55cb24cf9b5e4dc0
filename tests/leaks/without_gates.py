"""The whole suite with a gate taken out, for one gate after the other: which tests notice, and in which rooms.

`make leaks LEAKS_ARGS=--without-gates` for all of them, or with names of gates behind it. What was found is written down after each
gate, so that a run that was stopped goes on where it was; a change of the code begins anew. Exit code 1 where a gate is missed by
nothing but its own tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.conftest import ROOT
from tests.leaks import gate_out
from tests.leaks.sentinels import LETS_ALL_THROUGH

FOUND: Final = ROOT / "mutants" / "without-gates.jsonl"
ONE_GATE_S: Final = 1_200
"""A gate's run is ended then, and what was red by then counts."""
OWN: Final = "policy"
"""The room of the gates' own tests."""


@dataclass(frozen=True, slots=True)
class Missed:
    """One gate's run. `code`: what was tested. `rooms`: how many tests of each room were red, of `tests` that were run."""

    gate: str
    code: str
    tests: int
    rooms: Mapping[str, int]
    took_s: int
    ended: bool

    @property
    def is_missed(self) -> bool:
        """By more than its own tests."""
        return any(red for room, red in self.rooms.items() if room != OWN)


def run(wanted: Sequence[str], *, minutes: float, found: Path = FOUND) -> int:
    """Each of these gates, or all; for so long at most, what is under way included."""
    unknown = set(wanted) - LETS_ALL_THROUGH.keys()
    if unknown:
        print(f"no gates: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    ends_s, code = time.monotonic() + 60 * minutes, code_of(ROOT)
    known = {missed.gate: missed for missed in read(found) if missed.code == code}
    runs: list[Missed] = []
    for gate in wanted or list(LETS_ALL_THROUGH):
        left_s = min(ONE_GATE_S, int(ends_s - time.monotonic()))
        if gate not in known and left_s > 0:
            known[gate] = one(gate, code, left_s)
            _keep(known[gate], found)
        if gate in known:
            runs.append(known[gate])
            print(line(known[gate]), flush=True)
        else:
            print(f"{gate}: no time was left; the same command goes on here")
    return 0 if len(runs) == len(wanted or LETS_ALL_THROUGH) and all(each.is_missed for each in runs) else 1


def line(missed: Missed) -> str:
    """For people."""
    rooms = ", ".join(f"{room} {red}" for room, red in sorted(missed.rooms.items(), key=lambda item: -item[1]))
    verdict = f"{sum(missed.rooms.values())} red of {missed.tests}: {rooms}" if missed.is_missed else "NOBODY MISSES IT"
    return f"{missed.gate}: {verdict} ({missed.took_s} s{'' if missed.ended else ', not to the end'})"


def one(gate: str, code: str, limit_s: int) -> Missed:
    """The whole suite without this gate."""
    print(f"without {gate} ...", file=sys.stderr, flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [str(ROOT / "scripts/tests.sh"), "-q", "--tb=no", f"--junitxml={report}"]
        environment = {**os.environ, gate_out.GATE: gate, "RAILBIRD_TEST_LIMIT_S": str(limit_s)}
        plugin = {"PYTEST_ADDOPTS": "-p tests.leaks.gate_out", "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(command, cwd=ROOT, env={**environment, **plugin}, stdout=subprocess.DEVNULL, check=False)
        tests, rooms = counted(report)
    return Missed(gate, code, tests, rooms, round(time.monotonic() - began), ran.returncode in (0, 1))


def counted(report: Path) -> tuple[int, dict[str, int]]:
    """How many tests a report has, and how many were red in each room. None where it was not written."""
    if not report.exists():
        return 0, {}
    cases = list(ET.parse(report).getroot().iter("testcase"))
    red = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return len(cases), dict(Counter(case.get("classname", "").removeprefix("tests.").split(".")[0] for case in red))


def code_of(root: Path) -> str:
    """What is tested: the commit, and what is changed in the checkout."""
    told = b"".join(
        subprocess.run(["git", *arguments], cwd=root, stdout=subprocess.PIPE, check=True).stdout
        for arguments in (("rev-parse", "HEAD"), ("diff", "HEAD", "--", "*.py"))
    )
    return hashlib.sha256(told).hexdigest()[:16]


def read(found: Path) -> Iterator[Missed]:
    """What earlier runs wrote down."""
    if found.exists():
        for text in found.read_text(encoding="utf-8").splitlines():
            yield Missed(**json.loads(text))


def _keep(missed: Missed, found: Path) -> None:
    found.parent.mkdir(parents=True, exist_ok=True)
    with found.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(missed)) + "\n")
