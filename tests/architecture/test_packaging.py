"""What is built holds the product and nothing else, and the checkout's own command is there."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.architecture.hygiene import list_tracked_files
from tests.architecture.source import PACKAGES
from tests.conftest import ROOT


def test_the_wheel_holds_the_four_packages_and_nothing_else(tmp_path: Path) -> None:
    """All tracked files of the packages, the licence, and no test."""
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("railbird-*.whl"))) as wheel:
        names = wheel.namelist()
        information = next(name for name in names if name.endswith(".dist-info/METADATA")).rpartition("/")[0]
        assert {name.partition("/")[0] for name in names} == {*PACKAGES, information}
        tracked = {file.as_posix() for file in list_tracked_files(ROOT) if file.parts[0] in PACKAGES}
        assert tracked and tracked <= set(names)
        assert f"{information}/licenses/LICENSE" in names
        assert "railbird = railbird.cli:main" in wheel.read(f"{information}/entry_points.txt").decode()
