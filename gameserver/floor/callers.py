"""Which connections are at one table, and to which audience each belongs. Pure bookkeeping: it sends nothing.

A connection belongs to one audience at a time. An agent's connection never belongs to the public one
(test_an_agents_connection_is_never_in_the_public_audience).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from gameserver.floor import access
from gameserver.floor.dispatch import player_id_of
from gameserver.floor.ports import Connection, ConnectionId, Watching
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from gameserver.table.commands import PlayerId
from gameserver.table.room import Room
from gameserver.views.audience import AgentsAudience, Audience, OwnerAudience, PublicAudience, SeatAudience


@dataclass(slots=True)
class Caller:
    """One connection and its present audience. `watching`: what it reads, where it says nothing; None for one that may speak."""

    connection: Connection
    audience: Audience
    watching: Watching | None = None


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
        return self._put(Caller(connection, audience_of(room, connection)))

    def watch(self, room: Room, connection: Connection, watching: Watching) -> Caller:
        """Register a connection that only reads. Raises Refusal(not_allowed) for an owner's without an agent here."""
        return self._put(Caller(connection, _audience_of_watcher(room, connection, watching), watching))

    def remove(self, connection: Connection) -> Caller | None:
        """None where it was not there: it was replaced by a newer one, and its late close changes nothing."""
        return self._callers.pop(connection.connection_id, None)

    def of_player(self, player: PlayerId) -> list[Caller]:
        """All connections that speak for a player: one for an agent, any number for a person. One that only reads is none of
        them (test_a_stream_is_no_presence).
        """
        return [caller for caller in self if caller.watching is None and _speaks_for(caller.connection, player)]

    def _put(self, caller: Caller) -> Caller:
        self._callers[caller.connection.connection_id] = caller
        return caller


def audience_now(room: Room, caller: Caller) -> Audience:
    """The audience of a caller as the seats stand now. Raises Refusal(not_allowed) for an owner's stream without an agent here."""
    if caller.watching is None:
        return audience_of(room, caller.connection)
    return _audience_of_watcher(room, caller.connection, caller.watching)


def audience_of(room: Room, connection: Connection) -> Audience:
    """Where an identity belongs as the seats stand now."""
    match connection.identity:
        case AgentIdentity():
            return _seat_or(room, connection, AgentsAudience())
        case UserIdentity(user_id=user_id):
            owns = access.owns_an_agent(room, user_id)
            return _seat_or(room, connection, OwnerAudience(user_id) if owns else PublicAudience())
        case Nobody():
            return PublicAudience()


def _audience_of_watcher(room: Room, connection: Connection, watching: Watching) -> PublicAudience | OwnerAudience:
    match watching:
        case Watching.PUBLIC:
            return PublicAudience()
        case Watching.OWNER:
            return OwnerAudience(access.admit_owner(room, connection.identity))
        case _:
            assert_never(watching)


def _seat_or(room: Room, connection: Connection, unseated: Audience) -> Audience:
    player = player_id_of(connection.identity)
    seat = room.seat_of(player)
    return unseated if seat is None else SeatAudience(seat, player)


def _speaks_for(connection: Connection, player: PlayerId) -> bool:
    return not isinstance(connection.identity, Nobody) and player_id_of(connection.identity) == player
