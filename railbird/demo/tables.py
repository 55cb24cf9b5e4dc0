"""The tables that the demo opens: made once for a folder, and found again by who made them."""

from __future__ import annotations

from typing import Final

from gameserver.floor.floor import Floor
from gameserver.table.options import TableOptions
from policy.ids import TableId, UserId
from policy.table_kind import TableKind

DEMO_HOST: Final = UserId("demo-host")
"""Who makes the demo's tables."""

BUY_IN_CHIPS: Final = 2_000
_NAMES: Final = ("The First Rail", "The Second Rail")
_FULL: Final = 6
_WITH_FREE_SEATS: Final = 8
"""The second table has room for two that are not of the cast: somebody's own bot."""


async def open_tables(floor: Floor, count: int) -> list[TableId]:
    """The demo's tables, `count` of them: those of an earlier demo in this folder first, then new ones."""
    found = [table_id for table_id, state in floor.states().items() if state.options.created_by == DEMO_HOST]
    for index in range(len(found), count):
        found.append(await floor.create(_options(index)))
    return found[:count]


def _options(index: int) -> TableOptions:
    name = _NAMES[index] if index < len(_NAMES) else f"Rail {index + 1}"
    return TableOptions(
        name=name,
        kind=TableKind.AGENT,
        max_seats=_WITH_FREE_SEATS if index == 1 else _FULL,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=BUY_IN_CHIPS,
        created_by=DEMO_HOST,
    )
