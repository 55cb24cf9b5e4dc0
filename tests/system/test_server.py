"""The whole server on real sockets: house players, a watcher, pages; closed, and opened again."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect

from gameserver.floor.settings import FloorSettings
from gameserver.identity.keys import KeyUse
from gameserver.identity.who import Nobody, UserIdentity
from gameserver.table import commands
from gameserver.table.facts import HandEnded
from policy.ids import TableId, UserId
from railbird.agenthost.house.seat import house_player
from railbird.app import Server, Setup, opened
from railbird.demo import cast
from railbird.lobby import OpenTables
from railbird.serving import listen, served
from tests.house.cast import dice, token_source
from tests.system.process import Home, Player, entered, socket_url, until
from tests.system.test_sigterm import OPTIONS


@asynccontextmanager
async def serving(home: Home) -> AsyncIterator[tuple[Server, str, list[tuple[TableId, object]]]]:
    """The server on a free port, its address, and the facts of its tables."""
    facts: list[tuple[TableId, object]] = []
    setup = Setup(
        home.database_url,
        home.keys.ring,
        grace_ms=0,
        floor=FloorSettings(hand_gap_ms=0),
        observe=lambda table, told: facts.extend((table, fact) for fact in told),
    )
    with listen("127.0.0.1", 0) as listener:
        async with opened(setup) as server, served(server, listener):
            yield server, f"http://127.0.0.1:{listener.getsockname()[1]}/", facts


async def seat_the_house(server: Server, base: str, home: Home, table: TableId) -> list[asyncio.Task[None]]:
    """Six house players over real sockets."""
    players = []
    for part in cast.cast_of(0):
        version = await cast.register(server.people, part)
        players.append(
            house_player(
                f"{base.replace('http', 'ws')}games/poker/{table}/ws",
                agent_id=part.agent_id,
                agent_token=token_source(home.keys.signing[KeyUse.HOSTING], part, version),
                style=part.style,
                rng=dice(part),
                buy_in_chips=1_000,
                seat=part.seat,
                min_turn_ms=0,
            )
        )
    return [asyncio.ensure_future(player.run()) for player in players]


def have_ended(facts: list[tuple[TableId, object]], hands: int) -> bool:
    return sum(isinstance(fact, HandEnded) for _, fact in facts) >= hands


def is_between_hands(server: Server, table: TableId) -> bool:
    return server.floor.state(table).hand is None


async def stop(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_house_players_deal_to_a_watcher_and_go_on_after_a_restart(tmp_path: Path) -> None:
    """Hands count on over the restart, a watcher sees each, and every chip is accounted for."""
    home = Home(tmp_path)
    table = await home.with_table(OPTIONS)
    last = 0
    for _ in range(2):
        async with serving(home) as (server, base, facts):
            tasks = await seat_the_house(server, base, home, table)
            async with entered(base, table) as watcher:
                await until(partial(have_ended, facts, 4))
                await server.floor.operate(table, commands.Pause())
                await until(partial(is_between_hands, server, table))
                number = server.floor.state(table).hand_number
                assert number >= last + 4
                last = number
                results = [m["handNumber"] for m in watcher.messages if m["type"] == "hand_result"]
                assert results == [*range(results[0], results[-1] + 1)]
                assert "yourHoleCards" not in str(watcher.messages)
                await server.floor.operate(table, commands.Resume())
            await stop(tasks)
            assert await server.ledger.verify_ledger() == ()
    async with home.opened() as server:
        hands = await server.store.recent_hands(table, 50)
        assert [hand.hand_number for hand in hands][-1] >= 8


async def test_one_peer_that_breaks_disturbs_no_other(tmp_path: Path) -> None:
    """A watcher whose socket is reset in mid-broadcast, and one that comes in meanwhile: the players' frames have no gap (F26)."""
    home = Home(tmp_path)
    table = await home.with_table(OPTIONS)
    async with serving(home) as (server, base, _):  # noqa: SIM117 - the players need the address
        async with entered(base, table, home.token("ann")) as ann, entered(base, table, home.token("bob")) as bob:
            for seat, player in enumerate((ann, bob)):
                await player.ask("sit", seat=seat, buyIn=1_000)
            await ann.play_from_now()
            await bob.play_from_now()
            for _ in range(5):
                async with entered(base, table) as watcher:
                    await watcher.sees("player_action")
                    _reset(watcher)
            await server.floor.operate(table, commands.Pause())
            await until(partial(is_between_hands, server, table))
            for player in (ann, bob):
                start = len(player.kinds()) - player.kinds()[::-1].index("snapshot") - 1
                numbers = [message["seq"] for message in player.messages[start:] if "seq" in message]
                assert numbers == [*range(numbers[0], numbers[0] + len(numbers))] and len(numbers) > 20


def _reset(player: Player) -> None:
    raw = player.socket.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    player.socket.transport.abort()


async def test_a_private_table_is_on_no_list(tmp_path: Path) -> None:
    """Nor is it found by its id, but for its creator and operators."""
    home = Home(tmp_path)
    private = await home.with_table(replace(OPTIONS, private=True, name="Behind the curtain"))
    public = await home.with_table(OPTIONS)
    who: list[UserIdentity | Nobody] = [Nobody()]

    async def identify(asker: HTTPConnection) -> UserIdentity | Nobody:
        return who[0]

    asker = HTTPConnection({"type": "http", "headers": []})
    async with home.opened() as server:
        lobby = OpenTables(server.floor, identify)
        for identity in (Nobody(), UserIdentity(UserId("eve"), 0, None)):
            who[0] = identity
            assert [table.table_id for table in await lobby.tables(asker)] == [public]
            assert await lobby.table(asker, private) is None and await lobby.table(asker, public) is not None
        who[0] = UserIdentity(UserId("creator"), 0, None)
        assert {table.table_id for table in await lobby.tables(asker)} == {private, public}
        assert await lobby.table(asker, private) is not None


async def test_a_private_table_is_not_there_on_a_socket(tmp_path: Path) -> None:
    """A stranger gets 4404 and the error for a table that does not exist, byte for byte."""
    home = Home(tmp_path)
    private = await home.with_table(replace(OPTIONS, private=True))
    answers = []
    async with serving(home) as (_, base, _facts):
        for table in (private, TableId("t-none")):
            async with connect(socket_url(base, table), proxy=None) as raw:
                player = Player(raw)
                await player.say("enter")
                code = await player.is_closed()
                answers.append((code, [m for m in player.messages if m["type"] != "hello"]))
    assert answers[0] == answers[1] and answers[0][0] == 4404
