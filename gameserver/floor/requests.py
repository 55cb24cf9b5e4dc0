"""What goes into a table's inbox. One request at a time is carried out, in the order of arrival."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

from gameserver.errors import Bug, Refusal
from gameserver.floor.ports import Connection, Resume, Watching
from gameserver.table.commands import Command
from gameserver.wire.messages import Inbound


@dataclass(frozen=True, slots=True)
class Attach:
    """A connection has entered. `resume`: where it says that it was. `watching`: None for one that may speak."""

    connection: Connection
    resume: Resume | None
    received_ms: int
    watching: Watching | None = None


@dataclass(frozen=True, slots=True)
class Detach:
    """A connection is gone."""

    connection: Connection
    received_ms: int


@dataclass(frozen=True, slots=True)
class Say:
    """A message of an entered connection. `received_ms`: monotonic time of receipt, which decides whether it is in time."""

    connection: Connection
    message: Inbound
    received_ms: int


@dataclass(frozen=True, slots=True)
class Operate:
    """A command of the table's creator, an operator or the server itself; `done` gets None, or the refusal."""

    command: Command
    done: asyncio.Future[None]
    received_ms: int

    def succeed(self) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def fail(self, error: Refusal | Bug) -> None:
        if not self.done.done():
            self.done.set_exception(error)


@dataclass(frozen=True, slots=True)
class Stop:
    """The server goes: no new hand; the one in play may end until `grace_ends_ms`, and is cancelled then."""

    grace_ends_ms: int
    received_ms: int


Request: TypeAlias = Attach | Detach | Say | Operate | Stop
