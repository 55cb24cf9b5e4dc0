"""Set-up says in plain words what is missing, and touches nothing until it has a Python to work with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOOLS = ("sh", "dirname", "cat", "env", "rm", "cksum", "id")


def make_tools(folder: Path, *extra: str) -> Path:
    """A folder for PATH with a few of the system's tools, so that no Python and no browser is on it."""
    folder.mkdir()
    for name in (*TOOLS, *extra):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    return folder


def make_python(file: Path, *, version: str, has_venv: bool = True) -> None:
    """A program that answers the script's questions as a Python of `version` would."""
    answers = file.with_name(f"{file.name} answers.py")
    answers.write_text(f"""import sys
code = sys.argv[2]
if "ensurepip" in code: sys.exit({int(not has_venv)})
sys.version_info = {tuple(map(int, version.split(".")))}
exec(code)
""")
    file.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -S '{answers}' \"$@\"\n"
    )  # no path with a space in a first line
    file.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts and the locks in a folder of their own, whose name has a space."""
    where = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", where / "scripts")
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, where)
    return where


def run(script: Path, *arguments: str, path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *arguments], env={"PATH": str(path), **env}, capture_output=True, text=True, check=False
    )


def test_an_old_python_is_named_and_so_is_what_would_do(checkout: Path, tmp_path: Path) -> None:
    """The message has the version that was found, those that do, and a line to type."""
    tools = make_tools(tmp_path / "bin")
    make_python(tools / "python3", version="3.9")
    done = run(checkout / "scripts/environment.sh", "run", path=tools)
    assert done.returncode == 1 and not (checkout / ".venv").exists()
    assert "needs Python 3.11, 3.12 or 3.13; python3 here is 3.9." in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr


def test_no_python_at_all_is_said(checkout: Path, tmp_path: Path) -> None:
    """Neither is a program of that name that does not start."""
    tools = make_tools(tmp_path / "bin")
    (tools / "python3").write_text("#!/bin/sh\nexit 127\n")
    (tools / "python3").chmod(0o755)
    done = run(checkout / "scripts/environment.sh", "run", path=tools)
    assert done.returncode == 1 and "python3 here is none that starts." in done.stderr


def test_a_python_without_venv_is_told_from_one_that_is_missing(checkout: Path, tmp_path: Path) -> None:
    """The package to install has the version in its name, as Debian's have."""
    tools = make_tools(tmp_path / "bin")
    make_python(tools / "python3", version="3.12", has_venv=False)
    done = run(checkout / "scripts/environment.sh", "run", path=tools)
    assert done.returncode == 1
    assert "python3 (Python 3.12) has no venv. On Debian: apt-get install python3.12-venv" in done.stderr


def test_a_chosen_python_is_used_or_refused_and_never_replaced(checkout: Path, tmp_path: Path) -> None:
    """PYTHON is what its user wants: another one on PATH is no substitute."""
    tools = make_tools(tmp_path / "bin")
    make_python(tools / "python3", version="3.12")
    make_python(tools / "my python", version="3.10")
    done = run(checkout / "scripts/environment.sh", "run", path=tools, PYTHON=str(tools / "my python"))
    assert done.returncode == 1 and "is Python 3.10; Railbird needs 3.11" in done.stderr


def test_an_unknown_kind_is_misuse(checkout: Path, tmp_path: Path) -> None:
    """And says how it is used."""
    done = run(checkout / "scripts/environment.sh", "all", path=make_tools(tmp_path / "bin"))
    assert done.returncode == 64 and "usage: " in done.stderr


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_chromium_on_the_path_is_enough(tmp_path: Path, name: str) -> None:
    """Under any of its names, and nothing is said."""
    tools = make_tools(tmp_path / "bin")
    (tools / name).symlink_to(tools / "cat")
    done = run(ROOT / "scripts/chromium.sh", path=tools)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_a_chromium_it_says_the_line_to_type(tmp_path: Path) -> None:
    """Where it may not install one: as somebody else than root, or with RAILBIRD_NO_APT."""
    done = run(ROOT / "scripts/chromium.sh", path=make_tools(tmp_path / "bin"), RAILBIRD_NO_APT="1")
    assert done.returncode == 1
    assert "apt-get install --yes chromium fonts-liberation" in done.stderr
    assert ("sudo" in done.stderr) == (os.geteuid() != 0)


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/etc/debian_version").exists(),
    reason="it installs as root on Debian, and here is neither",
)
def test_it_installs_debians_chromium_and_says_so(tmp_path: Path) -> None:
    """As root on Debian; what apt-get says is shown when it fails."""
    tools = make_tools(tmp_path / "bin", "mktemp", "tail")
    (tools / "apt-get").write_text(
        f'#!/bin/sh\necho "$@" >>"{tmp_path}/asked"\necho out of paper\n[ "$1" != "$FAILS" ]\n'
    )
    (tools / "apt-get").chmod(0o755)
    done = run(ROOT / "scripts/chromium.sh", path=tools)
    assert done.returncode == 0 and "no Chromium found; installing Debian's" in done.stdout and done.stderr == ""
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["update", "install --yes chromium fonts-liberation --no-install-recommends"]
    failed = run(ROOT / "scripts/chromium.sh", path=tools, FAILS="install")
    assert failed.returncode == 1 and "out of paper" in failed.stderr and "could not install" in failed.stderr


def test_a_chromium_that_is_named_and_is_none_is_refused(tmp_path: Path) -> None:
    """It is not looked for elsewhere."""
    tools = make_tools(tmp_path / "bin")
    (tools / "chromium").symlink_to(tools / "cat")
    done = run(ROOT / "scripts/chromium.sh", path=tools, RAILBIRD_CHROMIUM="/nowhere/chrome")
    assert done.returncode == 1 and "/nowhere/chrome is not a program" in done.stderr
