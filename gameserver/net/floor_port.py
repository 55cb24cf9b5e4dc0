"""What the endpoint needs of the floor."""

from __future__ import annotations

from typing import Protocol

from gameserver.floor.ports import Connection, LastEvent, ResumePoint, Watching
from gameserver.identity.who import Identity
from gameserver.wire.messages import Inbound
from policy.ids import TableId


class Floor(Protocol):
    """Where an endpoint hands over what it received. No method waits: each puts into the table's bounded inbox.

    A connection that closes late is detached by itself; that it was replaced is the floor's to know.
    """

    def attach(self, table_id: TableId, connection: Connection, resume: ResumePoint | None) -> bool:
        """A verified connection wants its stream. False: the inbox is full.

        Raises Refusal `not_found` for a table that is not there, or that this identity may not know of.
        """

    def say(self, table_id: TableId, connection: Connection, message: Inbound, received_ms: int) -> bool:
        """A decoded message of an attached connection; the floor answers by `connection.reply`. False: the inbox is full.

        `received_ms`: the monotonic clock at receipt, by which an action is in time or late. Of `enter` only a renewal under
        another version comes here, without its token: `connection.identity` is renewed already.
        """

    def detach(self, table_id: TableId, connection: Connection) -> None:
        """The connection is gone. Taken also where the inbox is full, since a lost line has to be known."""


class WatchedFloor(Protocol):
    """Where an endpoint that only reads asks, and hands its connection over. No method waits."""

    def admit_watcher(self, table_id: TableId, identity: Identity, watching: Watching) -> None:
        """Raises Refusal where this identity may not watch so: `not_found` for the public view; for an owner's `not_allowed`, the
        same for a table that is not there and for one without an agent of theirs.
        """

    def watch(
        self, table_id: TableId, connection: Connection, watching: Watching, last_event: LastEvent | None
    ) -> bool:
        """The connection wants this stream. False: the table's inbox is full. Raises Refusal as `admit_watcher` does."""

    def detach(self, table_id: TableId, connection: Connection) -> None:
        """The connection is gone."""
