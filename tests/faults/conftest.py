"""One server for a module's cases, where a case does not ask for its own; each case has a table of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.faults.world import Stage, World, world


@pytest.fixture(scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with world(tmp_path_factory.mktemp("faults")) as now:
        yield now


@pytest.fixture
async def stage(here: World) -> Stage:
    return await here.stage()
