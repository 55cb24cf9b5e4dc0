"""How an agent's play in a seat ends, and how another version takes over: what the table hears, in which order."""

from __future__ import annotations

import asyncio
import random

from gameserver.errors import ErrorCode
from gameserver.wire.messages import (
    Action,
    AgentDecision,
    AgentThoughtIn,
    Enter,
    Error,
    HandStarted,
    Inbound,
    Leave,
    Sit,
)
from policy.ids import AgentId, AgentVersionId
from railbird.agenthost.house import STYLES
from railbird.agenthost.house.seat import house_mind
from railbird.agenthost.mind import Mind
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from tests.client.fake_table import FakeTable, Visitor, fake_table
from tests.client.frames import NOW_MS, TABLE, result, seat, snapshot, state, turn
from tests.system.process import until

OTHERS = [seat(0, "Ada", bet=20)]
ONE, TWO = AgentVersionId("v-1"), AgentVersionId("v-2")
WITHIN_S = 30


def mind(version_id: AgentVersionId) -> Mind:
    return house_mind(STYLES["station"], version_id=version_id)


class Playing:
    """A player whose token says which version it is of."""

    def __init__(self, table: FakeTable, least_ms: int = 0) -> None:
        self.player = AgentPlayer(
            table.url,
            agent_id=AgentId("a-rock"),
            mind=mind(ONE),
            agent_token=self._token,
            seating=Seating(1_000, 3),
            rng=random.Random(5),
            pace=Pace(least_ms=least_ms),
        )

    async def _token(self) -> str:
        return f"token of {self.player.version_to_prove}"


async def seated(visitor: Visitor) -> None:
    assert await visitor.hear() == Enter(agent_token="token of v-1")
    us = seat(3, "Rock", 980)
    await visitor.say(snapshot(state([*OTHERS, us], your_seat=3, your_cards=["As", "Ad"])))


async def next_of(visitor: Visitor, *kinds: type[Inbound]) -> Inbound:
    """The next request of these kinds; what comes before it is taken, too."""
    while not isinstance(message := await visitor.ack(), kinds):
        assert isinstance(message, AgentThoughtIn | AgentDecision)
    return message


async def test_who_retires_plays_the_hand_out() -> None:
    """It answers the turns of the hand, leaves when the hand is over, and sits down no more."""
    told, retired = asyncio.Event(), asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        told.set()
        await retired.wait()
        await visitor.say(turn("turn-1", seq=1))
        assert isinstance(await next_of(visitor, Action, Leave), Action)
        await visitor.say(result(seq=2, hand=1, board=[], pots=[], stacks={"0": 1_000, "3": 980}))
        assert isinstance(await next_of(visitor, Action, Leave), Leave)
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table)
        running = tasks.create_task(playing.player.run())
        await told.wait()
        await until(lambda: playing.player.memory.state is not None)
        playing.player.retire()
        retired.set()
        await running


async def test_who_retires_without_a_hand_leaves_at_once() -> None:
    told = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        assert isinstance(await visitor.hear(), Enter)
        us = seat(3, "Rock", 980)
        await visitor.say(snapshot(state([us], your_seat=3, street=None)))
        told.set()
        assert isinstance(await next_of(visitor, Leave), Leave)
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table)
        running = tasks.create_task(playing.player.run())
        await told.wait()
        await until(lambda: playing.player.memory.state is not None)
        playing.player.retire()
        await running


async def test_who_ends_while_it_sits_down_leaves_the_seat() -> None:
    """The seat was asked for, and no frame has said yet that it is ours: it would stay taken by nobody."""
    asked = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        assert isinstance(await visitor.hear(), Enter)
        await visitor.say(snapshot(state([], street=None)))
        assert isinstance(await visitor.ack(), Sit)
        asked.set()
        assert isinstance(await visitor.ack(), Leave)
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table)
        running = tasks.create_task(playing.player.run())
        await asked.wait()
        assert playing.player.memory.own_seat is None
        playing.player.retire()
        await running


async def test_who_rests_finishes_the_turn_and_keeps_the_seat() -> None:
    """The move goes out; nothing is left."""
    asked = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 15_000))
        asked.set()
        assert isinstance(await next_of(visitor, Action, Leave), Action)
        await visitor.until_gone()
        assert not any(isinstance(message, Leave) for message in visitor.said)

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table, least_ms=1_000)
        running = tasks.create_task(playing.player.run())
        await asked.wait()
        await until(lambda: playing.player.is_thinking)
        playing.player.rest()
        await running


async def test_another_version_plays_from_the_next_hand_on() -> None:
    """Its token is shown at once; the present one plays until the next hand begins."""
    told, adopted = asyncio.Event(), asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        told.set()
        shown = await next_of(visitor, Enter)
        assert isinstance(shown, Enter) and shown.agent_token == "token of v-2"
        assert playing.player.mind.version_id == ONE
        await visitor.say(hand_started(seq=1))
        await adopted.wait()
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table)
        running = tasks.create_task(playing.player.run())
        await told.wait()
        playing.player.switch(mind(TWO))
        await until(lambda: playing.player.mind.version_id == TWO)
        adopted.set()
        await running


async def test_a_version_that_the_table_refuses_is_not_played() -> None:
    """At a revealing table: the present version plays on, and is what the next token names."""
    told, refused = asyncio.Event(), asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        told.set()
        shown = await visitor.hear()
        assert isinstance(shown, Enter) and shown.agent_token == "token of v-2"
        await visitor.say(Error(code=ErrorCode.WHISPER_REFUSED, message="", request_id=shown.request_id))
        await visitor.say(hand_started(seq=1), turn("turn-1", seq=2))
        assert isinstance(await next_of(visitor, Action), Action)
        refused.set()
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        playing = Playing(table)
        running = tasks.create_task(playing.player.run())
        await told.wait()
        playing.player.switch(mind(TWO))
        await refused.wait()
        await running
    assert playing.player.mind.version_id == ONE == playing.player.version_to_prove


def hand_started(seq: int) -> HandStarted:
    return HandStarted(
        seq=seq,
        table_id=TABLE,
        hand_number=2,
        button=0,
        button_dead=False,
        small_blind_seat=0,
        big_blind_seat=3,
        dealt=[3, 0],
        stacks={"0": 1_000, "3": 980},
    )
