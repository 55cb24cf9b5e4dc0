"""Many seats in one process: none of them delays, ends or speaks for another one."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from websockets.asyncio.server import ServerConnection, serve

from gameserver.errors import ErrorCode
from gameserver.wire.messages import Action, AgentDecision, AgentThoughtIn, Enter, Error, Leave, Sit
from policy.ids import AgentId, AgentVersionId, TableId
from railbird.agenthost.house import STYLES
from railbird.agenthost.house.seat import house_mind
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.places import Place
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.visit import Phase, VisitPorts
from railbird.agenthost.turns.pace import Pace
from tests.agenthost.scripted import call_of
from tests.client.fake_table import FakeTable, Visitor, fake_table
from tests.client.frames import NOW_MS, hello, seat, snapshot, state, turn
from tests.system.process import until

OTHERS = [seat(0, "Ada", bet=20)]
WITHIN_S = 30


class Stalling:
    """A model that answers when it is let; `asked`: how often it was asked."""

    provider, name = "scripted", "slow"

    def __init__(self) -> None:
        self.asked = 0
        self.let = asyncio.Event()

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        self.asked += 1
        await self.let.wait()
        return Reply((call_of(request, '{"reasoning": "at last", "action": "call", "amount": null}'),))


def house(version: str = "v-1") -> Mind:
    return house_mind(STYLES["station"], version_id=AgentVersionId(version))


def place(table: FakeTable, name: str = "ann", mind: Mind | None = None, *, seat_number: int = 3) -> Place:
    async def token(version: AgentVersionId | None) -> str:
        return f"token of {name} {version}"

    return Place(
        agent_id=AgentId(name),
        table_id=TableId("tbl_test"),
        url=table.url,
        mind=mind or house(),
        seating=Seating(1_000, seat_number),
        tokens=token,
    )


@asynccontextmanager
async def service(
    *places: Place, observers: Observers | None = None, renew_every_s: float = 600.0
) -> AsyncIterator[tuple[Service, list[str]]]:
    """A service that plays these, and what ended by itself."""
    ended: list[str] = []
    dice = random.Random(1)
    ports = VisitPorts(observers or Observers(), Pace(least_ms=0), lambda place: dice, renew_every_s=renew_every_s)
    found = Service(ports, lambda key, problem: ended.append(f"{key[0]} {problem}"))
    for each in places:
        found.play(each)
    try:
        async with asyncio.timeout(WITHIN_S):
            yield found, ended
    finally:
        await found.stop(5.0)


async def seated(visitor: Visitor) -> str:
    entered = await visitor.hear()
    assert isinstance(entered, Enter)
    us = seat(3, "Rock", 980)
    await visitor.say(snapshot(state([*OTHERS, us], your_seat=3, your_cards=["As", "Ad"])))
    return str(entered.agent_token)


async def its_move(visitor: Visitor, turn_id: str, seq: int) -> Action:
    await visitor.say(turn(turn_id, seq=seq, ends_at=NOW_MS + 600_000))
    while isinstance(message := await visitor.ack(), AgentThoughtIn | AgentDecision):
        pass
    assert isinstance(message, Action)
    return message


async def test_a_slow_model_delays_nobody_else() -> None:
    """One agent waits for its model; another one takes a hundred turns meanwhile."""
    slow, taken = Stalling(), asyncio.Event()

    async def script(visitor: Visitor) -> None:
        if "slow" in await seated(visitor):
            assert (await its_move(visitor, "turn-1", 1)).turn_id == "turn-1"
            taken.set()
        else:
            await until(lambda: slow.asked == 1)
            for number in range(1, 101):
                await its_move(visitor, f"turn-{number}", number)
            slow.let.set()
        await visitor.until_gone()

    async with fake_table(script) as table:
        mind = Mind(slow, version_id=AgentVersionId("v-1"))
        async with service(place(table, "slow", mind), place(table, "quick")):
            await taken.wait()
    assert slow.asked == 1


async def test_a_fault_ends_one_seat(caplog: pytest.LogCaptureFixture) -> None:
    """It is tried again a few times and given up; the other seat plays on, and no token is in the log."""
    moved = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await its_move(visitor, "turn-1", 1)
        moved.set()
        await visitor.until_gone()

    async def broken(version: AgentVersionId | None) -> str:
        raise LookupError("a token of somebody")

    async with fake_table(script) as table:
        fault = Place(AgentId("bad"), TableId("tbl_test"), "no address", house(), Seating(1_000), broken)
        async with service(place(table), fault) as (found, _):
            await moved.wait()
            await until(lambda: found.phases[Phase.PLAYING] >= 1 and found.phases[Phase.WAITING] == 1)
    assert "a token of" not in caplog.text


@pytest.mark.parametrize(
    ("code", "problem"),
    [(4403, "not_allowed"), (4404, "no_such_table"), (4409, "replaced"), (4410, "table_closed"), (4400, "closed")],
)
async def test_what_does_not_pass_ends_a_seat(code: int, problem: str) -> None:
    """With its reason, and it is not tried again until it is asked for again."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.close(code)

    async with fake_table(script) as table, service(place(table)) as (found, ended):
        await until(lambda: bool(ended))
        assert ended == [f"ann {problem}"]
        assert (list(found.problems.values()), list(found.keys), len(table.visits)) == ([problem], [], 1)
        found.play(place(table))
        await until(lambda: len(table.visits) == 2)


async def test_a_refused_seat_is_given_up() -> None:
    """By a refusal that no waiting mends."""

    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state(OTHERS)))
        asked = await visitor.hear()
        assert isinstance(asked, Sit)
        await visitor.say(Error(code=ErrorCode.SEAT_NEEDS_HOSTED_AGENT, message="", request_id=asked.request_id))
        await visitor.until_gone()

    async with fake_table(script) as table, service(place(table)) as (_, ended):
        await until(lambda: ended == ["ann seat_needs_hosted_agent"])


async def test_a_server_that_is_not_there_yet_is_waited_for() -> None:
    """And one that went comes back to the same seat, with a fresh token for each connection."""
    entered: list[str] = []

    async def answer(socket: ServerConnection) -> None:
        visitor = Visitor(socket)
        await visitor.say(hello())
        entered.append(await seated(visitor))
        await visitor.until_gone()

    async with serve(answer, "127.0.0.1", 0) as first:
        port = next(iter(first.sockets)).getsockname()[1]
    table = FakeTable(f"ws://127.0.0.1:{port}/games/poker/tbl_test/ws")
    async with service(place(table)) as (found, ended):
        await until(lambda: found.phases[Phase.WAITING] == 1)
        async with serve(answer, "127.0.0.1", port, close_timeout=1):
            await until(lambda: len(entered) == 1)
        assert ended == []


async def test_another_seating_is_another_visit() -> None:
    """Where it waits for a seat that is taken and is sent to another one, it goes there."""
    asked: list[int] = []

    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state([*OTHERS, seat(3, "Bob")])))
        message = await visitor.ack()
        assert isinstance(message, Sit)
        asked.append(message.seat)
        await visitor.until_gone()

    async with fake_table(script) as table, service(place(table, seat_number=3)) as (found, _):
        await until(lambda: len(table.visits) == 1)
        found.play(place(table, seat_number=5))
        await until(lambda: asked == [5])


async def test_the_open_turns_are_finished_at_the_end() -> None:
    """In time: the move goes out and the seat stays. Else it is cut short, and counted."""
    slow, moved = Stalling(), asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await its_move(visitor, "turn-1", 1)
        moved.set()
        await visitor.until_gone()
        assert not any(isinstance(message, Leave) for message in visitor.said)

    async with fake_table(script) as table:
        async with service(place(table, mind=Mind(slow, version_id=AgentVersionId("v-1")))) as (found, _):
            await until(lambda: slow.asked == 1)
            stopping = asyncio.create_task(found.stop(20.0))
            slow.let.set()
            assert await stopping == 0
            await moved.wait()
        late = Stalling()
        async with service(place(table, mind=Mind(late, version_id=AgentVersionId("v-1")))) as (found, _):
            await until(lambda: late.asked == 1)
            assert await found.stop(0.05) == 1
            found.play(place(table, "never"))
            assert not found.phases[Phase.STARTING]


async def test_fresh_tokens_are_shown_again_and_again() -> None:
    """Each is asked for when it is shown, and names what plays."""
    given: list[str] = []

    async def token(version: AgentVersionId | None) -> str:
        given.append(f"token {len(given)} of {version}")
        return given[-1]

    shown: list[str] = []

    async def script(visitor: Visitor) -> None:
        shown.append(await seated(visitor))
        while len(shown) < 4:
            renewal = await visitor.ack()
            assert isinstance(renewal, Enter)
            shown.append(str(renewal.agent_token))
        await visitor.until_gone()

    async with fake_table(script) as table:
        renewing = replace(place(table), tokens=token)
        async with service(renewing, renew_every_s=0.01):
            await until(lambda: len(shown) == 4)
    assert shown == given[:4] and len(set(shown)) == 4


async def test_a_version_that_has_the_seat_plays_on() -> None:
    """Another one is shown to the table, with its token; where the table refuses it, nothing of it is played."""
    shown: list[str] = []

    async def script(visitor: Visitor) -> None:
        shown.append(await seated(visitor))
        renewal = await visitor.hear()
        assert isinstance(renewal, Enter)
        shown.append(str(renewal.agent_token))
        await visitor.say(Error(code=ErrorCode.WHISPER_REFUSED, message="", request_id=renewal.request_id))
        await its_move(visitor, "turn-1", 1)
        shown.append("moved")
        await visitor.until_gone()

    asked = Stalling()
    async with fake_table(script) as table:
        refused = Mind(asked, version_id=AgentVersionId("v-2"))
        async with service(replace(place(table, mind=refused), seated_as=house("v-1"))):
            await until(lambda: "moved" in shown)
    assert shown[:3] == ["token of ann v-1", "token of ann v-2", "moved"] and asked.asked == 0
