"""Reads pytest's JUnit report and refuses (exit code 1) what may not be released: a failure, an error, a skipped or an expected failure.

python -m tests.leaks.nothing_skipped REPORT.xml
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    suites = list(ET.parse(Path(arguments[0])).getroot().iter("testsuite"))
    faults = [fault for suite in suites for fault in faults_of(suite)]
    for fault in faults:
        print(fault, file=sys.stderr)
    tests = sum(int(suite.get("tests", "0")) for suite in suites)
    print(f"{tests} tests, {len(faults)} of them no reason to release")
    return 1 if faults or not tests else 0


def faults_of(suite: ET.Element) -> Iterator[str]:
    """Each test that did not simply pass, and why."""
    for case in suite.iter("testcase"):
        for kind in ("failure", "error", "skipped"):
            for found in case.findall(kind):
                yield f"{kind}: {case.get('classname')}::{case.get('name')}: {found.get('message', '')[:200]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
