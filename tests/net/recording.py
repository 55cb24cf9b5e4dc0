"""Connections that keep what they are given, for tests of the door without a socket."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from gameserver.floor.ports import ConnectionId
from gameserver.identity.who import Identity, Nobody
from gameserver.net.batch import Batch
from gameserver.net.connection import OpenConnection
from gameserver.net.outlet import NOBODY_LISTENS, Listener, Outcome


@dataclass
class RecordingOutlet:
    """`outcome`: what the next writes come to; `breaks`: raise instead."""

    outcome: Outcome = Outcome.WRITTEN
    breaks: bool = False
    payloads: list[bytes] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    closes: list[tuple[int, str]] = field(default_factory=list)
    listener: Listener = NOBODY_LISTENS

    def write(self, batch: Batch) -> Outcome:
        if self.breaks:
            raise OSError("a broken pipe")
        if self.outcome is Outcome.WRITTEN:
            self.payloads += batch.payloads
            self.batches.append(batch)
        return self.outcome

    def insist(self, batch: Batch) -> None:
        self.payloads += batch.payloads

    def carry_for(self, listener: Listener) -> None:
        self.listener = listener

    def direct_line(self) -> None:
        return None

    def write_rest(self, data: bytes) -> None:
        raise AssertionError("there is no direct line here")

    def close(self, code: int, reason: str) -> None:
        self.closes.append((code, reason))

    def catch_up(self) -> None:
        self.outcome = Outcome.WRITTEN
        self.listener.caught_up()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(payload) for payload in self.payloads]

    def kinds(self) -> list[str]:
        return [message["type"] for message in self.messages]

    def last(self, kind: str) -> dict[str, Any]:
        return [message for message in self.messages if message["type"] == kind][-1]


def recorded(name: str, identity: Identity | None = None) -> tuple[OpenConnection, RecordingOutlet]:
    outlet = RecordingOutlet()
    return OpenConnection(ConnectionId(name), identity or Nobody(), outlet), outlet
