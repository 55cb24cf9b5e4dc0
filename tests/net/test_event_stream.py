"""Both event streams on real sockets, under our server and under others: F02, F03 and F08 to F13 of the faults, F27 too."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import pytest
import uvloop

from gameserver.net.event_stream import EventLimits
from gameserver.views.audience import PublicAudience
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import AgentThought, Chat, NumberedFrame
from policy.ids import UserId
from tests.net import serving as net
from tests.net.events import EventClient, abort_all, events_of, open_events, reset, send_request
from tests.net.serving import EVENTS, FOREIGN, OURS, OUTLET, TABLE, Server, chat, serving, until

PUBLIC: Final = "stream"
OWNER: Final = "owner-stream?token=ann"
H11: Final = FOREIGN
PLAIN: Final[dict[str, Any]] = {"ws": "websockets-sansio", "http": "httptools"}
SERVERS: Final = pytest.mark.parametrize("protocols", [OURS, PLAIN, H11], ids=["ours", "httptools", "h11"])
STREAMS: Final = pytest.mark.parametrize("stream", [PUBLIC, OWNER], ids=["public", "owner"])


@pytest.fixture(autouse=True)
async def _nothing_left_open() -> AsyncIterator[None]:
    yield
    abort_all()


def path(stream: str, table: str = TABLE) -> str:
    return f"/host/games/poker/{table}/{stream}"


def send(server: Server, stream: str, *frames: NumberedFrame) -> None:
    """To whom a stream is for, as the door has it."""
    if stream.startswith("owner"):
        server.door.send_to_user(UserId("ann"), TABLE, frames)
    else:
        server.door.send_to_public(TABLE, frames)


async def opened(server: Server, stream: str, headers: dict[str, str] | None = None) -> EventClient:
    """An open stream whose snapshot is read."""
    client = await open_events(server.url, path(stream), headers)
    assert client.status == 200
    assert (await client.read_until("snapshot"))[-1].message["tableId"] == TABLE
    return client


def thought(text: str) -> AgentThought:
    return AgentThought(seq=0, table_id=TABLE, agent_id="ace", seat=0, turn_id="t", text=text)


# --- what a stream is ---------------------------------------------------------------------------------------------------


@SERVERS
@STREAMS
async def test_the_same_frames_come_as_events_named_by_type(protocols: dict[str, Any], stream: str) -> None:
    """The snapshot first, then frames numbered without a gap, each with an id; the JSON is that of the socket."""
    async with serving(protocols) as server, await server.entered("?token=ann" if "owner" in stream else "") as socket:
        client = await opened(server, stream)
        send(server, stream, chat("one"), thought("two"))
        send(server, stream, chat("three"))
        got = [await client.read() for _ in range(3)]
        assert [(event.name, event.message["seq"]) for event in got] == [("chat", 1), ("agent_thought", 2), ("chat", 3)]
        assert [event.message for event in got] == [await net.read(socket) for _ in range(3)]
        ids = [event.last_id for event in (*client.events[:1], *got)]
        assert len(set(ids)) == 4 and all(ids)
        assert client.parser.retry in (1000, 1500, 2000, 2500)
        await client.close()


@SERVERS
async def test_an_owners_snapshot_has_their_own_cards_and_the_public_one_has_none(protocols: dict[str, Any]) -> None:
    """The owner sees what the public sees, and beside it the cards of their agent."""
    async with serving(protocols) as server:
        snapshots = {}
        for stream in (PUBLIC, OWNER):
            client = await opened(server, stream)
            snapshots[stream] = client.events[-1].message
            del snapshots[stream]["state"]["turnEndsAt"]  # two clocks, read at two moments
            await client.close()
        assert [own["cards"] for own in snapshots[OWNER]["ownCards"]] == [["As", "Ah"]]
        assert "ownCards" not in snapshots[PUBLIC]
        assert snapshots[OWNER]["state"] == snapshots[PUBLIC]["state"]


async def test_several_tabs_of_one_owner_get_the_same() -> None:
    """And nobody else gets it."""
    async with serving() as server:
        tabs = [await opened(server, OWNER) for _ in range(3)]
        others = [await opened(server, PUBLIC), await opened(server, "owner-stream?token=ben")]
        send(server, OWNER, thought("mine"))
        for tab in tabs:
            assert (await tab.read()).message["text"] == "mine"
        server.door.send_to_public(TABLE, [chat("for all")])
        server.door.send_to_user(UserId("ben"), TABLE, [chat("for all")])
        for other in others:
            assert (await other.read()).message["text"] == "for all"
        for client in (*tabs, *others):
            await client.close()


async def test_a_head_request_opens_no_stream() -> None:
    """It gets the headers, and the connection can be used again."""
    async with serving() as server:
        client = await open_events(server.url, path(PUBLIC), method="HEAD")
        assert client.status == 200 and client.headers["content-type"].startswith("text/event-stream")
        assert server.events.open_streams == 0 and server.floor.attached == []
        await client.close()


# --- F02, F03: who gets in ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "table", "headers", "status", "body"),
    [
        ("owner-stream", TABLE, {}, 401, b"bad_token"),
        ("owner-stream?token=bad", TABLE, {}, 401, b"bad_token"),
        ("owner-stream?token=dan", TABLE, {}, 403, b"not_allowed"),
        ("owner-stream?token=ann", "no-such", {}, 403, b"not_allowed"),
        ("owner-stream?token=ann", "%00", {}, 403, b"not_allowed"),
        ("owner-stream?token=ann", TABLE, {"Origin": "https://evil.example"}, 403, b"not_allowed"),
        ("stream?token=bad", TABLE, {}, 401, b"bad_token"),
        ("stream", "no-such", {}, 404, b"not_found"),
    ],
)
async def test_f02_who_may_not_watch_is_refused_before_any_event(
    stream: str, table: str, headers: dict[str, str], status: int, body: bytes
) -> None:
    """Somebody without an agent here, and a table that is not there, look alike."""
    async with serving() as server:
        client = await open_events(server.url, path(stream, table), headers)
        assert (client.status, await client.body()) == (status, body)
        assert server.floor.attached == [] and server.events.open_streams == 0
        await client.close()


async def test_whose_right_ended_between_the_head_and_the_stream_is_told_and_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The stream says why, and ends."""
    async with serving() as server:
        admit = server.floor.admit_watcher
        answers = itertools.count()

        def once(*given: Any) -> None:
            if next(answers):
                server.floor.owners.clear()
            admit(*given)

        monkeypatch.setattr(server.floor, "admit_watcher", once)
        client = await open_events(server.url, path(OWNER))
        (error,) = await client.end()
        assert (error.name, error.message["code"]) == ("error", "not_allowed")
        await until(lambda: server.events.open_streams == 0)


async def test_a_table_that_is_busy_ends_the_stream() -> None:
    async with serving() as server:
        server.floor.full = True
        (error,) = await (await open_events(server.url, path(PUBLIC))).end()
        assert error.message["code"] == "rate_limited"


@pytest.mark.parametrize("protocols", [OURS, H11], ids=["ours", "h11"])
@STREAMS
async def test_a_credential_that_runs_out_ends_the_stream(protocols: dict[str, Any], stream: str) -> None:
    """With an `error` first; and the next attempt is refused for good, so that a browser stops."""
    soon = f"{stream}{'&' if '?' in stream else '?token=ann'}&expires={int(time.time() * 1000) + 300}"
    async with serving(protocols) as server:
        client = await opened(server, soon)
        (error,) = await client.end()
        assert (error.name, error.message["code"]) == ("error", "bad_token")
        await until(lambda: server.events.open_streams == 0 and len(server.floor.detached) == 1)


async def test_what_was_opened_with_a_revoked_credential_ends() -> None:
    """And no other stream."""
    async with serving() as server:
        ann, ben = await opened(server, OWNER), await opened(server, "owner-stream?token=ben")
        assert server.events.close_revoked(lambda identity: getattr(identity, "user_id", "") == "ann") == 1
        (error,) = await ann.end()
        assert error.message["code"] == "bad_token"
        server.door.send_to_user(UserId("ben"), TABLE, [chat("on")])
        assert (await ben.read()).message["text"] == "on"
        await ben.close()


# --- F08: proxies -------------------------------------------------------------------------------------------------------


@SERVERS
@STREAMS
async def test_f08_the_head_comes_at_once_and_says_what_proxies_need(protocols: dict[str, Any], stream: str) -> None:
    """With and without an encoding asked for."""
    async with serving(protocols) as server:
        for headers in ({}, {"Accept-Encoding": "gzip, br"}):
            began = time.monotonic()
            client = await open_events(server.url, path(stream), headers)
            assert time.monotonic() - began < 1
            assert client.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert client.headers["cache-control"] == "no-store"
            assert client.headers["x-accel-buffering"] == "no"
            assert client.headers["content-encoding"] == "identity"
            await client.close()


@SERVERS
async def test_f08_a_silent_stream_is_kept_awake(protocols: dict[str, Any]) -> None:
    """By comments, which are no events."""
    async with serving(protocols, events=replace(EVENTS, ping_s=0.05)) as server:
        client = await opened(server, PUBLIC)
        await client.comment(4)
        assert [event.name for event in client.events] == ["snapshot"] and client._ready == []
        send(server, PUBLIC, chat("still here"))
        assert (await client.read()).message["text"] == "still here"
        await client.close()


def test_f08_a_comment_comes_every_15_s() -> None:
    assert EventLimits().ping_s == 15


# --- F09, F10: text -----------------------------------------------------------------------------------------------------

FORGERIES: Final = [
    '\n\nevent: hole_cards\ndata: {"x":1}\n\n',
    '\r\revent: hole_cards\rdata: {"x":1}\r\r',
    '\r\n\r\nevent: hole_cards\r\ndata: {"x":1}\r\n\r\n',
    "id: 7",
    "id: 7\n",
    "a\0b",
    ":comment",
    "\n:comment\n",
    "retry: 1\n",
]


@SERVERS
@STREAMS
async def test_f09_text_cannot_forge_an_event(protocols: dict[str, Any], stream: str) -> None:
    """One event a send, under its own name and id, and the same text."""
    async with serving(protocols) as server:
        client = await opened(server, stream)
        retry, comments = client.parser.retry, client.parser.comments
        for number, text in enumerate(FORGERIES, 1):
            frame = Chat(seq=0, table_id=TABLE, sender=text, text=text) if number % 2 else thought(text)
            send(server, stream, frame)
            event = await client.read()
            assert (event.name, event.message["text"]) == ("chat" if number % 2 else "agent_thought", text)
            assert f".{number}." in event.last_id
        assert (client.parser.retry, client.parser.comments, client._ready) == (retry, comments, [])
        await client.close()


@STREAMS
async def test_f10_unicode_line_separators_are_data(stream: str) -> None:
    """One event, the same text."""
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
    async with serving() as server:
        client = await opened(server, stream)
        send(server, stream, thought(text))
        assert (await client.read()).message["text"] == text
        await client.close()


# --- F11, F12: many -----------------------------------------------------------------------------------------------------

FEW: Final = replace(EVENTS, max_streams_per_user=4, max_streams=6)


@SERVERS
@STREAMS
async def test_f11_a_disconnect_frees_everything_however_early(protocols: dict[str, Any], stream: str) -> None:
    """Three times the limit, reset before a byte is read; then the limit, opened and closed; nothing is left of them."""
    async with serving(protocols, events=FEW) as server:
        await (await opened(server, stream)).close()  # sse-starlette's one watcher starts with the first stream
        await until(lambda: server.events.open_streams == 0)
        tasks = len(asyncio.all_tasks())
        for _ in range(18):
            _, writer = await send_request(server.url, path(stream))
            await writer.drain()
            reset(writer)
        await until(lambda: server.events.open_streams == 0)
        clients = [await opened(server, stream) for _ in range(4)]
        for client in clients:
            await client.close()
        await until(lambda: server.events.open_streams == 0)
        client = await opened(server, stream)
        assert server.events.open_streams == 1
        await client.close()
        await until(lambda: server.events.open_streams == 0 and len(asyncio.all_tasks()) <= tasks)
        assert all(not table.stream_of for table in server.door._tables.values())
        assert len(server.floor.attached) == len(server.floor.detached)
        assert not server.events._open


@pytest.mark.parametrize("protocols", [OURS, H11], ids=["ours", "h11"])
async def test_f12_a_stream_too_many_gets_503_and_costs_nobody_theirs(protocols: dict[str, Any]) -> None:
    """By person and in all; a place that is given up is free again."""
    async with serving(protocols, events=FEW) as server:
        mine = [await opened(server, OWNER) for _ in range(4)]
        over = await open_events(server.url, path(OWNER))
        assert (over.status, over.headers["retry-after"]) == (503, "5")
        others = [await opened(server, PUBLIC) for _ in range(2)]
        assert (await open_events(server.url, path(PUBLIC))).status == 503
        send(server, OWNER, chat("all here"))
        for client in mine:
            assert (await client.read()).message["text"] == "all here"
        await mine[0].close()
        await until(lambda: server.events.open_streams == 5)
        again = await opened(server, OWNER)
        for client in (*mine[1:], *others, again, over):
            await client.close()


async def test_f12_each_stream_is_told_another_time_to_come_back() -> None:
    """From half to one and a half of the base; and at the end of the server a `reconnect` first."""
    async with serving() as server:
        clients = [await opened(server, OWNER) for _ in range(8)]
        told = {client.parser.retry for client in clients}
        assert None not in told and max(filter(None, told)) - min(filter(None, told)) >= 0.2 * EVENTS.retry_ms
        server.door.close_all(CloseCode.RESTART, reconnect_after_ms=2_000)
        for client in clients:
            (event,) = await client.end()
            assert event.name == "reconnect" and 1_000 <= event.message["afterMs"] < 3_000
        await until(lambda: server.events.open_streams == 0)


# --- F13: resume --------------------------------------------------------------------------------------------------------


@SERVERS
@STREAMS
@pytest.mark.parametrize("by", ["header", "query"])
async def test_f13_a_dropped_stream_goes_on_where_it_was(protocols: dict[str, Any], stream: str, by: str) -> None:
    """Each later event once, in order, under the same ids; also after the snapshot alone."""
    async with serving(protocols) as server:
        first = await opened(server, stream)
        for text in "abcd":
            send(server, stream, chat(text))
        events = [first.events[-1], *[await first.read() for _ in range(4)]]
        first.reset()
        for at, event in enumerate(events):
            back = await resumed(server, stream, event.last_id, by)
            assert (await back.read()).name == "resumed"
            missed = [await back.read() for _ in events[at + 1 :]]
            assert [(e.data, e.last_id) for e in missed] == [(e.data, e.last_id) for e in events[at + 1 :]]
            await back.close()


async def resumed(server: Server, stream: str, last_id: str, by: str) -> EventClient:
    if by == "header":
        return await open_events(server.url, path(stream), {"Last-Event-ID": last_id})
    return await open_events(server.url, path(f"{stream}{'&' if '?' in stream else '?'}lastEventId={last_id}"))


FOREIGN_IDS: Final = [
    "-1",
    "0",
    "9" * 400,
    "k%0d%0aX:%20y",
    "%ff%fe",
    "%e2%80%a8",
    "public.x.1.AAAAAAAAAAAAAAAA",
    "%00",
]


@STREAMS
async def test_f13_what_is_no_id_of_this_stream_is_one_resync(stream: str) -> None:
    """Another stream's, another owner's, one that was tampered with, an older process's, or no id at all: its own snapshot."""
    async with serving() as older:
        old = (await opened(older, stream)).events[-1].last_id
        send(older, stream, chat("x"))
    async with serving() as server:
        ids = [old, *FOREIGN_IDS]
        for other in (PUBLIC, OWNER, "owner-stream?token=ben"):
            if other != stream:
                ids.append((await opened(server, other)).events[-1].last_id)
        own = (await opened(server, stream)).events[-1].last_id
        ids += [own.replace(".0.", ".1."), own[:-1] + ("A" if own[-1] != "A" else "B"), own.upper(), own + "A"]
        server.door.send_to_user(UserId("ben"), TABLE, [chat("ben's own")])
        for event_id in ids:
            client = await resumed(server, stream, event_id, "query")
            assert [event.name for event in await client.read_until("snapshot")] == ["resync", "snapshot"]
            assert "ben's own" not in str(client.events)
            await client.close()


async def test_f13_a_header_counts_before_the_address_and_raw_bytes_are_no_fault() -> None:
    """A browser that comes back says where it was in a header, while the page's address still says where it began."""
    async with serving() as server:
        first = await opened(server, PUBLIC)
        begun = first.events[-1].last_id
        send(server, PUBLIC, chat("a"))
        last = (await first.read()).last_id
        client = await open_events(server.url, path(f"stream?lastEventId={begun}"), {"Last-Event-ID": last})
        send(server, PUBLIC, chat("b"))
        assert [(await client.read()).name for _ in range(2)] == ["resumed", "chat"]
        for raw in ("\xff\xfe", "é" * 50, ""):
            again = await open_events(server.url, path(PUBLIC), {"Last-Event-ID": raw})
            assert (await again.read_until("snapshot"))[-1].message["seq"] == 2
            await again.close()


async def test_a_new_epoch_is_a_snapshot_under_other_ids() -> None:
    """As when a reveal is switched off: an id of before is no place any more."""
    async with serving() as server:
        client = await opened(server, PUBLIC)
        send(server, PUBLIC, chat("before"))
        before = (await client.read()).last_id
        server.door.renew_stream(TABLE, PublicAudience())
        assert (await client.read()).name == "snapshot"
        back = await resumed(server, PUBLIC, before, "header")
        assert [event.name for event in await back.read_until("snapshot")] == ["resync", "snapshot"]
        await client.close()
        await back.close()


# --- F27: slow readers --------------------------------------------------------------------------------------------------

BIG: Final = "x" * 20_000


@SERVERS
@STREAMS
async def test_f27_a_stream_that_is_not_read_is_cut_and_delays_nobody(protocols: dict[str, Any], stream: str) -> None:
    """What is queued for it is bounded, the other one has each event at once, and its place is free."""
    async with serving(protocols) as server:
        fast = await opened(server, stream)
        _, writer = await send_request(server.url, path(stream), limit=1024)
        await until(lambda: len(server.floor.attached) == 2)
        for number in range(1, 500):
            send(server, stream, chat(f"{number} {BIG}"))
            assert (await fast.read(1)).message["seq"] == number
            assert queued_bytes(server) <= OUTLET.max_queued_bytes + 25_000
        await until(lambda: server.events.open_streams == 1, 4)
        assert fast.ended is False
        await fast.close()
        writer.transport.abort()


def queued_bytes(server: Server) -> int:
    outlet: Any = server.floor.attached[1]._outlet  # type: ignore[attr-defined]
    if hasattr(outlet, "_transport"):
        return int(outlet._transport.get_write_buffer_size())
    return int(outlet._queued_bytes)


PATIENT_OUTLET: Final = replace(OUTLET, patience_s=60)


class PatientHttp(net.OurHttp):
    limits = PATIENT_OUTLET


@pytest.mark.parametrize("protocols", [{**OURS, "http": PatientHttp}, PLAIN, H11], ids=["ours", "httptools", "h11"])
async def test_a_slow_stream_begins_anew_from_the_newest_snapshot(protocols: dict[str, Any]) -> None:
    """It reads what was queued, gets a `resync` and the state as it is now, and goes on without a gap."""
    async with serving(protocols, events=replace(EVENTS, outlet=PATIENT_OUTLET)) as server:
        slow = await open_events(server.url, path(PUBLIC), limit=1024)
        await until(lambda: len(server.floor.attached) == 1)
        found = server.door._tables[TABLE].streams[PublicAudience()]
        sent = 0
        while not any(subscriber.behind for subscriber in found.subscribers):
            sent += 1
            send(server, PUBLIC, chat(f"{sent} {BIG}"))
            await asyncio.sleep(0)
        send(server, PUBLIC, chat("skipped"))
        got = await slow.read_until("resync")
        assert [event.message["seq"] for event in got[1:-1]] == list(range(1, sent))
        assert (await slow.read()).message["seq"] == sent + 1
        send(server, PUBLIC, chat("on"))
        assert (await slow.read()).message["seq"] == sent + 2
        await slow.close()


async def test_an_end_that_nobody_reads_is_made_all_the_same() -> None:
    """The last chunk waits behind the queue; the connection is aborted after a while."""
    async with serving({**OURS, "http": PatientHttp}) as server:
        _, writer = await send_request(server.url, path(PUBLIC), limit=1024)
        await until(lambda: len(server.floor.attached) == 1)
        for number in range(400):
            send(server, PUBLIC, chat(f"{number} {BIG}"))
        server.floor.attached[0].close(CloseCode.TABLE_CLOSED)
        await until(lambda: server.events.open_streams == 0, 4)
        writer.transport.abort()


async def test_f26_a_reset_stream_in_mid_broadcast_disturbs_nobody() -> None:
    """Every other one has each event once and in order."""
    async with serving() as server:
        clients = [await opened(server, PUBLIC) for _ in range(5)]
        for number in range(1, 21):
            if number == 10:
                clients[2].reset()
            send(server, PUBLIC, chat(str(number)))
            await asyncio.sleep(0)
        for client in (*clients[:2], *clients[3:]):
            assert [(await client.read()).message["seq"] for _ in range(20)] == list(range(1, 21))
            await client.close()


async def test_streams_and_sockets_share_one_stream() -> None:
    """The same numbers, whichever way they come."""
    async with serving() as server, await server.entered() as socket, events_of(server.url, path(PUBLIC)) as client:
        await client.read_until("snapshot")
        send(server, PUBLIC, chat("a"), chat("b"))
        assert [(await client.read()).message for _ in range(2)] == [await net.read(socket) for _ in range(2)]


async def test_a_request_after_the_end_of_a_stream_is_served_on_the_same_connection() -> None:
    """The stream ended as an answer does, and what was queued for it is nobody's any more."""
    async with serving() as server:
        client = await opened(server, PUBLIC)
        server.floor.attached[0].close(CloseCode.TABLE_CLOSED)
        assert await client.end() == []
        await client.reader.readline()
        client.writer.write(f"GET {path('stream', 'no-such')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert b"404" in await asyncio.wait_for(client.reader.readline(), 3)
        send(server, PUBLIC, chat("to nobody"))
        await client.close()


def test_all_of_it_runs_on_uvloop_too() -> None:
    """uvicorn's own default loop has another transport."""

    async def scenario() -> None:
        await test_f13_a_dropped_stream_goes_on_where_it_was(OURS, OWNER, "header")
        await test_f11_a_disconnect_frees_everything_however_early(OURS, PUBLIC)
        await test_a_slow_stream_begins_anew_from_the_newest_snapshot({**OURS, "http": PatientHttp})
        await test_f27_a_stream_that_is_not_read_is_cut_and_delays_nobody(OURS, OWNER)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(asyncio.wait_for(scenario(), 60))
