"""What every test has: the live fixtures, the place of the shared data, and the order in which tests run."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog

ROOT: Final = Path(__file__).resolve().parent.parent
SHARED: Final = ROOT.parent / "shared"
FIRST_FOLDERS: Final = ("policy", "architecture", "leaks")

pytest_plugins = ("tests.live.valkey", "tests.live.postgres", "tests.live.chromium")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the project, with the data sets that are not ours to carry; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared is not beside the project: its data sets are not part of it")
    return SHARED


@pytest.fixture(autouse=True)
def _the_log_as_it_was() -> Iterator[None]:
    """A command sets up the log of its process. What it wrote to is closed when its test is over, and no later test writes there."""
    events, root = structlog.get_config(), logging.getLogger()
    handlers, level = [*root.handlers], root.level
    yield
    structlog.configure(**events)
    root.setLevel(level)
    root.handlers[:] = [each for each in root.handlers if each in handlers]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The gates first, then the walls and the attacks, then the rest in the order found: a leak is the first thing to hear of."""
    items.sort(key=lambda item: rank(item.path))


def rank(path: Path) -> int:
    """0 for a test of the first of FIRST_FOLDERS, and so on; all others are equal."""
    folders = [ROOT / "tests" / name for name in FIRST_FOLDERS]
    return next((i for i, folder in enumerate(folders) if path.is_relative_to(folder)), len(folders))
