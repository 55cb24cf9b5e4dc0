"""Connections come and go: who is in which audience, and whether a player's line is up."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from gameserver.floor import dispatch
from gameserver.floor.access import check_occupant
from gameserver.floor.callers import Caller, Callers
from gameserver.floor.mail import Mail
from gameserver.floor.ports import Connection, Watching
from gameserver.identity.who import AgentIdentity, Nobody
from gameserver.table import commands
from gameserver.table.facts import Fact
from gameserver.table.room import Room
from gameserver.wire.close_codes import CloseCode


class Lines:
    """The connections of one table. `platform_models`: what may play at a table that reveals anything."""

    def __init__(self, mail: Mail, platform_models: AbstractSet[str]) -> None:
        self.callers = Callers()
        self._mail = mail
        self._platform_models = platform_models

    def attach(self, room: Room, connection: Connection, now_ms: int) -> tuple[Caller, Sequence[Fact]]:
        """Register a connection. A newer connection of an agent replaces the older one, whose late close changes nothing
        (test_the_late_close_of_a_replaced_connection_changes_nothing).

        Raises Refusal for a token that could not have taken the seat which its agent holds.
        """
        check_occupant(room, connection.identity, self._platform_models)
        if isinstance(connection.identity, AgentIdentity):
            self._replace(dispatch.player_id_of(connection.identity))
        facts = self._line(room, connection, now_ms, up=True)
        return self.callers.add(room, connection), facts

    def watch(self, room: Room, connection: Connection, watching: Watching) -> Caller:
        """Register a connection that only reads: no player's line comes or goes with it (test_a_stream_is_no_presence).

        Raises Refusal(not_allowed) for an owner's without an agent here.
        """
        return self.callers.watch(room, connection, watching)

    def detach(self, room: Room, connection: Connection, now_ms: int) -> Sequence[Fact]:
        """Forget a connection. The player's line is down when it was the last one."""
        caller = self.callers.remove(connection)
        if caller is None:
            return ()
        self._mail.unsubscribe(connection)
        if caller.watching is not None:
            return ()
        return self._line(room, connection, now_ms, up=False)

    def start_again(self, room: Room, now_ms: int) -> Sequence[Fact]:
        """After a fault: the room is another one. Who has a line is told to it; everybody gets a snapshot in a new epoch."""
        facts: list[Fact] = []
        self._mail.end_streams(self.callers)
        for caller in self.callers:
            if caller.watching is None and not isinstance(caller.connection.identity, Nobody):
                player = dispatch.player_id_of(caller.connection.identity)
                facts.extend(room.receive(commands.Connect(player), now_ms))
            self._mail.place(room, caller)
        return facts

    def _replace(self, player: commands.PlayerId) -> None:
        for older in self.callers.of_player(player):
            self.callers.remove(older.connection)
            self._mail.unsubscribe(older.connection)
            older.connection.close(CloseCode.REPLACED)

    def _line(self, room: Room, connection: Connection, now_ms: int, *, up: bool) -> Sequence[Fact]:
        if isinstance(connection.identity, Nobody):
            return ()
        player = dispatch.player_id_of(connection.identity)
        if self.callers.of_player(player):
            return ()
        return room.receive(commands.Connect(player) if up else commands.Disconnect(player), now_ms)
