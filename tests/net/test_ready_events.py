"""Event streams under our own server: what sse-starlette does for each is done once for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sse_starlette.sse import AppStatus

from gameserver.wire.close_codes import CloseCode
from tests.net import serving as net
from tests.net.events import EventClient, abort_all, open_events
from tests.net.serving import EVENTS, FOREIGN, Server, serving, until

PATH = f"/host/games/poker/{net.TABLE}/stream"


@pytest.fixture(autouse=True)
async def _nothing_left_open() -> AsyncIterator[None]:
    yield
    abort_all()


async def opened(server: Server, count: int) -> list[EventClient]:
    clients = [await open_events(server.url, PATH) for _ in range(count)]
    for client in clients:
        await client.read_until("snapshot")
    return clients


async def test_a_stream_is_one_task() -> None:
    """Its own; and what keeps them all awake is there while a stream is open, and no longer."""
    async with serving() as server:
        await opened(server, 1)
        with_one = len(asyncio.all_tasks())
        await opened(server, 5)
        assert len(asyncio.all_tasks()) == with_one + 5
        assert sum(task.get_name() == "event-keeper" for task in asyncio.all_tasks()) == 1
        abort_all()
        await until(lambda: server.events.open_streams == 0)
        await until(lambda: not any(task.get_name() == "event-keeper" for task in asyncio.all_tasks()))
        (again,) = await opened(server, 1)
        server.broadcast(net.chat("hello"))
        assert (await again.read()).message["text"] == "hello"


async def test_a_streams_protocol_has_no_dictionary_of_its_own() -> None:
    """Python keeps up to thirty attributes beside an object; one more, and each connection pays for a dictionary."""
    async with serving() as server:
        await opened(server, 1)
        (connection,) = server.events._open
        outlet: Any = connection._outlet
        assert len(vars(outlet._is_open.__self__._protocol)) <= 30


async def test_all_streams_are_kept_awake_and_one_with_a_queue_is_not_silent() -> None:
    """Comments come to each, also to one that was opened later."""
    async with serving(events=replace(EVENTS, ping_s=0.05)) as server:
        (first,) = await opened(server, 1)
        await first.comment(3)
        (later,) = await opened(server, 1)
        await later.comment(3)
        await first.comment(6)
        assert [event.name for event in first.events] == ["snapshot"]


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "foreign"])
async def test_streams_end_when_the_server_goes(ours: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """sse-starlette hears of it, once for all of them; each body ends as a body does."""
    async with serving() if ours else serving(FOREIGN) as server:
        clients = await opened(server, 3)
        monkeypatch.setattr(AppStatus, "should_exit", True)
        for client in clients:
            assert await client.end(within_s=10) == []
        await until(lambda: server.events.open_streams == 0)


async def test_a_second_request_on_the_connection_of_a_stream_gets_its_own_answer() -> None:
    """It waits for the stream to end, and no chunk of the stream is in it."""
    async with serving() as server:
        (client,) = await opened(server, 1)
        client.writer.write(f"GET {PATH.replace(net.TABLE, 'nowhere')} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        await client.writer.drain()
        server.broadcast(net.chat("before"))
        assert (await client.read()).message["text"] == "before"
        (connection,) = server.events._open
        connection.close(CloseCode.TABLE_CLOSED)
        server.broadcast(net.chat("after"))
        assert await client.end() == []
        await client.reader.readline()
        assert (await client.reader.readline()).startswith(b"HTTP/1.1 404")
        server.broadcast(net.chat("much later"))


async def test_a_stream_of_a_client_that_goes_before_its_head_is_given_back() -> None:
    """Nobody listens for it: the protocol says so."""
    async with serving() as server:
        for _ in range(20):
            _, writer = await asyncio.open_connection(*server.url.split(":"))
            writer.write(f"GET {PATH} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            await writer.drain()
            writer.transport.abort()
        await opened(server, 1)
        abort_all()
        await until(lambda: server.events.open_streams == 0 and not server.events._open)
        assert len(server.floor.detached) == len(server.floor.attached)
