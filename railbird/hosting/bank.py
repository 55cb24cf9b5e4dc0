"""Grants broke house accounts more play chips, so that their agents go on. It looks now and then; nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from gameserver.store.ledger import Ledger
from policy.ids import UserId

_BUY_INS: Final = 5
_LOOK_EVERY_S: Final = 1.0


async def keep_solvent(ledger: Ledger, buy_ins: Mapping[UserId, int]) -> None:
    """Until cancelled. `buy_ins`: by account."""
    while True:
        await top_up(ledger, buy_ins)
        await asyncio.sleep(_LOOK_EVERY_S)


async def top_up(ledger: Ledger, buy_ins: Mapping[UserId, int]) -> None:
    """Once: whoever cannot pay its buy-in is granted five."""
    for owner, buy_in_chips in buy_ins.items():
        if await ledger.bankroll_chips(owner) < buy_in_chips:
            await ledger.grant(owner, _BUY_INS * buy_in_chips)
