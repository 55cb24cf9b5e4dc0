"""Holds the first hand back until everybody sits, so that nobody's first sight is a table of two."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Final

from gameserver.errors import Refusal
from gameserver.floor.floor import Floor
from gameserver.table.commands import AgentPlayer, Pause, Resume
from policy.ids import AgentId, TableId

_LONGEST_S: Final = 10.0
_LOOK_EVERY_S: Final = 0.05


async def hold(floor: Floor, tables: Iterable[TableId]) -> None:
    """No hand begins at these tables until `release_when_seated`."""
    for table_id in tables:
        await floor.operate(table_id, Pause())


async def release_when_seated(
    floor: Floor, table_id: TableId, cast: Collection[AgentId], longest_s: float = _LONGEST_S
) -> None:
    """Lets a table deal once all of the cast sit there with chips and a line, or after `longest_s`; when cancelled, at once."""
    try:
        async with asyncio.timeout(longest_s):
            while not seated(floor, table_id).issuperset(cast):  # noqa: ASYNC110 - a table has no event for it
                await asyncio.sleep(_LOOK_EVERY_S)
    except TimeoutError:
        pass
    finally:
        with suppress(Refusal):  # closed meanwhile
            await floor.operate(table_id, Resume())


def seated(floor: Floor, table_id: TableId) -> set[AgentId]:
    """The agents that sit at a table with chips and a line."""
    return {
        seat.player.agent_id
        for seat in floor.state(table_id).seats
        if isinstance(seat.player, AgentPlayer) and seat.connected and seat.stack_chips > 0
    }
