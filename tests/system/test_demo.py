"""`railbird demo` as a command in a process of its own, with its players on real sockets."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener

from gameserver.identity.keys import KeyUse, new_key, private_pem
from gameserver.table.commands import NarrowReveal
from policy.ids import TableId
from policy.spectator_policy import CLOSED
from tests.conftest import ROOT
from tests.system.process import Home, Process, entered, environment, running

FAST = {"MIN_TURN_MS": "0", "RAILBIRD_HAND_GAP_MS": "0", "RAILBIRD_GRACE_MS": "0"}
ENDS_WITHIN_S = 60.0


@asynccontextmanager
async def demo(folder: Path, *arguments: str, **settings: str) -> AsyncIterator[Process]:
    async with running(Home(folder), "demo", "--port", "0", *arguments, **{**FAST, **settings}) as process:
        yield process


def addresses(process: Process, kind: str) -> list[str]:
    return [line.split()[1] for line in process.said if line.startswith(f"  {kind} ")]


async def read(address: str) -> str:
    """With a jar for cookies, as a browser."""

    def get() -> str:
        with build_opener(HTTPCookieProcessor()).open(address) as answer:
            return str(answer.read().decode())

    return await asyncio.to_thread(get)


async def read_again(address: str) -> int:
    """The status of an address that is good once."""
    try:
        await read(address)
    except HTTPError as refused:
        with refused:
            return refused.code
    return 200


async def test_a_number_of_hands_is_dealt_and_then_it_ends(tmp_path: Path) -> None:
    """Exit code 0; it says what to open, how far it is, and that every chip is accounted for."""
    async with demo(tmp_path, "--hands", "3") as process:
        assert await process.ended(ENDS_WITHIN_S) == 0
    (lobby,), tables = addresses(process, "lobby"), addresses(process, "table")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", lobby)
    assert len(tables) == 2
    assert all(re.fullmatch(re.escape(lobby) + r"tables/t-\w+", table) for table in tables)
    assert "It ends after 3 hands." in process.said
    for table in tables:
        assert f"table {table.rpartition('/')[2]}: 3 of 3 hands" in process.said
    assert process.said[-1] == "Every chip is accounted for."


async def test_the_first_hand_waits_for_all_six(tmp_path: Path) -> None:
    """Hand 1 of both tables deals all of the cast in; what the command prints is there to open, and two seats stay free."""
    async with demo(tmp_path, RAILBIRD_HAND_GAP_MS="60000") as process:
        await process.line("Ctrl-C")
        (lobby,), tables = addresses(process, "lobby"), addresses(process, "table")
        page, seats, shown = await read(lobby), [], []
        for address in tables:
            table = address.rpartition("/")[2]
            assert table in page
            assert "data-socket" in await read(address)
            hand = await first_hand(lobby, table)
            assert len(hand["players"]) == 6
            async with entered(lobby, TableId(table)) as watcher:
                rules = watcher.messages[-1]["rules"]
                seats.append(rules["maxSeats"])
                shown.append((rules["showHands"], rules["showThoughts"]))
                assert {seat["model"] for seat in watcher.messages[-1]["state"]["seats"]} == {"house"}
        assert seats == [6, 8]
        assert shown == [(True, True), (False, False)]
        assert [line.partition("  shows ")[2] for line in process.said if line.startswith("  table ")] == [
            "hands and thoughts",
            "",
        ]
        links = addresses(process, "owner")
        assert len(links) == 12
        assert "your agent plays here" in await read(links[-1])
        assert await read_again(links[-1]) == 401


async def first_hand(lobby: str, table: str) -> dict[str, list[object]]:
    async with asyncio.timeout(ENDS_WITHIN_S):
        while True:
            hands = json.loads(await read(f"{lobby}games/poker/{table}/hands"))["hands"]
            if hands:
                found: dict[str, list[object]] = json.loads(await read(f"{lobby}games/poker/{table}/hands/1"))
                return found
            await asyncio.sleep(0.1)


async def test_a_second_demo_says_that_it_goes_on(tmp_path: Path) -> None:
    """The same folder has the same tables, and their hand numbers count on."""
    async with demo(tmp_path, "--hands", "2") as first:
        assert await first.ended(ENDS_WITHIN_S) == 0
    assert not [line for line in first.said if "go on" in line]
    async with demo(tmp_path, "--hands", "1") as second:
        assert await second.ended(ENDS_WITHIN_S) == 0
    assert [address.rpartition("/")[2] for address in addresses(second, "table")] == [
        address.rpartition("/")[2] for address in addresses(first, "table")
    ]
    (goes_on,) = (line for line in second.said if "go on" in line)
    numbers = [int(number) for number in re.findall(r"\d+", goes_on.rpartition("hands")[2])]
    assert len(numbers) == 2
    assert min(numbers) >= 2


async def test_a_first_table_that_shows_nothing_is_replaced(tmp_path: Path) -> None:
    """An earlier demo's, or one whose reveal was switched off: it is closed, its chips go back, and another one is opened."""
    async with demo(tmp_path, "--hands", "1") as first:
        assert await first.ended(ENDS_WITHIN_S) == 0
    before = [address.rpartition("/")[2] for address in addresses(first, "table")]
    async with Home(tmp_path).opened() as server:
        await server.floor.operate(TableId(before[0]), NarrowReveal(CLOSED))
    async with demo(tmp_path, "--hands", "1") as second:
        assert await second.ended(ENDS_WITHIN_S) == 0
    assert second.said[-1] == "Every chip is accounted for."
    after = [address.rpartition("/")[2] for address in addresses(second, "table")]
    assert after[0] != before[0] and after[1] == before[1]
    async with Home(tmp_path).opened() as server:
        assert before[0] not in server.floor.states()
        reveals = [server.floor.state(TableId(table)).options.reveal for table in after]
        assert [reveal.show_hands for reveal in reveals] == [True, False]


async def test_a_hosting_key_of_another_service_does_not_stop_it(tmp_path: Path) -> None:
    """Nor a list of other models: the demo's agents are its own to attest."""
    foreign = tmp_path / "hosting.pem"
    foreign.write_bytes(private_pem(new_key(KeyUse.HOSTING)))
    settings = {"RAILBIRD_HOSTING_KEY": str(foreign), "RAILBIRD_PLATFORM_MODELS": "other=http://127.0.0.1:9/v1"}
    async with demo(tmp_path / "home", "--hands", "1", **settings) as process:
        assert await process.ended(ENDS_WITHIN_S) == 0


async def test_a_taken_port_is_told_in_one_sentence(tmp_path: Path) -> None:
    """Exit code 1, on stderr, and nothing on stdout."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "railbird", "demo", "--port", str(port)),
            cwd=ROOT,
            env=environment(Home(tmp_path)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        told, problem = await asyncio.wait_for(process.communicate(), ENDS_WITHIN_S)
    assert process.returncode == 1
    assert told == b""
    sentence = problem.decode()
    assert sentence.startswith(f"cannot listen on 127.0.0.1 port {port}: Address already in use")
    wanted = ". Choose another one with --port 8001, or --port 0 for any (make demo DEMO_ARGS='--port 0').\n"
    assert sentence.endswith(wanted)
    assert sentence.count("\n") == 1


async def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    """SIGINT in mid-hand: exit code 0 by itself, the books in order, and the tables open for the next demo."""
    async with demo(tmp_path, MIN_TURN_MS="100") as process:
        await process.line("Ctrl-C")
        await asyncio.sleep(2)
        process.process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        assert await process.ended(ENDS_WITHIN_S) == 0
        assert time.monotonic() - sent < 15
    assert process.said[-1] == "Every chip is accounted for."
    async with Home(tmp_path).opened() as server:
        assert [state.status for state in server.floor.states().values()] == ["open", "open"]


async def test_ctrl_c_before_the_first_hand_leaves_no_table_held(tmp_path: Path) -> None:
    """A table that waited for its cast is open again afterwards."""
    async with demo(tmp_path) as process:
        await process.line("  lobby")
        process.process.send_signal(signal.SIGINT)
        assert await process.ended(ENDS_WITHIN_S) == 0
    async with Home(tmp_path).opened() as server:
        assert [state.status for state in server.floor.states().values()] == ["open", "open"]
