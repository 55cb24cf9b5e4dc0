"""The open connections of an endpoint, and those that are on their way in: whose credential is no good any more is closed.

Between the proof of an identity and the connection's place here something is waited for. What is revoked meanwhile is asked again
when the connection is here (test_what_is_revoked_on_the_way_in_does_not_stay).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias
from weakref import WeakSet

from gameserver.errors import ErrorCode
from gameserver.identity.who import Identity
from gameserver.net.connection import OpenConnection
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Error

IsRevoked: TypeAlias = Callable[[Identity], bool]


class Arrival:
    """Somebody on the way in, from before the proof; whoever gives up is forgotten with it."""

    __slots__ = ("__weakref__", "revoked")

    def __init__(self) -> None:
        self.revoked: list[IsRevoked] = []


class Visitors:
    """Who is here."""

    def __init__(self) -> None:
        self._here: set[OpenConnection] = set()
        self._arriving: WeakSet[Arrival] = WeakSet()

    def __iter__(self) -> Iterator[OpenConnection]:
        return iter(tuple(self._here))

    def __len__(self) -> int:
        return len(self._here)

    def arriving(self) -> Arrival:
        """Before the identity of whoever comes is proved."""
        arrival = Arrival()
        self._arriving.add(arrival)
        return arrival

    @contextmanager
    def here(self, connection: OpenConnection, arrival: Arrival) -> Iterator[None]:
        """A connection, for as long as the block lasts; it may be closed at once."""
        self._here.add(connection)
        self._arriving.discard(arrival)
        if any(is_revoked(connection.identity) for is_revoked in arrival.revoked):
            _turn_out(connection)
        try:
            yield
        finally:
            self._here.discard(connection)

    def close_revoked(self, is_revoked: IsRevoked) -> int:
        """Close what was opened with a credential that is no good any more, and say how many these were."""
        for arrival in self._arriving:
            arrival.revoked.append(is_revoked)
        revoked = [connection for connection in self if is_revoked(connection.identity)]
        for connection in revoked:
            _turn_out(connection)
        return len(revoked)


def _turn_out(connection: OpenConnection) -> None:
    connection.reply(Error(code=ErrorCode.BAD_TOKEN, message="the credential was revoked"))
    connection.close(CloseCode.NOT_AUTHENTICATED)
