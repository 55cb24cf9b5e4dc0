"""The run of the whole suite without a gate: what it makes of a report, what it goes on from, and that the gate is really out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.leaks import gate_out, without_gates
from tests.leaks.without_gates import NO_GATE, Ran

GATE = "policy.prompt_policy.quote_for_prompt"
REPORT = """<testsuites><testsuite>
<testcase classname="tests.leaks.test_x" name="a"><failure message="red"/></testcase>
<testcase classname="tests.leaks.test_x" name="b"><error message="red"/></testcase>
<testcase classname="tests.policy.test_x" name="c"><failure message="red"/></testcase>
<testcase classname="tests.floor.test_x" name="d"/>
<testcase classname="tests.floor.test_x" name="e"><skipped message="why"/></testcase>
</testsuite></testsuites>"""


RED = ["tests.leaks.test_x::a", "tests.leaks.test_x::b", "tests.policy.test_x::c"]


def ran(gate: str, red: Sequence[str], code: str = "code") -> Ran:
    return Ran(gate, code, 5, red, 1, ended=True)


def test_red_tests_are_named(tmp_path: Path) -> None:
    """A failure and an error; what passed or was skipped did not notice anything."""
    report = tmp_path / "report.xml"
    assert without_gates.counted(report) == (0, [])
    report.write_text(REPORT, encoding="utf-8")
    assert without_gates.counted(report) == (5, RED)


def test_what_is_red_with_every_gate_notices_nothing() -> None:
    """It is red for another reason."""
    whole = ran(NO_GATE, ["tests.leaks.test_x::a"])
    assert without_gates.missed_in(ran(GATE, RED), whole) == {"leaks": 1, "policy": 1}
    assert without_gates.missed_in(ran(GATE, whole.red), whole) == {}


def test_a_gate_that_only_its_own_tests_miss_is_told() -> None:
    """These know the gate, and say nothing of whether anybody asks it."""
    assert "NOBODY MISSES IT but its own tests (9)" in without_gates.line(ran(GATE, []), {"policy": 9})
    assert "leaks 2, policy 1, of 5 tests" in without_gates.line(ran(GATE, RED), {"policy": 1, "leaks": 2})


def test_what_was_found_is_not_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the same code; other code begins anew, and where no time is left nothing is run."""
    runs: list[str] = []

    def one(gate: str, code: str, limit_s: int) -> Ran:
        runs.append(gate)
        return ran(gate, RED if gate else [], code)

    monkeypatch.setattr(without_gates, "one", one)
    found = tmp_path / "folder" / "found.jsonl"
    for code, minutes, expected, exit_code in (("x", 1.0, 2, 0), ("x", 1.0, 2, 0), ("y", 1.0, 4, 0), ("z", 0.0, 4, 1)):
        monkeypatch.setattr(without_gates, "code_of", lambda root, code=code: code)
        assert without_gates.run([GATE], minutes=minutes, found=found) == exit_code
        assert len(runs) == expected
    assert "no time was left" in capsys.readouterr().out
    assert without_gates.run(["policy.no_such.gate"], minutes=1, found=found) == 2


def test_the_plugin_takes_the_gate_out() -> None:
    """Before any test is read: who imports the gate's module afterwards has it without the gate."""
    look = f"import {gate_out.__name__}; from policy import prompt_policy as p; print(p.quote_for_prompt(text='x', most_characters=9))"
    for environment, expected in (({}, '"x"'), ({gate_out.GATE: GATE}, "x")):
        command, whole = [sys.executable, "-c", look], {**os.environ, **environment}
        assert subprocess.check_output(command, cwd=ROOT, env=whole, text=True).strip() == expected
