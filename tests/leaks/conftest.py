"""What the plays share: one database with the cast in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaks.twins import templates


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    yield from templates()
