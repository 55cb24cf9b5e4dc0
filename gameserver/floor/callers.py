"""Which connections are at one table, and to which audience each belongs. Pure bookkeeping: it sends nothing.

A connection belongs to one audience at a time. An agent's connection never belongs to the public one
(test_an_agents_connection_is_never_in_the_public_audience).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gameserver.floor.dispatch import player_id_of
from gameserver.floor.ports import Connection, ConnectionId
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from gameserver.table.commands import PlayerId
from gameserver.table.room import Room
from gameserver.views.audience import AgentsAudience, Audience, PublicAudience, SeatAudience


@dataclass(slots=True)
class Caller:
    """One connection and its present audience."""

    connection: Connection
    audience: Audience


class Callers:
    """The connections of one table."""

    def __init__(self) -> None:
        self._callers: dict[ConnectionId, Caller] = {}

    def __iter__(self) -> Iterator[Caller]:
        return iter(tuple(self._callers.values()))

    def __contains__(self, connection: Connection) -> bool:
        return connection.connection_id in self._callers

    def add(self, room: Room, connection: Connection) -> Caller:
        """Register a connection with the audience that its identity has now."""
        caller = Caller(connection, audience_of(room, connection))
        self._callers[connection.connection_id] = caller
        return caller

    def remove(self, connection: Connection) -> bool:
        """False where it was not there: it was replaced by a newer one, and its late close changes nothing."""
        return self._callers.pop(connection.connection_id, None) is not None

    def of_player(self, player: PlayerId) -> list[Caller]:
        """All connections that speak for a player: one for an agent, any number for a person."""
        return [caller for caller in self if _speaks_for(caller.connection, player)]


def audience_of(room: Room, connection: Connection) -> Audience:
    """Where an identity belongs as the seats stand now."""
    match connection.identity:
        case AgentIdentity():
            return _seat_or(room, connection, AgentsAudience())
        case UserIdentity():
            return _seat_or(room, connection, PublicAudience())
        case Nobody():
            return PublicAudience()


def _seat_or(room: Room, connection: Connection, unseated: Audience) -> Audience:
    player = player_id_of(connection.identity)
    seat = room.seat_of(player)
    return unseated if seat is None else SeatAudience(seat, player)


def _speaks_for(connection: Connection, player: PlayerId) -> bool:
    return not isinstance(connection.identity, Nobody) and player_id_of(connection.identity) == player
