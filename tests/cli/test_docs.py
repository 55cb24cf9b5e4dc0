"""What the documentation says of commands and settings is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from railbird import cli
from railbird.config import SETTINGS
from tests.conftest import ROOT

OPERATOR = ROOT / "docs" / "first-steps" / "operator.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "first-steps").glob("*.md"))]


def settings_table() -> str:
    rows = ["| variable | in the file | default | |", "|---|---|---|---|"]
    for each in SETTINGS:
        default = f"`{each.default}`" if each.default else ""
        rows.append(f"| `{each.variable}` | `{each.place}` | {default} | {each.in_words} |")
    return "\n".join(rows)


def test_the_settings_are_those_that_there_are() -> None:
    """Where this fails, put `settings_table()` between the marks."""
    table = re.search(r"<!-- settings: .*?-->\n(.*?)\n<!-- end of settings -->", OPERATOR.read_text(), re.DOTALL)
    assert table is not None and table[1] == settings_table()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_named_is_there(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(r"railbird ((?:keys |token )?[a-z][a-z-]+)\b", page.read_text()))
    for command in sorted(named - {"import", "keys", "token"}):
        assert cli.run([*command.split(), "--help"]) == 0, command
    capsys.readouterr()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_variable_of_a_command_is_set_before(page: Path) -> None:
    """Who pastes a page's commands one after the other has what they want."""
    shell = "\n".join(line for line in page.read_text().splitlines() if line.startswith("    "))
    for used in re.finditer(r"\$([A-Z_]+)", shell):
        assert re.search(rf"\b{used[1]}=", shell[: used.start()]), used[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert links or page.name == "operator.md"
