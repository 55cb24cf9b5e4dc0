"""Grants a broke house owner more play chips, so that the demo goes on. It looks now and then; nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from gameserver.store.ledger import Ledger
from policy.ids import UserId
from railbird.demo.tables import BUY_IN_CHIPS

_LOOK_EVERY_S: Final = 1.0
_GRANT_CHIPS: Final = 5 * BUY_IN_CHIPS


async def keep_solvent(ledger: Ledger, owners: Sequence[UserId]) -> None:
    """Until cancelled: whoever cannot pay one buy-in is granted five."""
    while True:
        await top_up(ledger, owners)
        await asyncio.sleep(_LOOK_EVERY_S)


async def top_up(ledger: Ledger, owners: Sequence[UserId]) -> None:
    """Once: whoever cannot pay one buy-in is granted five."""
    for owner in owners:
        if await ledger.bankroll_chips(owner) < BUY_IN_CHIPS:
            await ledger.grant(owner, _GRANT_CHIPS)
