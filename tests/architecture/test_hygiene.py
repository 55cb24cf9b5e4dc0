"""The project names no machine and no registry, and its locks hold versions and hashes only."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.conftest import Plant
from tests.architecture.hygiene import find_unwanted
from tests.conftest import ROOT

LOCKS: Final = ("requirements.lock", "requirements-dev.lock")
PIN: Final = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,]+\])?==(?P<version>[\w.]+)")


def read_pins(lines: list[str]) -> dict[str, str]:
    """Version by name, as they are written in a lock or in pyproject.toml."""
    return {found["name"].lower(): found["version"] for line in lines if (found := PIN.match(line))}


def read_lock(name: str) -> dict[str, str]:
    return read_pins((ROOT / name).read_text().splitlines())


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    """Anybody's clone installs from anybody's registry, in any place."""
    assert find_unwanted(ROOT) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("see https://py" + "pi.org/project/x", "a registry's address"),
        ("https://mirror.example/" + "simple", "a registry's address"),
        ("--find" + "-links wheels", "a pip setting of a machine"),
        ("--extra-index" + "-url x", "a pip setting of a machine"),
        ("x @ file:" + "///a/b.whl", "a file address"),
        ("cd /" + "work/main", "an absolute place"),
        ('open("/' + 'root/x")', "an absolute place"),
        ("/" + "home/somebody/x", "an absolute place"),
    ],
)
def test_a_planted_line_is_found(plant: Plant, line: str, kind: str) -> None:
    """Each kind, in any file."""
    assert find_unwanted(plant("docs/planted.md", line)) == [f"docs/planted.md:2 holds {kind}"]


@pytest.mark.parametrize(
    "line", ["GET /agents/{agentId}", "a/work/b", "the /rooms/x of it", "https://example.org/home/x"]
)
def test_routes_are_no_places(plant: Plant, line: str) -> None:
    """What only looks like a path of a machine is let through."""
    assert find_unwanted(plant("docs/planted.md", line)) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_each_line_of_a_lock_is_a_pin_a_hash_or_a_comment(lock: str) -> None:
    """So no line is an address or an option, and pip's --require-hashes takes the file."""
    form = re.compile(r"^([\w.-]+==[\w.]+( ; .+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?| *# .+)$")
    text = (ROOT / lock).read_text()
    assert [line for line in text.splitlines() if not form.match(line)] == []
    assert "://" not in text


def test_the_locks_hold_the_pins_of_the_project_and_the_developers_one_holds_the_other() -> None:
    """`make demo` and `make test` share one environment, so one version of everything."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    product = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["postgres"]]
    groups = project["dependency-groups"]
    run, dev = read_lock("requirements.lock"), read_lock("requirements-dev.lock")
    assert read_pins([*product, *groups["checkout"]]).items() <= run.items()
    assert read_pins(groups["dev"]).items() | run.items() <= dev.items()


def test_the_build_backend_is_the_one_in_the_lock() -> None:
    """The editable install needs no download of its own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["build-system"]["requires"] == project["dependency-groups"]["checkout"]


def test_every_dependency_has_its_line_in_the_decision() -> None:
    """docs/decisions/0002 says of each direct dependency why it is there and under which licence."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    direct = [
        *project["project"]["dependencies"],
        *(pin for extra in project["project"]["optional-dependencies"].values() for pin in extra),
        *(pin for group in project["dependency-groups"].values() for pin in group),
    ]
    assert read_decided(ROOT / "docs/decisions/0002-dependencies.md") == set(read_pins(direct))


def read_decided(decision: Path) -> set[str]:
    """Names in the first column of the decision's tables."""
    rows = re.findall(r"^\| `([\w.-]+)` \|", decision.read_text(), flags=re.MULTILINE)
    assert len(rows) == len(set(rows))
    return {name.lower() for name in rows}
