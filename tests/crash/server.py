"""The process that is killed: the real server on a real port, with house players on real sockets.

`python -m tests.crash.server HOME` loads everything once, and forks a server for each line `URL TABLES` on its input: a start takes
a fraction of a second then. The server says `ready` when its tables are open again, and plays when it gets SIGUSR1.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from gameserver.floor.floor import Floor
from gameserver.floor.settings import FloorSettings
from gameserver.identity.key_files import StoredKeys, init_keys
from gameserver.identity.keys import KeyUse
from gameserver.table.options import TableOptions
from policy.ids import TableId, UserId
from policy.table_kind import TableKind
from railbird.agenthost.house.seat import house_player
from railbird.app import Server, Setup, opened
from railbird.demo import cast
from railbird.logs import configure_logs
from railbird.serving import listen, served
from tests.crash.marks import mark_the_store
from tests.house.cast import dice, token_source

SEATS = 3
BUY_IN_CHIPS = 1_000
STARTING_CHIPS = 1_000_000
"""Enough for a player who goes broke in every hand of the longest run."""


def main() -> None:
    """Fork a server for each line, and say when it is dead."""
    configure_logs()
    die_with_parent()
    keys = init_keys(Path(sys.argv[1]), now_s=int(time.time()))
    say("loaded")
    for line in sys.stdin:
        url, tables = line.rsplit(maxsplit=1)  # a folder's name may have a space
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        pid = os.fork()
        if pid == 0:
            die_with_parent()
            asyncio.run(serve(keys, url, int(tables)))
            os._exit(0)
        say(f"started {pid}")
        _, status = os.waitpid(pid, 0)
        say(f"dead {os.waitstatus_to_exitcode(status)}")


def die_with_parent() -> None:
    """A harness that is killed leaves no server behind; on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


async def serve(keys: StoredKeys, url: str, tables: int) -> None:
    """Open, say so, and play until killed."""
    mark_the_store(pipe=1)
    go = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, go.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    setup = Setup(url, keys.ring, starting_chips=STARTING_CHIPS, floor=FloorSettings(hand_gap_ms=0))
    with listen("127.0.0.1", 0) as listener:
        async with opened(setup) as server, served(server, listener):
            opened_tables = await open_tables(server.floor, tables)
            await until_recovered(server)
            say("ready")
            await go.wait()
            await play(server, keys, listener.getsockname()[1], opened_tables)


async def open_tables(floor: Floor, wanted: int) -> list[TableId]:
    """Those that are there, and new ones where they are too few."""
    found = list(floor.states())
    for number in range(len(found), wanted):
        found.append(await floor.create(_options(number)))
    return found


async def until_recovered(server: Server) -> None:
    """Until each table has cancelled what never ended, and it is stored."""
    while any(table.open_hand is not None for table in await server.store.tables()):  # noqa: ASYNC110 - it has no event
        await asyncio.sleep(0.001)


async def play(server: Server, keys: StoredKeys, port: int, tables: list[TableId]) -> None:
    """House players at every table, as fast as they can."""
    async with asyncio.TaskGroup() as group:
        for number, table in enumerate(tables):
            for part in list(cast.cast_of(number))[:SEATS]:
                version = await cast.register(server.people, part)
                player = house_player(
                    f"ws://127.0.0.1:{port}/games/poker/{table}/ws",
                    agent_id=part.agent_id,
                    agent_token=token_source(keys.signing[KeyUse.HOSTING], part, version),
                    style=part.style,
                    rng=dice(part),
                    buy_in_chips=BUY_IN_CHIPS,
                    seat=part.seat,
                    min_turn_ms=0,
                )
                group.create_task(player.run())


def _options(number: int) -> TableOptions:
    return TableOptions(
        name=f"Table {number}",
        kind=TableKind.AGENT,
        max_seats=SEATS,
        small_blind_chips=5,
        big_blind_chips=10,
        min_buy_in_chips=200,
        max_buy_in_chips=BUY_IN_CHIPS,
        created_by=UserId("crash"),
    )


if __name__ == "__main__":
    main()
