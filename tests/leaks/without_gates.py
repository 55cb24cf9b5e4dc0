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
NO_GATE: Final = ""
"""In a gate's place: none is out."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The suite without one gate, or with all of them. `code`: what was tested. `red`: the names of tests, of `tests` that were run."""

    gate: str
    code: str
    tests: int
    red: Sequence[str]
    took_s: int
    ended: bool


def run(wanted: Sequence[str], *, minutes: float, found: Path = FOUND) -> int:
    """Each of these gates, or all; for so long at most, what is under way included.

    First of all the suite with every gate: what is red then notices nothing.
    """
    unknown = set(wanted) - LETS_ALL_THROUGH.keys()
    if unknown:
        print(f"no gates: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    ends_s, code = time.monotonic() + 60 * minutes, code_of(ROOT)
    known = {ran.gate: ran for ran in read(found) if ran.code == code}
    well = True
    for gate in (NO_GATE, *(wanted or LETS_ALL_THROUGH)):
        left_s = min(ONE_GATE_S, int(ends_s - time.monotonic()))
        if gate not in known and left_s > 0:
            known[gate] = one(gate, code, left_s)
            _keep(known[gate], found)
        if gate not in known:
            print(f"{gate or 'with every gate'}: no time was left; the same command goes on here")
            well = False
        elif gate != NO_GATE:
            rooms = missed_in(known[gate], known[NO_GATE])
            print(line(known[gate], rooms), flush=True)
            well = well and any(room != OWN for room in rooms)
    return 0 if well else 1


def missed_in(ran: Ran, whole: Ran) -> Mapping[str, int]:
    """How many tests of each room are red without the gate, and are not with it."""
    return Counter(name.removeprefix("tests.").partition(".")[0] for name in set(ran.red) - set(whole.red))


def line(ran: Ran, rooms: Mapping[str, int]) -> str:
    """For people."""
    told = ", ".join(f"{room} {red}" for room, red in sorted(rooms.items(), key=lambda item: (-item[1], item[0])))
    if all(room == OWN for room in rooms):
        told = f"NOBODY MISSES IT but its own tests ({rooms.get(OWN, 0)})"
    return f"{ran.gate}: {told}, of {ran.tests} tests ({ran.took_s} s{'' if ran.ended else ', not to the end'})"


def one(gate: str, code: str, limit_s: int) -> Ran:
    """The whole suite without this gate."""
    print(f"without {gate or 'none of them'} ...", file=sys.stderr, flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [str(ROOT / "scripts/tests.sh"), "-q", "--tb=no", f"--junitxml={report}"]
        environment = {**os.environ, gate_out.GATE: gate, "RAILBIRD_TEST_LIMIT_S": str(limit_s)}
        plugin = {"PYTEST_ADDOPTS": "-p tests.leaks.gate_out", "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(command, cwd=ROOT, env={**environment, **plugin}, stdout=subprocess.DEVNULL, check=False)
        tests, red = counted(report)
    return Ran(gate, code, tests, red, round(time.monotonic() - began), ran.returncode in (0, 1))


def counted(report: Path) -> tuple[int, list[str]]:
    """How many tests a report has, and which were red. None where it was not written."""
    if not report.exists():
        return 0, []
    cases = list(ET.parse(report).getroot().iter("testcase"))
    red = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return len(cases), sorted(f"{case.get('classname')}::{case.get('name')}" for case in red)


def code_of(root: Path) -> str:
    """What is tested: the commit, and what is changed in the checkout."""
    told = b"".join(
        subprocess.run(["git", *arguments], cwd=root, stdout=subprocess.PIPE, check=True).stdout
        for arguments in (("rev-parse", "HEAD"), ("diff", "HEAD", "--", "*.py"))
    )
    return hashlib.sha256(told).hexdigest()[:16]


def read(found: Path) -> Iterator[Ran]:
    """What earlier runs wrote down."""
    if found.exists():
        for text in found.read_text(encoding="utf-8").splitlines():
            yield Ran(**json.loads(text))


def _keep(ran: Ran, found: Path) -> None:
    found.parent.mkdir(parents=True, exist_ok=True)
    with found.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(ran)) + "\n")
