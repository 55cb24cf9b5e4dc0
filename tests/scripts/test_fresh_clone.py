"""A clone is tried as a stranger would: in an empty environment, with what is committed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "scripts/fresh-clone.sh"
MAKEFILE = """
demo:
\t@echo "home=[$$(ls -A "$$HOME")] pwd=[$$(basename "$$PWD")] mine=[$$MINE] path=[$$PATH]"
test:
\t@test -f kept && ! test -f uncommitted
litter:
\t@touch litter
fail:
\t@exit 7
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    where = tmp_path / "a repository"
    where.mkdir()
    (where / "Makefile").write_text(MAKEFILE)
    (where / "kept").touch()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(where)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    (where / "uncommitted").touch()
    return where


def run(repository: Path, *commands: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SCRIPT), str(repository), *commands],
        capture_output=True, text=True, check=False, env={**os.environ, "MINE": "yes", **env},
    )  # fmt: skip


def test_it_runs_both_commands_in_an_empty_environment_and_times_them(repository: Path) -> None:
    """No variable of ours, an empty HOME, a path with a space; what is asked for is passed on."""
    done = run(repository, "make -s demo", "make -s test")
    assert done.returncode == 0, done.stderr
    assert "home=[] pwd=[fresh clone] mine=[] path=[/usr/local/bin:/usr/bin:/bin]" in done.stdout
    assert "make -s demo: exit 0, " in done.stdout and "make -s test: exit 0, " in done.stdout
    assert "mine=[yes]" in run(repository, "make -s demo", FRESH_PASS="MINE").stdout


def test_it_tells_of_failure_litter_and_misuse(repository: Path) -> None:
    """A command that fails ends it; files that git does not ignore are a failure too."""
    failed = run(repository, "make -s fail", "echo not reached")
    assert failed.returncode == 2 and "not reached:" not in failed.stdout
    littered = run(repository, "make -s litter")
    assert littered.returncode == 66 and "?? litter" in littered.stderr
    assert run(repository).returncode == 64
