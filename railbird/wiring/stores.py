"""Whether the stores answer. It knows their names and tells no address."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sqlalchemy import literal, select

from gameserver.store.engine import Database
from railbird.wiring.keys import KeySource

_log: Final = logging.getLogger(__name__)
_WAIT_S: Final = 1.0


class Stores:
    """`gameserver.http.lobby.Readiness`."""

    def __init__(self, database: Database, keys: KeySource) -> None:
        self._database, self._keys = database, keys
        self._asking: asyncio.Task[int | None] | None = None

    async def stores(self) -> dict[str, bool]:
        """Each by its name."""
        return {"database": await self._database_answers(), **self._keys.states()}

    async def _database_answers(self) -> bool:
        """One question at a time: a store that is stuck is not asked once more by everybody who looks."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._database.value(select(literal(1))), name="is the database there")
        await asyncio.wait([self._asking], timeout=_WAIT_S)
        if not self._asking.done() or self._asking.cancelled():
            return False
        error = self._asking.exception()
        if error is not None:
            _log.warning("the database does not answer: %s", type(error).__name__)
        return error is None
