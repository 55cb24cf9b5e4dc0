"""House players and the client against the real server: sockets, tokens, store and all."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import UNSET

from policy.ids import AgentId
from railbird.agenthost.house import STYLES, house_player
from railbird.agenthost.seats.player import AgentPlayer
from railbird.client import ActionKind, Client, Closed, GameState, HandResult, HandStarted, Snapshot, YourTurn, connect
from tests.house.real_table import RealTable, real_table


async def house(table: RealTable, name: str, seat: int, seed: int = 1, buy_in_chips: int = 400) -> AgentPlayer:
    return house_player(
        table.url,
        agent_id=AgentId(f"a-{name}"),
        agent_token=await table.token(name),
        style=STYLES[name],
        rng=random.Random(seed),
        buy_in_chips=buy_in_chips,
        seat=seat,
        min_turn_ms=0,
    )


async def end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks)


async def test_all_styles_play_together_and_no_move_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Forty hands of six styles, with rebuys; every chip is accounted for, and a spectator follows to the same stacks."""
    caplog.set_level(logging.INFO, "railbird.agenthost")
    async with real_table(tmp_path) as table:
        players = [await house(table, name, seat) for seat, name in enumerate(STYLES)]
        playing = [asyncio.create_task(player.run()) for player in players]
        results = 0
        async with connect(table.url) as spectator:
            async with asyncio.timeout(60):
                async for frame in spectator:
                    results += isinstance(frame, HandResult)
                    for task in playing:
                        assert not task.done(), task.exception()
                    if results == 40:
                        break
        await table.server.stop()
        await end(*playing)
        assert await table.server.ledger.verify_ledger() == ()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_an_agent_that_loses_its_line_in_mid_hand_goes_on_with_it(tmp_path: Path) -> None:
    """It resumes its session, is asked no second time for what it answered, and knows this hand's actions."""
    async with real_table(tmp_path, max_seats=2) as table:
        other = asyncio.create_task((await house(table, "station", 0)).run())
        token = await table.token("bot")
        answered: list[str] = []
        snapshots = 0
        async with connect(table.url, agent_token=token) as client, asyncio.timeout(60):
            async for frame in client:
                match frame:
                    case Snapshot(state=GameState(your_seat=int())):
                        snapshots += 1
                    case Snapshot():
                        await client.sit(1, 2_000)
                    case YourTurn(turn_id=turn_id, to_call=to_call):
                        answered.append(turn_id)
                        if len(answered) == 3:
                            break_the_line(client)
                        await client.act(turn_id, ActionKind.CALL if to_call else ActionKind.CHECK)
                    case HandResult() if len(answered) >= 6:
                        break
                    case _:
                        pass
        await end(other)
        assert len(set(answered)) == len(answered) >= 6
        assert snapshots == 1, "the line was resumed and not begun anew"


def break_the_line(client: Client) -> None:
    """As a cut cable does; no method of the client does this."""
    link = client._line._link
    assert link is not None
    link.transport.abort()


async def test_the_newer_connection_of_an_agent_wins(tmp_path: Path) -> None:
    """The older one is told 4409 and stays away; the newer one has the seat."""
    async with real_table(tmp_path, max_seats=2) as table:
        token = await table.token("bot")
        async with connect(table.url, agent_token=token) as first:
            await first.sit(1, 2_000)
            async with connect(table.url, agent_token=token) as second, asyncio.timeout(20):
                with pytest.raises(Closed, match="4409"):
                    async for _ in first:
                        pass
                assert second.snapshot is not None and second.snapshot.state.your_seat == 1


async def test_a_spectator_is_told_no_card_before_it_is_shown(tmp_path: Path) -> None:
    async with real_table(tmp_path, max_seats=2) as table:
        playing = [
            asyncio.create_task((await house(table, name, seat)).run())
            for seat, name in enumerate(("station", "gambler"))
        ]
        begun = 0
        async with connect(table.url) as spectator, asyncio.timeout(60):
            async for frame in spectator:
                match frame:
                    case HandStarted():
                        begun += 1
                        if begun == 10:
                            break
                    case GameState():
                        assert frame.your_hole_cards is UNSET and frame.your_seat is UNSET
                    case _:
                        pass
        await end(*playing)
