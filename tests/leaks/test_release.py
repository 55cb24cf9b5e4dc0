"""What keeps a leak from being released: the report of skipped tests, the count of mutants, the script that asks for both."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.gates import GATES
from tests.conftest import ROOT
from tests.leaks import nothing_skipped, policy_mutants

_PASSED = '<testcase classname="a" name="b"/>'


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        (_PASSED, 0),
        (f'{_PASSED}<testcase classname="a" name="c"><skipped message="no browser"/></testcase>', 1),
        (f'{_PASSED}<testcase classname="a" name="c"><failure message="red"/></testcase>', 1),
        (f'{_PASSED}<testcase classname="a" name="c"><error message="no fixture"/></testcase>', 1),
        ("", 1),
    ],
    ids=["passed", "skipped", "failed", "error", "nothing at all"],
)
def test_what_did_not_simply_pass_is_no_release(cases: str, code: int, tmp_path: Path) -> None:
    """A skipped test is a test that nobody ran."""
    report = tmp_path / "report.xml"
    tests = cases.count("<testcase")
    report.write_text(f'<testsuites><testsuite tests="{tests}">{cases}</testsuite></testsuites>', encoding="utf-8")
    assert nothing_skipped.main([str(report)]) == code


RESULTS = """
    policy.a_policy.x_gate__mutmut_1: killed
    policy.a_policy.x_gate__mutmut_2: timeout
    policy.a_policy.x__helper__mutmut_1: survived
    policy.b_policy.x_gate__mutmut_1: no tests
"""


def test_a_gate_without_mutants_and_a_live_one_without_a_reason_are_told() -> None:
    """Zero mutants are no good sign: the tool did not look."""
    mutants = policy_mutants.mutants_of(RESULTS)
    assert [mutant.alive for mutant in mutants] == [False, False, True, True]
    changed = {"policy.a_policy.x__helper__mutmut_1": "return True"}
    lines, well = policy_mutants.report(mutants, ["policy.a_policy.gate", "policy.c_policy.gate"], changed)
    assert not well
    assert "GATE policy.c_policy.gate: 0 mutants, 0 alive   NONE AT ALL" in lines
    assert any(line.startswith("alive: policy.a_policy._helper: return True") for line in lines)
    assert policy_mutants.report(mutants[:2], ["policy.a_policy.gate"], {})[1]


def test_the_copy_has_all_that_the_gates_tests_need() -> None:
    """And the register's modules are in it."""
    assert all((ROOT / name).exists() for name in policy_mutants.COPIED)
    assert {gate.module.split(".")[0] for gate in GATES} == {"policy"}


def test_a_release_asks_for_everything() -> None:
    """In this order: what is cheap first, and the build last."""
    script = (ROOT / "scripts/release.sh").read_text(encoding="utf-8")
    asked = ("git status", "ruff check", "mypy", "scripts/tests.sh", "nothing_skipped", "tests.leaks ||")
    places = [script.index(each) for each in (*asked, "policy_mutants", "scripts/build.sh", "scripts/try-wheel.sh")]
    assert places == sorted(places) and "set -eu" in script
