"""SIGTERM to the real command: it stops accepting, lets the hand end within the grace time, tells everybody, and goes (F36)."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from gameserver.store.hands import Hands
from gameserver.store.stored import HandStatus
from gameserver.table.options import Clocks, TableOptions
from policy.ids import HandNumber, TableId, UserId
from policy.table_kind import TableKind
from tests.system.process import HAPPENS_WITHIN_S, Home, Player, Process, entered, running, socket_url

OPTIONS = TableOptions(
    name="The table",
    kind=TableKind.AGENT,
    max_seats=6,
    small_blind_chips=10,
    big_blind_chips=20,
    min_buy_in_chips=200,
    max_buy_in_chips=2_000,
    created_by=UserId("creator"),
    clocks=Clocks(turn_ms=600_000),
)


@dataclass
class InPlay:
    """A server with one hand in play, and everybody who is connected."""

    home: Home
    process: Process
    base: str
    table: TableId
    players: list[Player]
    watcher: Player

    async def status_of_the_hand(self) -> HandStatus:
        async with self.home.opened() as server:
            hands = Hands(server.store._database)
            hand = await hands.hand(self.table, HandNumber(1))
            assert await hands.hand(self.table, HandNumber(2)) is None, "no other hand began"
            assert await server.ledger.verify_ledger() == ()
            assert hand is not None
            return hand.status


@asynccontextmanager
async def in_play(folder: Path, grace_ms: int) -> AsyncIterator[InPlay]:
    home = Home(folder)
    table = await home.with_table(OPTIONS)
    settings = {"RAILBIRD_PORT": "0", "RAILBIRD_GRACE_MS": str(grace_ms), "RAILBIRD_HAND_GAP_MS": "0"}
    async with running(home, "serve", **settings) as process:
        line = await process.line("Railbird is open on ")
        base = line.removeprefix("Railbird is open on ")
        async with (
            entered(base, table, home.token("ann")) as ann,
            entered(base, table, home.token("bob")) as bob,
            entered(base, table) as watcher,
        ):
            for seat, player in enumerate((ann, bob)):
                assert (await player.ask("sit", seat=seat, buyIn=1_000))["type"] == "ack"
            await watcher.sees("hand_started")
            yield InPlay(home, process, base, table, [ann, bob], watcher)


def is_accepting(base: str) -> bool:
    where = urlsplit(base)
    assert where.hostname is not None and where.port is not None
    try:
        socket.create_connection((where.hostname, where.port), timeout=2).close()
    except OSError:
        return False
    return True


async def until_it_accepts_nobody(base: str) -> None:
    async with asyncio.timeout(HAPPENS_WITHIN_S):
        while await asyncio.to_thread(is_accepting, base):  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def test_the_hand_in_play_ends_within_the_grace_time(tmp_path: Path) -> None:
    """Nobody new is let in, the players play the hand out, all are told 1012 and when to come back; exit code 0."""
    async with in_play(tmp_path, grace_ms=60_000) as now:
        now.process.terminate()
        await until_it_accepts_nobody(now.base)
        assert now.watcher.socket.close_code is None, "who is in stays in while the hand is played"
        for player in now.players:
            await player.play_from_now()
        assert await now.process.ended(HAPPENS_WITHIN_S) == 0
        for player in (*now.players, now.watcher):
            assert await player.is_closed() == 1012
            assert player.kinds()[-1] == "reconnect" and "hand_result" in player.kinds()
            assert "hand_cancelled" not in player.kinds()
        assert await now.status_of_the_hand() is HandStatus.FINISHED


async def test_a_hand_that_takes_longer_is_cancelled(tmp_path: Path) -> None:
    """By the rule for crashes: bets back, told to all, 1012; the process is gone soon after the grace time."""
    async with in_play(tmp_path, grace_ms=700) as now:
        began = now.process.terminate()
        assert await now.process.ended(HAPPENS_WITHIN_S) == 0
        assert time.monotonic() - began > 0.6
        for player in (*now.players, now.watcher):
            assert await player.is_closed() == 1012
            assert "hand_result" not in player.kinds() and "hand_cancelled" in player.kinds()
        assert await now.status_of_the_hand() is HandStatus.CANCELLED


async def test_who_did_not_enter_and_who_does_not_read_hold_up_nothing(tmp_path: Path) -> None:
    """A connection that said nothing gets a documented code too; one that reads nothing is cut."""
    async with (
        in_play(tmp_path, grace_ms=300) as now,
        connect(socket_url(now.base, now.table), proxy=None) as silent,
    ):
        where = urlsplit(now.base)
        deaf = socket.create_connection((where.hostname or "", where.port or 0))
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        now.process.terminate()
        assert await now.process.ended(HAPPENS_WITHIN_S) == 0
        await asyncio.wait_for(silent.wait_closed(), HAPPENS_WITHIN_S)
        assert silent.close_code == 1012
        deaf.close()


async def test_a_demo_is_stopped_in_the_same_way(tmp_path: Path) -> None:
    """The real command with its house players: the hands end, every chip is accounted for, exit code 0."""
    home = Home(tmp_path)
    settings = {"MIN_TURN_MS": "0", "RAILBIRD_HAND_GAP_MS": "0", "RAILBIRD_GRACE_MS": "5000"}
    async with running(home, "demo", "--port", "0", "--hands", "100000", **settings) as process:
        await process.line("table t-")
        process.terminate()
        assert await process.ended(HAPPENS_WITHIN_S) == 0
        assert process.said[-1] == "Every chip is accounted for."
        assert not any(re.search(r"Traceback|error", line, re.IGNORECASE) for line in process.said), process.said


async def test_a_port_that_is_taken_is_said_and_not_shared(tmp_path: Path) -> None:
    """Exit code 1, with the line to change."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with running(Home(tmp_path), "serve", RAILBIRD_PORT=port) as process:
            assert await process.ended(HAPPENS_WITHIN_S) == 1
            assert any(f"cannot listen on 127.0.0.1 port {port}" in line for line in process.said)


async def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    """Who does not want to wait for the hand need not."""
    async with in_play(tmp_path, grace_ms=60_000) as now:
        now.process.terminate()
        await until_it_accepts_nobody(now.base)
        now.process.terminate()
        assert await now.process.ended(HAPPENS_WITHIN_S) == -15
