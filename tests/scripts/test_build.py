"""What a release is made of: the wheel has the whole of the four packages and nothing else, and the container's file finds its parts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ("policy", "gameserver", "capture", "railbird")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files of a wheel that was just built."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_has_every_file_of_the_packages(names: list[str]) -> None:
    """Templates, scripts of the pages, migrations; a file that is left out is missed by whoever installs it, and by nobody here."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git's: nobody can say which files belong to it")
    told = subprocess.run([git, "ls-files", *PACKAGES], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = {name for name in told.stdout.splitlines() if (ROOT / name).exists()}
    assert tracked
    assert tracked - set(names) == set()


def test_the_wheel_has_nothing_else(names: list[str]) -> None:
    """No test, no document, no byte code, no folder of somebody's data."""
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert [name for name in names if re.search(r"\.pyc$|__pycache__|/\.|\.sqlite|\.pem$", name)] == []


def test_it_says_that_it_is_typed_and_is(names: list[str]) -> None:
    """A type checker looks into a package that has the mark, and into no other."""
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)


def test_the_containers_file_finds_what_it_copies() -> None:
    """Each COPY is of something that the build script puts beside it; it runs as a user of its own and keeps data in a volume."""
    told = (ROOT / "scripts/Containerfile").read_text(encoding="utf-8")
    script = (ROOT / "scripts/build.sh").read_text(encoding="utf-8")
    (copied,) = re.findall(r"^cp (.*) dist/container/$", script, re.MULTILINE)
    context = {Path(name).name for name in copied.split()}
    wanted = {name for line in re.findall(r"^COPY (.*) \./$", told, re.MULTILINE) for name in line.split()}
    assert wanted == context - {"Containerfile"}
    instructions = [line.split()[0] for line in told.splitlines() if line and not line.startswith("#")]
    assert instructions[0] == "FROM" and instructions.index("USER") < instructions.index("VOLUME")
    assert "--require-hashes" in told and "USER root" not in told
