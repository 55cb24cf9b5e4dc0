"""A decision says which tests hold it, and they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.decisions import find_faults
from tests.architecture.names import find_test_names
from tests.conftest import ROOT

GOOD = """# 0001: A title

## Goal
g

## Invariant
i

## Decision
d

## Confirmation
`test_held` in `tests/` holds it.

## Known gaps
none

## Rejected
| a | b |
"""


def find(tmp_path: Path, text: str, name: str = "0001-slug.md") -> list[str]:
    folder = tmp_path / "docs/decisions"
    folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / "tests").mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return find_faults(tmp_path, known=frozenset({"test_held"}))


def test_every_decision_has_its_form_and_is_confirmed() -> None:
    """Numbered once, in its sections, two pages at most, and each test that it names is there."""
    assert find_faults(ROOT, known=find_test_names(ROOT)) == []


def test_a_good_one_is_let_through(tmp_path: Path) -> None:
    """What may be left out is left out here."""
    assert find(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("test_held", "test_gone", "names test_gone, which is no test"),
        ("`tests/`", "`tests/gone/test_x.py`", "names tests/gone/test_x.py, which is no test"),
        ("`test_held` in `tests/` holds it.", "We look.", "is confirmed by no test"),
        ("# 0001: A title", "# A title", "does not open with '# 0001: ' and its title"),
        ("## Known gaps\nnone\n", "", "has no section 'Known gaps'"),
        ("## Goal\n", "## Aim\n", "has no section 'Goal'"),
        ("d\n", "d\n" * 200, "has more than 120 lines"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, old: str, new: str, fault: str) -> None:
    """Each rule of the form is missed by itself."""
    assert f"0001-slug.md {fault}" in find(tmp_path, GOOD.replace(old, new))


def test_a_number_that_is_taken_is_found(tmp_path: Path) -> None:
    """Two people wrote one at the same time."""
    assert find(tmp_path, GOOD) == []
    found = find(tmp_path, GOOD, "0001-other.md")
    assert "0001-other.md has a number that is taken" in found and "0001-slug.md has a number that is taken" in found
