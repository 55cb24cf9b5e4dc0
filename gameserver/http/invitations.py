"""Who is invited to which private table: in memory, since every way out asks, and in the store, since it outlives us."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from gameserver.store.invitations import StoredInvitations
from policy.ids import TableId, UserId


class Invitations:
    """Load it before the floor starts; `of` is the floor's `Invited`."""

    def __init__(self, store: StoredInvitations) -> None:
        self._store = store
        self._invited: dict[TableId, set[UserId]] = {}

    async def load(self) -> None:
        """Read what is stored."""
        for table_id, user_id in await self._store.all():
            self._invited.setdefault(table_id, set()).add(user_id)

    def of(self, table_id: TableId) -> AbstractSet[UserId]:
        """The users who are invited to a table now."""
        return self._invited.get(table_id, frozenset())

    async def invite(self, table_id: TableId, user_id: UserId, *, now_ms: int) -> None:
        """Invite somebody. Who may do that is decided before."""
        await self._store.add(table_id, user_id, now_ms=now_ms)
        self._invited.setdefault(table_id, set()).add(user_id)
