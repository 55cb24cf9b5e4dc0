"""Trees to plant violations in."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.architecture.source import PACKAGES
from tests.conftest import ROOT

Plant: TypeAlias = Callable[[str, str], Path]
"""Takes a file and a source to append to it; returns the root of the tree."""


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """A tree that holds what a test plants in it, and nothing else: quick to make and to read."""
    return lambda file, source: _append(tmp_path / "tree", file, source)


@pytest.fixture
def plant_in_copy(tmp_path: Path) -> Plant:
    """A copy of the product's sources with what a test plants in it."""
    copy = tmp_path / "copy"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return lambda file, source: _append(copy, file, source)


def _append(root: Path, file: str, source: str) -> Path:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    for folder in list(path.relative_to(root).parents)[:-1]:
        (root / folder / "__init__.py").touch()
    with open(path, "a", encoding="utf-8") as opened:
        opened.write(f"\n{source}\n")
    return root
