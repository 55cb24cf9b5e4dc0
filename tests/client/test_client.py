from __future__ import annotations

import asyncio
import logging
import random

import msgspec
import pytest
from msgspec import UNSET

from gameserver.errors import ErrorCode
from gameserver.hand.facts import ActionKind
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import (
    Ack,
    Action,
    Enter,
    Error,
    GameState,
    Ping,
    Pong,
    Presence,
    Reconnect,
    Resume,
    Resumed,
    Resync,
    Sit,
    Snapshot,
)
from railbird import client as rb
from railbird.client import Closed, Options, Refused, StaleTurn, connect
from tests.client.fake_table import Visitor, fake_table
from tests.client.frames import NOW_MS, TABLE, hello, seat, snapshot, state, turn

QUICK = Options(enter_timeout_s=2, request_timeout_s=2, first_wait_s=0.01, longest_wait_s=0.02)
SEATS = [seat(0, "Ada"), seat(3, "Ben")]
NOW = state(SEATS)
TOKEN = "secret-agent-token"


def presence(seq: int, connected: bool = True) -> Presence:
    return Presence(seq=seq, table_id=TABLE, seat=3, connected=connected)


async def enter(visitor: Visitor, **changes: object) -> None:
    assert isinstance(await visitor.hear(), Enter)
    await visitor.say(snapshot(NOW, **changes))  # type: ignore[arg-type]  # names of `snapshot`


async def seqs(client: rb.Client, how_many: int) -> list[int]:
    taken: list[int] = []
    async for frame in client:
        taken.append(-1 if isinstance(frame, Error) else frame.seq)
        if len(taken) == how_many:
            break
    return taken


async def test_a_client_enters_and_gets_the_snapshot_first() -> None:
    """The agent's token is in `enter` and nowhere else, and the first frame is the snapshot."""

    async def script(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token=TOKEN)
        await visitor.say(snapshot(NOW, seq=4), presence(5))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, agent_token=TOKEN, options=QUICK) as client:
        assert client.snapshot is not None and client.snapshot.seq == 4
        assert await seqs(client, 2) == [4, 5]
        assert TOKEN not in str(table.visits[0].socket.request)


async def test_a_spectator_enters_without_a_token() -> None:
    async def script(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter()
        await visitor.say(snapshot(NOW))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 1) == [0]


async def test_requests_wait_for_their_own_reply() -> None:
    """Replies are matched by requestId, not by order."""

    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        first, second = await visitor.hear(), await visitor.hear()
        assert isinstance(first, Sit) and isinstance(second, Ping)
        await visitor.say(Pong(server_time=NOW_MS, request_id=second.request_id), Ack(request_id=first.request_id))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        sitting = asyncio.create_task(client.sit(3, 1_000))
        await asyncio.sleep(0.01)
        pong = await client.ping()
        assert pong.server_time == NOW_MS
        await sitting


async def test_a_refusal_is_raised_with_its_code() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        asked = await visitor.hear()
        await visitor.say(Error(code=ErrorCode.SEAT_TAKEN, message="taken", request_id=asked.request_id))
        asked = await visitor.hear()
        present = turn("turn-2")
        await visitor.say(Error(code=ErrorCode.STALE_TURN, message="", request_id=asked.request_id, turn=present))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        with pytest.raises(Refused, match="seat_taken: taken"):
            await client.sit(3, 1_000)
        with pytest.raises(StaleTurn) as stale:
            await client.act("turn-1", ActionKind.RAISE, 60)
        assert stale.value.turn is not None and stale.value.turn.turn_id == "turn-2"
        heard = table.visits[0].said[-1]
        assert isinstance(heard, Action) and heard.amount == 60


async def test_no_reply_in_time() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.until_gone()

    options = Options(enter_timeout_s=2, request_timeout_s=0.05, first_wait_s=0.01, longest_wait_s=0.02)
    async with fake_table(script) as table, connect(table.url, options=options) as client:
        with pytest.raises(rb.NoAnswer, match=r"0\.05 s"):
            await client.stand()


async def test_an_error_that_answers_nothing_is_a_frame() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.say(Error(code=ErrorCode.NO_CHIPS, message="the rebuy cannot be done after all"))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 2) == [0, -1]


async def test_a_lost_connection_is_resumed_with_nothing_lost_or_repeated() -> None:
    """The session, the epoch and the last number are shown, with the token; frames seen before are dropped."""

    async def first(visitor: Visitor) -> None:
        await enter(visitor, seq=4)
        await visitor.say(presence(5), presence(6))
        await asyncio.sleep(0.02)
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        assert await visitor.hear() == Resume(session="ses-1", epoch="ep-1", last_seq=6, agent_token=TOKEN)
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=8))
        await visitor.say(presence(6), presence(7), presence(8))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, agent_token=TOKEN, options=QUICK) as client:
        assert await seqs(client, 5) == [4, 5, 6, 7, 8]


async def test_a_resync_brings_a_snapshot_and_a_new_epoch() -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.close(CloseCode.READS_TOO_SLOWLY)

    async def second(visitor: Visitor) -> None:
        assert isinstance(await visitor.hear(), Resume)
        await visitor.say(Resync(table_id=TABLE, epoch="ep-2"), snapshot(NOW, epoch="ep-2", seq=0), presence(1))
        await asyncio.sleep(0.02)
        visitor.cut()

    async def third(visitor: Visitor) -> None:
        resumed = await visitor.hear()
        assert isinstance(resumed, Resume) and (resumed.epoch, resumed.last_seq) == ("ep-2", 1)
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-2", seq=1), presence(2))
        await visitor.until_gone()

    async with fake_table(first, second, third) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 4) == [0, 0, 1, 2]


async def test_a_refused_session_is_entered_anew() -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        asked = await visitor.hear()
        assert isinstance(asked, Resume)
        await visitor.say(Error(code=ErrorCode.RESUME_REFUSED, message=""))
        await visitor.close(CloseCode.RESUME_REFUSED)

    async def third(visitor: Visitor) -> None:
        await enter(visitor, session="ses-2", seq=9)
        await visitor.until_gone()

    async with fake_table(first, second, third) as table, connect(table.url, options=QUICK) as client:
        kinds = [type(frame) for frame in await _first(client, 3)]
        assert kinds == [Snapshot, Error, Snapshot]
        assert client.snapshot is not None and client.snapshot.session == "ses-2"


async def _first(client: rb.Client, how_many: int) -> list[rb.Frame]:
    frames: list[rb.Frame] = []
    async for frame in client:
        frames.append(frame)
        if len(frames) == how_many:
            break
    return frames


async def test_a_gap_is_resumed_from_the_last_number_in_order() -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.say(presence(1), presence(3))
        await visitor.until_gone()

    async def second(visitor: Visitor) -> None:
        resumed = await visitor.hear()
        assert isinstance(resumed, Resume) and resumed.last_seq == 1
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=3), presence(2), presence(3))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 4) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "code",
    [
        CloseCode.NOT_AUTHENTICATED,
        CloseCode.NOT_ALLOWED,
        CloseCode.REPLACED,
        CloseCode.PROTOCOL_TOO_OLD,
        CloseCode.TABLE_CLOSED,
        CloseCode.CREDENTIALS_EXPIRED,
        4999,
        1008,
    ],
)
async def test_a_final_code_ends_the_frames(code: int) -> None:
    """The client does not come back, says the code, and refuses further requests with it."""

    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.close(code)

    async with fake_table(script) as table, connect(table.url, agent_token=TOKEN, options=QUICK) as client:
        with pytest.raises(Closed) as closed:
            await seqs(client, 2)
        assert closed.value.code == code
        with pytest.raises(Closed):
            await client.stand()
        assert len(table.visits) == 1


@pytest.mark.parametrize("code", [1001, 1011, 1012, 1013, 4429, 4450])
async def test_a_passing_code_is_come_back_from(code: int) -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.close(code)

    async def second(visitor: Visitor) -> None:
        assert isinstance(await visitor.hear(), Resume)
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=0), presence(1))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 2) == [0, 1]


async def test_a_normal_close_ends_the_frames_quietly() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.close(1000)

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        assert [frame.seq async for frame in client if isinstance(frame, Snapshot)] == [0]


async def test_a_bad_token_is_told_at_once_and_in_words() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(Error(code=ErrorCode.BAD_TOKEN, message="the token was not taken"))
        await visitor.close(CloseCode.NOT_AUTHENTICATED)

    async with fake_table(script) as table:
        with pytest.raises(Closed, match=r"4401.*bad_token: the token was not taken") as closed:
            async with connect(table.url, agent_token=TOKEN, options=QUICK):
                pass
        assert TOKEN not in str(closed.value)


async def test_a_refusal_without_words_is_told_by_its_code_alone() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(Error(code=ErrorCode.BAD_TOKEN, message=""))
        await visitor.close(CloseCode.NOT_AUTHENTICATED)

    async with fake_table(script) as table:
        with pytest.raises(Closed, match=r"4401\): bad_token$"):
            async with connect(table.url, agent_token=TOKEN, options=QUICK):
                pass


async def test_nobody_there_is_told_at_once() -> None:
    with pytest.raises(rb.Unreachable, match="no table answers at ws://127"):
        async with connect("ws://127.0.0.1:1/games/poker/t/ws", options=QUICK):
            pass


async def test_no_websocket_address() -> None:
    with pytest.raises(rb.Unreachable, match="no WebSocket address"):
        async with connect("http://127.0.0.1:1/", options=QUICK):
            pass


async def test_a_server_that_is_too_new_is_told() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.say(hello(min_protocol=2))
        await visitor.until_gone()

    async with fake_table(script, greet=False) as table:
        with pytest.raises(rb.ProtocolTooOld):
            async with connect(table.url, options=QUICK):
                pass


async def test_a_fresh_token_is_fetched_for_each_connection() -> None:
    tokens = iter(["first", "second"])

    async def fetch() -> str:
        return next(tokens)

    async def first(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token="first")
        await visitor.say(snapshot(NOW))
        await visitor.close(CloseCode.CREDENTIALS_EXPIRED)

    async def second(visitor: Visitor) -> None:
        assert await visitor.hear() == Resume(session="ses-1", epoch="ep-1", last_seq=0, agent_token="second")
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=1), presence(1))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, agent_token=fetch, options=QUICK) as client:
        assert await seqs(client, 2) == [0, 1]


async def test_a_renewed_token_is_shown_from_then_on() -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        asked = await visitor.ack()
        assert isinstance(asked, Enter) and asked.agent_token == "newer"
        await asyncio.sleep(0.02)
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        resumed = await visitor.hear()
        assert isinstance(resumed, Resume) and resumed.agent_token == "newer"
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=1), presence(1))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, agent_token=TOKEN, options=QUICK) as client:
        await client.renew("newer")
        assert await seqs(client, 2) == [0, 1]


async def test_a_source_of_tokens_is_asked_at_each_renewal_and_each_connection() -> None:
    """A renewal does not take its place: the token of a connection long after it is a fresh one."""
    issued = iter(("first", "renewed", "reconnected"))

    async def fetch() -> str:
        return next(issued)

    async def first(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token="first")
        await visitor.say(snapshot(NOW))
        asked = await visitor.ack()
        assert isinstance(asked, Enter) and asked.agent_token == "renewed"
        await asyncio.sleep(0.02)
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        resumed = await visitor.hear()
        assert isinstance(resumed, Resume) and resumed.agent_token == "reconnected"
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=1), presence(1))
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, agent_token=fetch, options=QUICK) as client:
        await client.renew()
        assert await seqs(client, 2) == [0, 1]


async def test_a_move_is_sent_again_after_a_lost_connection() -> None:
    """Under the same requestId and turn, so that it counts once; other requests are told as lost."""

    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.hear()
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=0))
        await visitor.ack()
        await visitor.until_gone()

    async with fake_table(first, second) as table, connect(table.url, options=QUICK) as client:
        await client.act("turn-1", ActionKind.CALL)
        assert table.visits[0].said[-1] == table.visits[1].said[-1]
    async with fake_table(first, second) as table, connect(table.url, options=QUICK) as client:
        with pytest.raises(rb.ConnectionLost):
            await client.rebuy(400)


async def test_who_reads_too_slowly_gets_a_new_snapshot() -> None:
    """What waits is bounded: it is dropped, and the next thing to read is a snapshot."""

    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.say(*(presence(number) for number in range(1, 40)))
        await visitor.until_gone()

    async def second(visitor: Visitor) -> None:
        await enter(visitor, epoch="ep-2", seq=70)
        await visitor.until_gone()

    options = Options(first_wait_s=0.01, longest_wait_s=0.02, most_waiting_frames=10)
    async with fake_table(first, second) as table, connect(table.url, options=options) as client:
        for _ in range(200):
            if client.snapshot is not None and client.snapshot.epoch == "ep-2":
                break
            await asyncio.sleep(0.01)
        assert await seqs(client, 1) == [70]


async def test_a_frame_of_a_newer_server_is_passed_over() -> None:
    """It counts in the stream, and nothing is told."""

    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.socket.send('{"type":"weather","seq":1,"tableId":"tbl_test","sky":"grey"}')
        await visitor.say(presence(2))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        assert await seqs(client, 2) == [0, 2]


async def test_what_is_no_message_ends_it() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.socket.send('{"type":"presence","seq":"one"}')
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        with pytest.raises(rb.NotUnderstood, match="presence frame that is not as this client knows it"):
            await seqs(client, 2)


async def test_the_server_may_ask_to_come_back_later() -> None:
    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.say(Reconnect(after_ms=150))
        await visitor.close(1012)

    async def second(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(Resumed(table_id=TABLE, session="ses-1", epoch="ep-1", seq=1), presence(1))
        await visitor.until_gone()

    loop = asyncio.get_running_loop()
    async with fake_table(first, second) as table, connect(table.url, options=QUICK, rng=random.Random(1)) as client:
        began = loop.time()
        assert await seqs(client, 2) == [0, 1]
        assert loop.time() - began >= 0.15


async def test_the_servers_clock_is_known() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        assert abs(client.server_now_ms() - NOW_MS) < 5_000


async def test_a_token_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the level of the log: the library below would write every frame at DEBUG."""
    caplog.set_level(logging.DEBUG)

    async def script(visitor: Visitor) -> None:
        await visitor.socket.recv()
        await visitor.say(snapshot(NOW))
        await visitor.until_gone()

    server_log = logging.getLogger("websockets.server")
    server_log.setLevel(logging.INFO)  # the fake table is a server of the same library
    try:
        async with (
            fake_table(script) as table,
            connect(table.url, agent_token=TOKEN, user_token="secret-user-token", options=QUICK) as client,
        ):
            assert isinstance(client.snapshot, Snapshot)
    finally:
        server_log.setLevel(logging.NOTSET)
    assert TOKEN not in caplog.text
    assert "secret-user-token" not in caplog.text


async def test_closing_while_a_request_waits_ends_it() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.until_gone()

    async with fake_table(script) as table:
        async with connect(table.url, options=QUICK) as client:
            waiting = asyncio.create_task(client.stand())
            await asyncio.sleep(0.02)
        with pytest.raises(rb.ConnectionLost):
            await waiting


async def test_game_states_are_typed() -> None:
    async def script(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.say(state(SEATS, seq=1, your_seat=3, your_cards=["As", "Kd"]))
        await visitor.until_gone()

    async with fake_table(script) as table, connect(table.url, options=QUICK) as client:
        frames = await _first(client, 2)
        assert isinstance(frames[1], GameState)
        assert frames[1].your_hole_cards == ["As", "Kd"]
        assert frames[1].turn_ends_at is UNSET


def test_addresses() -> None:
    """A prefix is kept; a table's id is quoted."""
    assert rb.table_url("https://play.example/prefix/", "t/1") == "wss://play.example/prefix/games/poker/t%2F1/ws"
    assert rb.table_url("http://127.0.0.1:8000", "tbl") == "ws://127.0.0.1:8000/games/poker/tbl/ws"
    with pytest.raises(ValueError, match="http://"):
        rb.table_url("127.0.0.1:8000", "tbl")


async def test_what_left_is_told_in_order_and_as_it_was() -> None:
    """Each text that was written, the introductions included; after a break what is sent again is told again."""

    async def first(visitor: Visitor) -> None:
        await enter(visitor)
        await visitor.hear()
        visitor.cut()

    async def second(visitor: Visitor) -> None:
        assert isinstance(await visitor.hear(), Enter | Resume)
        await visitor.say(snapshot(NOW))
        await visitor.ack()
        await visitor.close(1000)

    left: list[str] = []
    async with (
        fake_table(first, second) as table,
        asyncio.timeout(30),
        connect(table.url, agent_token=TOKEN, options=QUICK, sent=left.append) as client,
    ):
        await client.act("turn-1", ActionKind.FOLD)
    types = [msgspec.json.decode(text)["type"] for text in left]
    assert types == ["enter", "action", types[2], "action"] and types[2] in ("enter", "resume")
    assert TOKEN in left[0] and left[1] == left[3]
