"""The pages on a scripted server: it plays frames to each spectator, up to a place that the test names."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gameserver.wire.messages import Resumed, ServerMessage, Snapshot
from railbird.pages import NoOwner, PlayerSummary, TableSummary, page_routes
from tests.client.frames import TABLE, hello
from tests.pages.played_hand import BEGAN_AT, NAMES, STACKS, Hand, played_hand


def summary(name: str = "Heron", table_id: str = TABLE, **changes: Any) -> TableSummary:
    usual: dict[str, Any] = {
        "table_kind": "agent",
        "status": "open",
        "small_blind_chips": 10,
        "big_blind_chips": 20,
        "ante_chips": 0,
        "max_seats": 6,
        "hands_played": 117,
        "players": tuple(PlayerSummary(who, "agent", stack) for who, stack in zip(NAMES, STACKS, strict=True)),
        "show_hands": False,
        "show_thoughts": False,
        "spectator_delay_ms": 0,
    }
    return TableSummary(table_id=table_id, name=name, **(usual | changes))


@dataclass(slots=True)
class Lobby:
    listed: list[TableSummary]
    owned: NoOwner | None = NoOwner.NOBODY
    """Why the asker gets no owner's view; None: an agent of theirs sits at every table."""

    async def tables(self, asker: HTTPConnection) -> Sequence[TableSummary]:
        return [replace(table, yours=self.owned is None) for table in self.listed]

    async def table(self, asker: HTTPConnection, table_id: str) -> TableSummary | None:
        return next((each for each in await self.tables(asker) if each.table_id == table_id), None)

    async def owned_table(self, asker: HTTPConnection, table_id: str) -> TableSummary | NoOwner:
        if self.owned is not None:
            return self.owned
        return await self.table(asker, table_id) or NoOwner.NOT_YOURS


@dataclass(slots=True)
class Scripted:
    """The server's script. `until`: the stop at which it waits; raise it with `play_on`."""

    hand: Hand = field(default_factory=played_hand)
    lobby: Lobby = field(default_factory=lambda: Lobby([summary()]))
    heard: list[dict[str, Any]] = field(default_factory=list)
    until: str = ""
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    cut_at: set[int] = field(default_factory=set)
    """Numbers before which the line breaks, once each."""
    leave_out: set[int] = field(default_factory=set)
    """Numbers of frames that are swallowed, once each."""
    close_with: int | None = None
    resume: bool = True
    max_seats: int = 6
    first: Snapshot | None = None
    """Instead of the snapshot from before the hand."""
    asked_after: list[str] = field(default_factory=list)
    """`Last-Event-ID` of each request for the owner's stream; empty: it had none."""
    refuse_events_with: int | None = None

    def play_on(self, until: str) -> None:
        self.until = until
        self.moved.set()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                *page_routes(self.lobby),
                WebSocketRoute("/games/poker/{table_id}/ws", self._serve),
                Route("/games/poker/{table_id}/owner-stream", self._owner_stream),
            ]
        )

    async def _owner_stream(self, request: Request) -> Response:
        if self.refuse_events_with is not None:
            return Response(status_code=self.refuse_events_with)
        asked = request.headers.get("last-event-id", "")
        self.asked_after.append(asked)
        return StreamingResponse(self._events(asked), media_type="text/event-stream")

    async def _events(self, asked: str) -> AsyncIterator[bytes]:
        """Ends before a number of `cut_at`, so that the browser comes back."""
        yield b": open\nretry: 50\n\n"
        last = int(asked.split(".")[2]) if asked and self.resume else self._snapshot().seq
        if not (asked and self.resume):
            yield _event(self._snapshot())
        for frame in self.hand.frames:
            if isinstance(frame, str):
                while not self._is_past(frame):
                    await self.moved.wait()
                    self.moved.clear()
                continue
            number: int = getattr(frame, "seq")  # noqa: B009  # all scripted frames are numbered ones
            if number <= last:
                continue
            if number in self.cut_at:
                self.cut_at.discard(number)
                return
            if number in self.leave_out:
                self.leave_out.discard(number)
                continue
            yield _event(frame)
        await asyncio.Event().wait()

    def _is_past(self, stop: str) -> bool:
        order = [each for each in self.hand.frames if isinstance(each, str)]
        return bool(self.until) and order.index(stop) < order.index(self.until)

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        with suppress(WebSocketDisconnect):
            await self._visit(socket)

    async def _visit(self, socket: WebSocket) -> None:
        await _say(socket, hello(server_time=int(time.time() * 1000)))
        entered = json.loads(await socket.receive_text())
        self.heard.append(entered)
        if self.close_with is not None:
            await socket.close(self.close_with)
            return
        last = BEGAN_AT
        if entered["type"] == "resume" and self.resume:
            last = entered["lastSeq"]
            await _say(socket, Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=last))
        else:
            snapshot = self._snapshot()
            last = snapshot.seq
            await _say(socket, snapshot)
        for frame in self.hand.frames:
            if isinstance(frame, str):
                await self._wait_at(frame, socket)
                continue
            number: int = getattr(frame, "seq")  # noqa: B009  # all scripted frames are numbered ones
            if number <= last:
                continue
            if number in self.cut_at:
                self.cut_at.discard(number)
                await socket.close(1012)
                return
            if number in self.leave_out:
                self.leave_out.discard(number)
                continue
            await _say(socket, frame)
        await socket.receive_text()

    def _snapshot(self) -> Snapshot:
        if self.first is not None:
            return self.first
        first = Hand(tuple(seat.name for seat in self.hand.seats)).snapshot()
        return msgspec.structs.replace(first, rules=msgspec.structs.replace(first.rules, max_seats=self.max_seats))

    async def _wait_at(self, stop: str, socket: WebSocket) -> None:
        """Until the test plays on past this stop; a spectator who leaves ends it."""
        leaving = asyncio.create_task(socket.receive_text())
        try:
            while not self._is_past(stop):
                moved = asyncio.create_task(self.moved.wait())
                await asyncio.wait({moved, leaving}, return_when=asyncio.FIRST_COMPLETED)
                moved.cancel()
                self.moved.clear()
                if leaving.done():
                    raise WebSocketDisconnect
        finally:
            leaving.cancel()
            await asyncio.wait({leaving})


async def _say(socket: WebSocket, message: ServerMessage) -> None:
    await socket.send_text(msgspec.json.encode(message).decode())


def _event(frame: Any) -> bytes:
    """One frame as an event, with an id as the server's."""
    name = frame.__struct_config__.tag
    return b"event: %b\nid: owner.ep-1.%d.mac\ndata: %b\n\n" % (name.encode(), frame.seq, msgspec.json.encode(frame))
