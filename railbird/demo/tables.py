"""The tables that the demo opens: made once for a folder, and found again by who made them, their name, and what they reveal.

The first shows its watchers the agents' hands and thoughts; the others are closed.
"""

from __future__ import annotations

from typing import Final

from gameserver.floor.floor import Floor
from gameserver.table.commands import Close
from gameserver.table.options import TableOptions
from policy.ids import TableId, UserId
from policy.spectator_policy import RevealOptions
from policy.table_kind import TableKind

DEMO_HOST: Final = UserId("demo-host")
"""Who makes the demo's tables."""

BUY_IN_CHIPS: Final = 2_000
_NAMES: Final = ("The First Rail", "The Second Rail")
_FULL: Final = 6
_WITH_FREE_SEATS: Final = 8
"""The second table has room for two that are not of the cast: somebody's own bot."""


async def open_tables(floor: Floor, count: int) -> list[TableId]:
    """The demo's tables, `count` of them: those of an earlier demo in this folder where they are as wanted, else new ones.

    What reveals something cannot be switched on later, so one of the same name that reveals less is closed, and its chips go back.
    """
    wanted = [_options(index) for index in range(count)]
    for table_id in [table_id for options in wanted for table_id in _earlier(floor, options, as_wanted=False)]:
        await floor.operate(table_id, Close())
    return [await _found_or_made(floor, options) for options in wanted]


def shows(floor: Floor, table_id: TableId) -> str:
    """What a table shows its watchers, in words."""
    reveal = floor.state(table_id).options.reveal
    shown = [word for word, is_shown in (("hands", reveal.show_hands), ("thoughts", reveal.show_thoughts)) if is_shown]
    return f"shows {' and '.join(shown)}" if shown else "closed: each owner sees their own agent's cards"


async def _found_or_made(floor: Floor, options: TableOptions) -> TableId:
    found = _earlier(floor, options, as_wanted=True)
    return found[0] if found else await floor.create(options)


def _earlier(floor: Floor, wanted: TableOptions, *, as_wanted: bool) -> list[TableId]:
    """Open tables of the demo's by this name, that reveal what is wanted, or that do not."""
    return [
        table_id
        for table_id, state in floor.states().items()
        if (state.options.created_by, state.options.name) == (DEMO_HOST, wanted.name)
        and state.status != "closed"
        and (state.options.reveal == wanted.reveal) is as_wanted
    ]


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
        reveal=RevealOptions(show_hands=index == 0, show_thoughts=index == 0),
    )
