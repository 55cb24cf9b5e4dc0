"""The record works in another program: with the gates' folder beside it, and nothing else of ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PROGRAM = """
import importlib, pkgutil, sys
import capture

for module in pkgutil.walk_packages(capture.__path__, "capture."):
    importlib.import_module(module.name)
assert not {"gameserver", "railbird"} & sys.modules.keys()

from capture.library import capturing

with capturing(sys.argv[1], hash_key=bytes(16)) as recording:
    with recording.turn(agent_id="a", table_id="alone", hand_number=1, action_index=0) as turn:
        turn.chose("file")
print(recording.counts.stored)
"""


def test_the_two_folders_copied_elsewhere_record_turns(tmp_path: Path, node_url: str) -> None:
    """All modules import, and a turn is stored."""
    for folder in ("capture", "policy"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-P", "-c", PROGRAM, node_url],
        cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)
