"""The endpoint on real sockets: the handshake, entering, limits, renewal, closing."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from gameserver.net.connection import REASONS
from gameserver.net.visit import VisitLimits
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Action, Enter
from tests.net.serving import FOREIGN, TABLE, closed, read, read_until, say, serving, until

PATIENT = VisitLimits()


async def test_the_server_speaks_first_and_tells_its_limits() -> None:
    """`hello` comes before anything is sent, with every limit that is enforced."""
    async with serving(visit=PATIENT) as server, await server.open() as client:
        hello = await read(client)
        assert (hello["type"], hello["protocol"], hello["minProtocol"]) == ("hello", 1, 1)
        assert abs(hello["serverTime"] - time.time() * 1000) < 5000
        assert hello["heartbeatMs"] == 20_000
        assert hello["limits"] == {
            "maxInboundBytes": 16384,
            "maxInboundBytesBeforeEnter": 4096,
            "messagesPerSecond": 20,
            "messageBurst": 60,
            "messagesPerSecondBeforeEnter": PATIENT.messages_per_second_before_enter,
            "messageBurstBeforeEnter": PATIENT.message_burst_before_enter,
            "refusalsPerSecond": PATIENT.refusals_per_second,
            "refusalBurst": PATIENT.refusal_burst,
            "controlFramesPerSecond": 10,
            "controlFrameBurst": 50,
            "maxFragments": 64,
            "enterWithinMs": 10_000,
            "maxQueuedBytes": 100_000,
            "maxConnections": 1_000,
            "maxConnectionsPerAddress": 500,
            "maxStreams": 5_000,
            "maxStreamsPerUser": 256,
        }


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "https://ours.example.evil.example", "http://ours.example"]
)
async def test_f01_a_foreign_page_gets_403(origin: str) -> None:
    """No socket is opened; a program without an Origin, and our own page, get in."""
    async with serving() as server:
        with pytest.raises(InvalidStatus) as refused:
            await server.open(origin=origin)
        assert refused.value.response.status_code == 403
        await (await server.client(origin="https://ours.example")).close()
        await (await server.client()).close()


async def test_a_bad_user_token_is_refused_before_the_upgrade() -> None:
    """401, and nothing of the table."""
    async with serving() as server:
        with pytest.raises(InvalidStatus) as refused:
            await server.open("?token=bad")
        assert refused.value.response.status_code == 401
        assert server.floor.attached == []


async def test_too_many_connections_are_told_to_come_back() -> None:
    """503 with Retry-After; the open ones stay, and a place that is given up is free again."""
    async with serving(max_connections=1, visit=PATIENT) as server:
        first = await server.client()
        with pytest.raises(InvalidStatus) as refused:
            await server.open()
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["retry-after"] == "5"
        await first.close()
        await until(lambda: server.endpoint.open_connections == 0)
        await (await server.client()).close()


async def test_entering_gets_the_snapshot_of_ones_own_audience() -> None:
    """A spectator, an owner, an agent without a seat and an agent in its seat."""
    async with serving() as server:
        for query, token, own in (
            ("", None, False),
            ("?token=ann", None, False),
            ("", "agent:stray:v1", False),
            ("", "agent:ace:v1", True),
        ):
            client = await server.client(query)
            await say(client, "enter", **({} if token is None else {"agentToken": token}))
            snapshot = await read(client)
            assert (snapshot["type"], snapshot["tableId"], snapshot["seq"]) == ("snapshot", TABLE, 0)
            assert ("yourHoleCards" in snapshot["state"], "yourTurn" in snapshot) == (own, own)
            assert ("ownCards" in snapshot) == (query == "?token=ann")
            await client.close()


async def test_nothing_entered_in_time_is_closed_with_4408() -> None:
    """Messages that are no `enter` do not help."""
    async with serving() as server:
        client = await server.client()
        await say(client, "ping")
        assert (await read(client))["type"] == "pong"
        assert await closed(client) == (4408, "nothing entered")
        assert server.floor.attached == [] == server.floor.detached


async def test_a_bad_agent_token_is_told_and_closed_with_4401() -> None:
    """What follows it on the same connection is not heard."""
    async with serving() as server:
        client = await server.client()
        await say(client, "enter", agentToken="a.b")
        await say(client, "enter", agentToken="agent:ace:v1")
        assert (await read(client))["code"] == "bad_token"
        assert await closed(client) == (4401, "not authenticated")
        assert server.floor.attached == []


async def test_an_agent_token_on_a_users_connection_is_refused_with_4403() -> None:
    """Before and after entering: no connection has both identities."""
    async with serving() as server:
        client = await server.client("?token=ann")
        await say(client, "enter", agentToken="agent:ace:v1")
        assert (await read(client))["code"] == "not_allowed"
        assert await closed(client) == (4403, "not allowed")
        entered = await server.entered("?token=ann")
        await say(entered, "enter", agentToken="agent:ace:v1")
        assert (await read(entered))["code"] == "not_allowed"
        assert (await closed(entered))[0] == 4403


async def test_an_unknown_table_is_closed_with_4404() -> None:
    async with serving() as server:
        client = await server.open(table="no-such-table")
        await read(client)
        await say(client, "enter")
        assert (await read(client))["code"] == "not_found"
        assert await closed(client) == (4404, "no such table")


async def test_before_entering_a_table_message_is_refused_and_the_connection_stays() -> None:
    """One error frame for it, with the request's own name."""
    async with serving() as server:
        client = await server.client()
        await say(client, "sit", seat=0, buyIn=100, requestId="r1")
        assert await read(client) == {
            "type": "error",
            "code": "not_entered",
            "message": "enter first",
            "requestId": "r1",
        }
        await say(client, "enter")
        assert (await read(client))["type"] == "snapshot"
        await say(client, "resume", session="x", epoch="y", lastSeq=0)
        assert (await read(client))["code"] == "already_entered"
        await client.close()


async def test_messages_reach_the_floor_with_the_identity_of_the_connection() -> None:
    """And the connection's end does too, once."""
    async with serving() as server:
        client = await server.entered(token="agent:ace:v1")
        await say(client, "action", turnId="turn-9", action="check", requestId="r1")
        assert await read(client) == {"type": "ack", "requestId": "r1"}
        ((connection, message),) = server.floor.said
        assert isinstance(message, Action) and message.turn_id == "turn-9"
        assert getattr(connection.identity, "agent_id", None) == "ace"
        await client.close()
        await until(lambda: server.floor.detached == [connection])


@pytest.mark.parametrize("silent", [False, True])
async def test_the_same_request_twice_gets_the_first_answer_and_is_done_once(silent: bool) -> None:
    """Also when it comes again before the answer is there."""
    async with serving() as server:
        server.floor.silent = silent
        client = await server.entered(token="agent:ace:v1")
        for _ in range(2):
            await say(client, "action", turnId="turn-9", action="check", requestId="r1")
        if silent:
            await say(client, "ping", requestId="p")
            await read_until(client, "pong")
            connection, message = server.floor.said[0]
            server.floor.silent = False
            server.floor.say(TABLE, connection, message, 0)
            server.floor.said.pop()
        assert [await read(client), await read(client)] == [{"type": "ack", "requestId": "r1"}] * 2
        assert len(server.floor.said) == 1
        await client.close()


async def test_a_full_inbox_is_told_and_nothing_is_lost_in_silence() -> None:
    """The sender may try again, under the same connection."""
    async with serving() as server:
        client = await server.entered()
        server.floor.full = True
        await say(client, "chat", text="hi", requestId="r1")
        assert (await read(client))["code"] == "rate_limited"
        await client.close()
        busy = await server.client()
        await say(busy, "enter")
        assert (await read(busy))["code"] == "rate_limited"
        server.floor.full = False
        await say(busy, "enter")
        assert (await read(busy))["type"] == "snapshot"
        await busy.close()


async def test_a_request_that_was_put_off_is_told_by_its_name_and_may_come_again() -> None:
    """A full inbox and too many messages are no answers that are kept; a request that was done is not done again."""
    async with serving(visit=VisitLimits(messages_per_second=0, message_burst=3)) as server:
        client = await server.entered()
        server.floor.full = True
        await say(client, "chat", text="hi", requestId="r1")
        assert await read(client) == {
            "type": "error", "code": "rate_limited", "message": "the table is busy", "requestId": "r1"
        }  # fmt: skip
        server.floor.full = False
        await say(client, "chat", text="hi", requestId="r1")
        assert await read(client) == {"type": "ack", "requestId": "r1"}
        await say(client, "chat", text="ho", requestId="r2")
        assert (await read(client))["type"] == "ack"
        for request_id in ("r2", "r3"):
            await say(client, "chat", text="ho", requestId=request_id)
            refused = await read(client)
            assert (refused["code"], refused["requestId"]) == ("rate_limited", request_id)
        for unreadable in ("{", '{"type":"chat","requestId":7}', '["chat"]'):
            await client.send(unreadable)
            refused = await read(client)
            assert (refused["code"], refused.get("requestId")) == ("rate_limited", None)
        await client.send('{"type":"nope","requestId":"r4"}')
        assert (await read(client))["requestId"] == "r4"
        assert len(server.floor.said) == 2
        await client.close()


# --- renewal and expiry -------------------------------------------------------------------------------------------------


async def test_a_fresh_token_of_the_same_agent_renews_and_another_agents_does_not() -> None:
    """What a fresh token means for a seat is the floor's to say, each time; it sees no token."""
    async with serving() as server:
        soon = int(time.time() * 1000) + 700
        client = await server.entered(token=f"agent:ace:v1:{soon}")
        await say(client, "enter", agentToken="agent:bee:v1", requestId="a")
        assert (await read(client))["code"] == "already_entered"
        await say(client, "enter", requestId="b")
        assert (await read(client))["code"] == "already_entered"
        await say(client, "enter", agentToken="agent:ace:v1", requestId="c")
        assert await read(client) == {"type": "ack", "requestId": "c"}
        await say(client, "enter", agentToken="agent:ace:v2", requestId="d")
        assert await read(client) == {"type": "ack", "requestId": "d"}
        assert [message for _, message in server.floor.said] == [Enter(request_id="c"), Enter(request_id="d")]
        await asyncio.sleep(max(0, soon / 1000 - time.time()) + 0.2)
        await say(client, "ping")  # the old expiry is past
        assert (await read(client))["type"] == "pong"
        await client.close()


async def test_no_token_reaches_the_floor() -> None:
    """Neither with the message nor on the connection."""
    async with serving() as server:
        client = await server.entered(token="agent:ace:v1")
        await say(client, "enter", agentToken="agent:ace:v2")
        await read(client)
        ((connection, message),) = server.floor.said
        assert "agent:ace" not in repr(message) + repr(connection.identity)
        await client.close()


@pytest.mark.parametrize("entered", [True, False])
async def test_an_expired_credential_closes_with_4402(entered: bool) -> None:
    """A user's of the handshake, before and after entering; an agent's after it."""
    async with serving(visit=PATIENT) as server:
        soon = int(time.time() * 1000) + 300
        person = await server.client(f"?token=ann&expires={soon}")
        if entered:
            await say(person, "enter")
            await read(person)
        assert (await read(person))["code"] == "bad_token"
        assert await closed(person) == (4402, "credentials expired")
        agent = await server.entered(token=f"agent:ace:v1:{int(time.time() * 1000) + 200}")
        assert (await read(agent))["code"] == "bad_token"
        assert (await closed(agent))[0] == 4402


# --- frames, sizes, rates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frames", "mask", "code"),
    [
        ([Frame(Opcode.TEXT, b'{"t":"\xff\xfe"}')], True, 1007),
        ([Frame(Opcode.TEXT, b"x")], False, 1002),
        ([Frame(Opcode.CONT, b"x")], True, 1002),
        ([Frame(Opcode.TEXT, b"x" * 16385)], True, 1009),
        ([Frame(Opcode.TEXT, b"x", fin=False)] + [Frame(Opcode.CONT, b"", fin=False)] * 2000, True, 4429),
        ([Frame(Opcode.PING, b"x")] * 500, True, 4429),
    ],
)
async def test_f14_f19_broken_frames_close_with_their_code(frames: list[Frame], mask: bool, code: int) -> None:
    """And nobody else notices."""
    async with serving() as server:
        bad, other = await server.entered(), await server.entered()
        bad.transport.write(b"".join(frame.serialize(mask=mask) for frame in frames))
        assert (await closed(bad))[0] == code
        await say(other, "ping", echo="still here")
        assert (await read(other))["echo"] == "still here"
        await other.close()


async def test_sizes_before_and_after_entering() -> None:
    """4 KiB before, 16 KiB after; one byte more closes with 1009."""

    def ping(size: int) -> str:
        return '{"type":"ping"' + " " * (size - 15) + "}"

    async with serving(visit=PATIENT) as server:
        small = await server.client()
        await small.send(ping(4096))
        assert (await read(small))["type"] == "pong"
        await small.send(ping(4097))
        assert (await closed(small))[0] == 1009
        large = await server.entered()
        await large.send(ping(16384))
        assert (await read(large))["type"] == "pong"
        await large.send(ping(16385))
        assert (await closed(large))[0] == 1009


async def test_a_binary_frame_is_refused_and_before_entering_the_end() -> None:
    """With valid JSON in it, too."""
    async with serving() as server:
        client = await server.entered()
        await client.send(b'{"type":"ping"}')
        assert (await read(client))["code"] == "binary_frame"
        await say(client, "ping")
        assert (await read(client))["type"] == "pong"
        await client.close()
        stranger = await server.client()
        await stranger.send(b"\0")
        assert (await read(stranger))["code"] == "binary_frame"
        assert await closed(stranger) == (4400, "bad message")


@pytest.mark.parametrize(
    ("enter", "message"), [(True, '{"type":"nope"}'), (False, '{"type":"ping"}'), (True, '{"type":"ping"}')]
)
async def test_f20_a_flood_is_throttled_and_then_closed(enter: bool, message: str) -> None:
    """Every message counts; one error frame for each refused one, at most."""
    async with serving(visit=PATIENT) as server:
        client = await (server.entered() if enter else server.client())
        errors: list[str] = []
        reading = asyncio.create_task(gather_errors(client, errors))
        with suppress(ConnectionClosed):
            for _ in range(400):
                await client.send(message)
        await asyncio.wait_for(reading, 5)
        assert client.close_code == CloseCode.TOO_MANY_MESSAGES
        assert PATIENT.refusal_burst <= len(errors) <= PATIENT.refusal_burst + 20


async def gather_errors(client: ClientConnection, errors: list[str]) -> None:
    with suppress(ConnectionClosed):
        async for text in client:
            message = json.loads(text)
            if message["type"] == "error":
                errors.append(message["code"])


async def test_a_wrong_message_is_told_and_the_next_one_works() -> None:
    """With the request's name, where the message had one."""
    async with serving() as server:
        client = await server.entered()
        await client.send('{"type":"nope","requestId":"r9"}')
        error = await read(client)
        assert (error["code"], error["requestId"]) == ("unknown_type", "r9")
        await say(client, "ping", requestId="r10", echo="e")
        pong = await read(client)
        assert (pong["type"], pong["requestId"], pong["echo"]) == ("pong", "r10", "e")
        await client.close()


async def test_f22_a_fault_of_ours_ends_in_a_proper_close(caplog: pytest.LogCaptureFixture) -> None:
    """1011 with a close frame, and one log line without what was sent."""

    def fail(*_: object) -> bool:
        raise RuntimeError("a bug")

    async with serving() as server:
        client = await server.entered()
        server.floor.say = fail  # type: ignore[assignment,method-assign]
        await say(client, "chat", text="a-marker-in-the-text")
        assert await closed(client) == (1011, "internal error")
        assert (
            "a-marker-in-the-text" not in caplog.text and "a bug" not in caplog.text and "handler failed" in caplog.text
        )


def test_every_close_code_has_a_reason() -> None:
    """At most 123 bytes, our own words."""
    assert set(REASONS) == set(CloseCode)
    assert all(0 < len(reason.encode()) <= 123 for reason in REASONS.values())


async def test_works_under_a_server_that_is_not_ours() -> None:
    """The same endpoint by ASGI's own way out."""
    async with serving(FOREIGN) as server:
        client = await server.entered(token="agent:ace:v1")
        await say(client, "action", turnId="turn-9", action="check", requestId="r1")
        assert (await read(client))["type"] == "ack"
        await client.close()
        late = await server.client()
        assert await closed(late) == (4408, "nothing entered")
