"""How many event streams are open, of this process and of each person: counted while they are, and given back when they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from gameserver.identity.who import Nobody, UserIdentity
from policy.ids import UserId


class NoPlace(Exception):
    """As many are open as may be. Those that are stay open (test_f12_a_stream_too_many_gets_503_and_costs_nobody_theirs)."""


class StreamPlaces:
    """`per_user`: of somebody signed in; who is not counts with the process only."""

    def __init__(self, *, in_all: int, per_user: int) -> None:
        self._in_all, self._per_user = in_all, per_user
        self._of_users: Counter[UserId] = Counter()
        self.open = 0

    @contextmanager
    def taken(self, identity: UserIdentity | Nobody) -> Iterator[None]:
        """A place for as long as the block lasts. Raises NoPlace."""
        user_id = identity.user_id if isinstance(identity, UserIdentity) else None
        if self.open >= self._in_all or (user_id is not None and self._of_users[user_id] >= self._per_user):
            raise NoPlace
        self._count(user_id, 1)
        try:
            yield
        finally:
            self._count(user_id, -1)

    def _count(self, user_id: UserId | None, change: int) -> None:
        self.open += change
        if user_id is not None:
            self._of_users[user_id] += change
            if not self._of_users[user_id]:
                del self._of_users[user_id]
