"""The names of all tests, and whether what a text calls a test is one."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

TEST_NAME: Final = re.compile(r"\btest_\w+\*?")
TEST_PATH: Final = re.compile(r"\btests/[\w/.-]*\w")


def find_test_names(root: Path) -> frozenset[str]:
    """Functions and modules of the tests, state machines' classes left out."""
    names: set[str] = set()
    for file in (root / "tests").rglob("test_*.py"):
        names.add(file.stem)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        names.update(function.name for function in functions if function.name.startswith("test_"))
    return frozenset(names)


def find_unknown_tests(text: str, *, known: frozenset[str], root: Path) -> list[str]:
    """Names and paths in `text` that look like a test's and are none; `test_a_*` names all that begin so."""
    paths = TEST_PATH.findall(text)
    unknown = [path for path in paths if not (root / path).exists()]
    for name in TEST_NAME.findall(TEST_PATH.sub("", text)):
        begins = name.removesuffix("*")
        if name not in known and not (begins != name and any(other.startswith(begins) for other in known)):
            unknown.append(name)
    return unknown
