"""The buffer of who has none: it does not answer, which readers know how to tell."""

from __future__ import annotations

from typing import NoReturn

from capture.errors import BufferUnavailable
from policy.ids import AgentId, HandNumber, TableId


class AbsentBuffer:
    """`capture.reads.stores.HotTurns` without a server."""

    async def hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> NoReturn:
        raise BufferUnavailable("there is none")

    async def agents_of(self, *, table_id: TableId, hand_number: HandNumber) -> NoReturn:
        raise BufferUnavailable("there is none")

    async def forget_hand(self, *, agent_id: AgentId, table_id: TableId, hand_number: HandNumber) -> NoReturn:
        raise BufferUnavailable("there is none")
