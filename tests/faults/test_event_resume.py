"""B. Event streams: F11 to F13 and F27, how they end, come back and read slowly. On `/stream` and `/owner-stream`."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from gameserver.net.event_stream import EVENT_LIMITS, EventLimits
from gameserver.net.http_protocol import ReadyHttp
from gameserver.net.outlet import OutletLimits
from gameserver.net.stream_places import StreamPlaces
from gameserver.wire.messages import Chat
from policy.ids import UserId
from tests.faults.sse import Events, StreamRefused
from tests.faults.wire import SOON_S, head
from tests.faults.world import HOST, Stage, World, until, world

KINDS: Final = ("public", "owner")


async def opened(stage: Stage, kind: str, *headers: tuple[str, str], query: str = "") -> Events:
    if kind == "public":
        return await stage.public_events(*headers, query=query)
    return await stage.owner_events(*headers, query=query)


def limit_streams(now: World, monkeypatch: pytest.MonkeyPatch, limits: EventLimits) -> None:
    events = now.table_events
    places = StreamPlaces(in_all=limits.max_streams, per_user=limits.max_streams_per_user)
    monkeypatch.setattr(events, "_limits", limits)
    monkeypatch.setattr(events, "_places", places)


# --- F11 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_f11_disconnect_frees_everything(kind: str, here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times as many as may be open are reset before a byte of the answer; then as many as may be open, and one more."""
    stage = await here.stage()
    most = 12
    limits = (
        replace(EVENT_LIMITS, max_streams_per_user=most) if kind == "owner" else replace(EVENT_LIMITS, max_streams=most)
    )
    limit_streams(here, monkeypatch, limits)
    async with stage.undisturbed():
        await (await opened(stage, kind)).end()  # what is made once and stays is made now
        await until(lambda: here.table_events.open_streams == 0)
        tasks = len(asyncio.all_tasks())
        path = f"{stage.path}/{'owner-stream' if kind == 'owner' else 'stream'}"
        for _ in range(3 * most):
            await reset_at_once(here.port, path, [stage.owner("A")] if kind == "owner" else [])
        await until(lambda: here.table_events.open_streams == 0)
        for _ in range(2):
            streams = [await opened(stage, kind) for _ in range(most)]
            assert here.table_events.open_streams == most
            with pytest.raises(StreamRefused) as refused:
                await opened(stage, kind)
            assert refused.value.answer.status == 503
            for stream in streams:
                await stream.end()
            await until(lambda: here.table_events.open_streams == 0)
        await (await opened(stage, kind)).end()
        await until(lambda: here.table_events.open_streams == 0)
        await until(lambda: len(asyncio.all_tasks()) <= tasks)
        assert not here.table_events._open


async def reset_at_once(port: int, path: str, headers: Sequence[tuple[str, str]]) -> None:
    """The request, and RST behind it."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, (HOST, port))
        await loop.sock_sendall(client, head("GET", path, [("Host", "table.test"), *headers]))


# --- F12 ----------------------------------------------------------------------------------------------------------------


async def test_f12_reconnect_is_bounded_and_jittered(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stream is told another time to come back; one too many gets 503 with Retry-After, and costs nobody theirs."""
    stage = await here.stage()
    limit_streams(here, monkeypatch, replace(EVENT_LIMITS, max_streams=40))
    async with stage.undisturbed():
        streams = [await stage.public_events() for _ in range(40)]
        told = [stream.retry_ms for stream in streams]
        times = [ms for ms in told if ms is not None]
        assert len(times) == 40 and all(0 < ms <= 60_000 for ms in times)
        assert max(times) - min(times) >= 0.2 * EVENT_LIMITS.retry_ms and len(set(times)) > 10
        with pytest.raises(StreamRefused) as refused:
            await stage.public_events()
        assert refused.value.answer.status == 503
        assert int(refused.value.answer.header("retry-after") or "0") > 0
        text = await stage.next_public_frame()
        for stream in streams:
            await stream.sees(lambda event: event.name == "chat" and text in event.data)
            await stream.end()


async def test_f12_a_credential_that_is_no_good_ends_it_for_good(here: World) -> None:
    """401 or 403, so that a browser stops; the same for a table that is not there."""
    stage = await here.stage()
    gone = here.user_token("ursula", life_s=-3_600)
    async with stage.undisturbed():
        for path, headers, status in (
            (f"{stage.path}/owner-stream", [], 401),
            (f"{stage.path}/owner-stream", [("Authorization", f"Bearer {gone}")], 401),
            (f"{stage.path}/owner-stream?ticket=used", [], 401),
            (f"{stage.path}/owner-stream", [("Authorization", f"Bearer {here.user_token('stranger')}")], 403),
            ("/games/poker/t-nothere/owner-stream", [("Authorization", f"Bearer {here.user_token('stranger')}")], 403),
            ("/games/poker/t-nothere/stream", [], 404),
        ):
            with pytest.raises(StreamRefused) as refused:
                await here.events(path, headers)
            assert refused.value.answer.status == status, path


async def test_f12_an_expired_credential_ends_an_open_stream(here: World) -> None:
    """Told, and ended cleanly; the attempt to come back is final."""
    stage = await here.stage()
    owner = f"owner-of-A-{stage.number}"
    soon = ("Authorization", f"Bearer {here.user_token(owner, life_s=-28)}")
    async with stage.undisturbed():
        stream = await here.events(f"{stage.path}/owner-stream", [soon])
        await asyncio.wait_for(stream.ended.wait(), SOON_S)
        assert stream.ended_cleanly and stream.events[-1].message["code"] == "bad_token"
        with pytest.raises(StreamRefused) as refused:
            await here.events(f"{stage.path}/owner-stream", [soon])
        assert refused.value.answer.status == 401


async def test_f12_a_graceful_restart(tmp_path: Path) -> None:
    """Streams are told when to come back, each at another time, and end cleanly."""
    async with world(tmp_path) as now:
        stage = await now.stage()
        streams = [await stage.public_events() for _ in range(20)] + [await stage.owner_events()]
        await now.server.stop()
        await asyncio.wait_for(asyncio.gather(*(stream.ended.wait() for stream in streams)), SOON_S)
        last = [stream.events[-1] for stream in streams]
        assert all(stream.ended_cleanly for stream in streams)
        assert {event.name for event in last} == {"reconnect"}
        assert len({event.message["afterMs"] for event in last}) > 5


# --- F13 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", ["header", "query"])
async def test_f13_resume_repeats_nothing_and_loses_nothing(kind: str, by: str, here: World) -> None:
    """After the last event that was seen come those that were missed, once each, in order, and then the live ones."""
    stage = await here.stage()
    async with stage.undisturbed():
        first = await opened(stage, kind)
        await stage.next_public_frame()
        seen = await first.sees(lambda event: event.name == "chat")
        await first.end()
        missed = [await stage.next_public_frame() for _ in range(3)]
        path = f"{stage.path}/{'owner-stream' if kind == 'owner' else 'stream'}"
        headers = [stage.owner("A")] if kind == "owner" else []
        if by == "header":
            again = await here.events(path, [*headers, ("Last-Event-ID", seen.event_id)])
        else:
            again = await here.events(f"{path}?lastEventId={quote(seen.event_id)}", headers)
        live = await stage.next_public_frame()
        await again.sees(lambda event: live in event.data)
        assert [event.message["text"] for event in again.events if event.name == "chat"] == [*missed, live]
        assert [event.name for event in again.events] == ["resumed", *["chat"] * 4]
        numbers = [int(event.event_id.split(".")[2]) for event in again.events if event.name == "chat"]
        assert numbers == list(range(numbers[0], numbers[0] + 4))


@pytest.mark.parametrize("kind", KINDS)
async def test_f13_resume_crosses_no_border(kind: str, here: World) -> None:
    """Whatever is no id of this viewer's own stream is one reset of this stream, however it is made."""
    stage, other = await here.stage(), await here.stage()
    streams = {
        "of another table": await opened(other, kind),
        "of the other kind": await opened(stage, "owner" if kind == "public" else "public"),
        "of another owner": await stage.owner_events(who="P"),
        "of this stream": await opened(stage, kind),
    }
    ids = {name: stream.events[0].event_id for name, stream in streams.items()}
    good = ids.pop("of this stream")
    kind_name, epoch, number, mac = good.split(".")
    wrong = [
        *ids.values(),
        f"{kind_name}.{'e' * len(epoch)}.{number}.{mac}",
        f"{kind_name}.{epoch}.{int(number) + 1}.{mac}",
        f"{kind_name}.{epoch}.0{number}.{mac}",
        *(
            "-1",
            "0",
            "1",
            "9" * 400,
            "k\r\nX: y",
            "\u00e9\u00fc",
            "\u4e2d",
            "a\0b",
            "*",
            "null",
            "..",
            good + " x",
            good[:-1],
        ),
    ]
    async with stage.undisturbed():
        for event_id in wrong:
            await is_reset(await resumed(stage, kind, event_id))
        for raw in ("\xff\xfe", "9" * 400, "\u00e9"):
            headers = [("Last-Event-ID", raw), *([stage.owner("A")] if kind == "owner" else [])]
            await is_reset(await here.events(path_of(stage, kind), headers))
        twice = [("Last-Event-ID", good), ("Last-Event-ID", good), *([stage.owner("A")] if kind == "owner" else [])]
        await is_reset(await here.events(path_of(stage, kind), twice))


def path_of(stage: Stage, kind: str) -> str:
    return f"{stage.path}/{'owner-stream' if kind == 'owner' else 'stream'}"


async def resumed(stage: Stage, kind: str, event_id: str) -> Events:
    query = f"?lastEventId={quote(event_id, safe='')}"
    return await stage.world.events(path_of(stage, kind) + query, [stage.owner("A")] if kind == "owner" else [])


async def is_reset(stream: Events) -> None:
    """One resync, and the whole state."""
    await stream.snapshot()
    assert [event.name for event in stream.events] == ["resync", "snapshot"]
    await stream.end()


# --- F27 ----------------------------------------------------------------------------------------------------------------

BIG: Final = "x" * 20_000


@pytest.mark.parametrize("kind", KINDS)
async def test_f27_a_stream_that_is_not_read(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is dropped; what waits for it is bounded; P, S and another stream have each frame at once."""
    limits = OutletLimits(patience_s=0.5, linger_s=0.5)
    monkeypatch.setattr(ReadyHttp, "limits", limits)
    async with world(tmp_path) as now:
        stage = await now.stage()
        healthy = await opened(stage, kind)
        async with stage.undisturbed():
            deaf = await deaf_stream(now.port, path_of(stage, kind), [stage.owner("A")] if kind == "owner" else [])
            await until(lambda: len(now.table_events._open) == 2)
            await asyncio.sleep(0.05)
            outlets: list[Any] = [connection._outlet for connection in now.table_events._open]
            most_queued, slowest_s = 0, 0.0
            for number in range(512):
                send_big(now, stage, kind, number)
                most_queued = max(most_queued, *(outlet._transport.get_write_buffer_size() for outlet in outlets))
                if number % 64 == 63:
                    began = time.monotonic()
                    await stage.next_public_frame()
                    slowest_s = max(slowest_s, time.monotonic() - began)
                else:
                    await asyncio.sleep(0)
            assert slowest_s < 0.5 and most_queued <= limits.max_queued_bytes + len(BIG) + 1_000
            await until(lambda: now.table_events.open_streams == 1)
            await healthy.sees(lambda event: event.data.find('"511 ') > 0)
            numbers = [int(event.event_id.split(".")[2]) for event in healthy.events]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            deaf.close()


def send_big(now: World, stage: Stage, kind: str, number: int) -> None:
    frame = Chat(seq=0, table_id=stage.table, sender="x", text=f"{number} {BIG}")
    if kind == "public":
        now.server.door.send_to_public(stage.table, [frame])
    else:
        now.server.door.send_to_user(UserId(f"owner-of-A-{stage.number}"), stage.table, [frame])


async def deaf_stream(port: int, path: str, headers: Sequence[tuple[str, str]]) -> socket.socket:
    """Opens a stream and does not read a byte of it; its own buffer is as small as it gets."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(deaf, (HOST, port))
    await loop.sock_sendall(deaf, head("GET", path, [("Host", "table.test"), *headers]))
    return deaf
