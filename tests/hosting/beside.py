"""A host in the process of a test's own server, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from railbird.hosting.beside import Beside, HostBeside
from tests.http.world import World, live


@asynccontextmanager
async def hosted(world: World, *, min_turn_ms: int = 0) -> AsyncIterator[tuple[HostBeside, str]]:
    """The host plays within the block; and the server's address."""
    async with live(world) as base:
        beside = HostBeside(world.server, Beside(base, {"house": ""}, min_turn_ms))
        async with beside:
            beside.start()
            yield beside, base
