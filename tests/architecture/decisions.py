"""The form of the decisions, and whether what they say is confirmed by tests is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.architecture.names import TEST_NAME, TEST_PATH, find_unknown_tests

FILE_NAME: Final = re.compile(r"^(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md$")
SECTIONS: Final = (
    "Goal", "Invariant", "Evidence", "Decision", "Confirmation", "Carve-outs", "Known gaps", "Rejected", "Lessons",
)  # fmt: skip
"""In this order; "Carve-outs", "Evidence" and "Lessons" may be left out where there is nothing to say."""
MAY_BE_LEFT_OUT: Final = frozenset({"Evidence", "Carve-outs", "Lessons"})
MOST_LINES: Final = 120
"""Two pages."""


def find_faults(root: Path, *, known: frozenset[str]) -> list[str]:
    """Decisions that lack the form, number twice, or name tests that are not there."""
    files = sorted(file for file in (root / "docs/decisions").iterdir() if file.suffix == ".md")
    numbers = [file.name[:4] for file in files]
    faults = [f"{file.name} has a number that is taken" for file in files if numbers.count(file.name[:4]) > 1]
    for file in files:
        text = file.read_text(encoding="utf-8")
        faults += [f"{file.name} {fault}" for fault in (*_form(file.name, text), *_confirmation(text, known, root))]
    return faults


def _form(name: str, text: str) -> Iterator[str]:
    if not FILE_NAME.match(name):
        yield "is not named NNNN-slug.md"
    if not text.startswith(f"# {name[:4]}: "):
        yield f"does not open with '# {name[:4]}: ' and its title"
    if len(text.splitlines()) > MOST_LINES:
        yield f"has more than {MOST_LINES} lines"
    sections = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    if sections != [section for section in SECTIONS if section in sections]:
        yield f"has other sections, or in another order: {sections}"
    for section in SECTIONS:
        if section not in sections and section not in MAY_BE_LEFT_OUT:
            yield f"has no section {section!r}"


def _confirmation(text: str, known: frozenset[str], root: Path) -> Iterator[str]:
    section = read_section(text, "Confirmation")
    if not (TEST_NAME.search(section) or TEST_PATH.search(section)):
        yield "is confirmed by no test"
    yield from (f"names {name}, which is no test" for name in find_unknown_tests(section, known=known, root=root))


def read_section(text: str, title: str) -> str:
    """What stands between a heading of the second level and the next one; empty without it."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    return found[1] if found else ""
