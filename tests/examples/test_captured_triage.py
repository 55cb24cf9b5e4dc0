"""The example of a program that plays no poker and records its decisions."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "captured_triage.py"


@pytest.mark.parametrize("is_configured", [True, False])
def test_the_triage_records_what_it_decided(is_configured: bool, valkey_url: str) -> None:
    """In the Redis that is configured, or in one of its own; what was changed on the way out says why."""
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    if is_configured:
        environment["AGENT_CAPTURE_REDIS_URL"] = f"{valkey_url}?db=0"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    decided = [line for line in done.stdout.splitlines() if line.startswith("letter ")]
    assert decided == [
        "letter 0: chose billing, sent billing",
        "letter 1: chose technical, sent technical",
        "letter 2: chose urgent, sent technical (that queue is closed)",
    ]
    assert "oh-no-I-typed-it-here" not in done.stdout and '"rule":"*.*.password"' in done.stdout
