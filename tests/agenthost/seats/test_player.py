from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress

import pytest
from msgspec import UNSET

from capture.record import Decided
from gameserver.errors import ErrorCode
from gameserver.hand.facts import ActionKind
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Ack, Action, AgentDecision, AgentThoughtIn, Enter, Error, Rebuy, Sit, SitIn
from policy.ids import AgentId
from railbird.agenthost.house import STYLES, house_mind, house_player
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.client import Closed, Refused
from tests.agenthost.listening import Heard
from tests.client.fake_table import FakeTable, Visitor, fake_table
from tests.client.frames import NOW_MS, seat, snapshot, state, turn

OTHERS = [seat(0, "Ada", bet=20)]
US = seat(3, "Rock", 980)


def player(table: FakeTable, style: str = "station", **changes: object) -> AgentPlayer:
    usual = {"agent_token": "token", "min_turn_ms": 0, "seat": 3, "buy_in_chips": 1_000}
    settings: dict[str, object] = usual | changes
    return house_player(
        table.url,
        agent_id=AgentId("a-rock"),
        style=STYLES[style],
        rng=random.Random(5),
        **settings,  # type: ignore[arg-type]  # names of the constructor
    )


async def seated(visitor: Visitor, status: str = "in_hand", stack: int = 980) -> None:
    assert isinstance(await visitor.hear(), Enter)
    us = seat(3, "Rock", stack, status=status)
    await visitor.say(snapshot(state([*OTHERS, us], your_seat=3, your_cards=["As", "Ad"])))


async def test_it_enters_with_its_token_sits_and_acts() -> None:
    async def script(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token="token")
        await visitor.say(snapshot(state(OTHERS)))
        sat = await visitor.ack()
        assert isinstance(sat, Sit) and (sat.seat, sat.buy_in) == (3, 1_000)
        now = state([*OTHERS, US], your_seat=3, your_cards=["As", "Ad"])
        await visitor.say(snapshot(now, epoch="seat-3"), turn("turn-1", seq=1))
        moved = await visitor.ack()
        assert isinstance(moved, Action) and moved.turn_id == "turn-1"
        assert moved.action in (ActionKind.CALL, ActionKind.RAISE)
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


async def test_it_takes_any_free_seat() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state(OTHERS)))
        sat = await visitor.ack()
        assert isinstance(sat, Sit) and sat.seat == 1
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, seat=None).run()


async def test_it_waits_so_that_a_person_can_follow() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 15_000))
        asked = time.monotonic()
        while not isinstance(await visitor.ack(), Action):
            pass
        assert time.monotonic() - asked >= 0.2
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=200).run()


async def test_it_thinks_aloud_and_then_does_what_it_said() -> None:
    """The reasoning, the decision and the move, in this order, about one turn, and named as by rules."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 15_000))
        thought, decision, move = [await visitor.ack() for _ in range(3)]
        assert isinstance(thought, AgentThoughtIn) and isinstance(decision, AgentDecision) and isinstance(move, Action)
        assert {thought.turn_id, decision.turn_id, move.turn_id} == {"turn-1"}
        assert thought.text.startswith("House rules, station: a big pair.")
        assert (decision.action, decision.amount) == (move.action, move.amount)
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=150).run()


async def test_words_that_are_not_taken_cost_no_move() -> None:
    """Refused, or without an answer: the move comes when it is due."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 15_000))
        thought = await visitor.hear()
        await visitor.say(Error(code=ErrorCode.TEXT_TOO_LONG, message="", request_id=thought.request_id))
        assert isinstance(await visitor.hear(), AgentDecision)
        assert isinstance(await visitor.ack(), Action)
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=150).run()


async def test_a_turn_that_is_over_is_thought_about_no_further() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 15_000))
        for _ in ("thought", "decision"):
            said = await visitor.hear()
            await visitor.say(Error(code=ErrorCode.STALE_TURN, message="", request_id=said.request_id))
        await visitor.say(turn("turn-2", seq=2, ends_at=NOW_MS + 15_000))
        thought = await visitor.ack()
        assert isinstance(thought, AgentThoughtIn) and thought.turn_id == "turn-2"
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=150).run()


async def test_it_shows_fresh_tokens_before_the_old_ones_run_out() -> None:
    """Again and again, on the same connection; one that is refused ends nothing by itself."""
    issued = iter(range(100))

    async def token() -> str:
        return f"token-{next(issued)}"

    async def script(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token="token-0")
        await visitor.say(snapshot(state([*OTHERS, US], your_seat=3, your_cards=["As", "Ad"])))
        renewed = await visitor.hear()
        assert isinstance(renewed, Enter) and renewed.agent_token == "token-1"
        await visitor.say(Error(code=ErrorCode.WHISPER_REFUSED, message="", request_id=renewed.request_id))
        again = await visitor.ack()
        assert isinstance(again, Enter) and again.agent_token == "token-2"
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, agent_token=token, renew_every_s=0.05).run()


async def test_it_does_not_wait_past_half_of_its_clock() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1, ends_at=NOW_MS + 200))
        asked = time.monotonic()
        await visitor.ack()
        assert time.monotonic() - asked < 1
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=60_000).run()


async def test_a_newer_request_replaces_an_older_one() -> None:
    """Only the open turn is answered."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1), turn("turn-2", seq=2))
        moved = await visitor.ack()
        assert isinstance(moved, Action) and moved.turn_id == "turn-2"
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, min_turn_ms=50).run()


async def test_a_turn_in_the_snapshot_is_answered() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        now = state([*OTHERS, US], your_seat=3, your_cards=["7s", "2d"])
        await visitor.say(snapshot(now, seq=9, your_turn=turn("turn-5", seq=9)))
        moved = await visitor.ack()
        assert isinstance(moved, Action) and moved.turn_id == "turn-5"
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


async def test_a_refused_move_becomes_check_or_fold() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1))
        moved = await visitor.hear()
        await visitor.say(Error(code=ErrorCode.AMOUNT_OUT_OF_RANGE, message="", request_id=moved.request_id))
        moved = await visitor.ack()
        assert isinstance(moved, Action) and moved.action is ActionKind.FOLD and moved.amount is UNSET
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


async def test_a_broke_player_buys_in_again_and_waits_for_its_owner_to_have_chips() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor, "no_chips", 0)
        asked = await visitor.hear()
        assert isinstance(asked, Rebuy) and asked.amount == 1_000
        await visitor.say(Error(code=ErrorCode.NO_CHIPS, message="", request_id=asked.request_id))
        again = await visitor.ack()
        assert isinstance(again, Rebuy)
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


@pytest.mark.parametrize("status", ["sitting_out", "away"])
async def test_it_comes_back_from_sitting_out(status: str) -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor, status)
        assert isinstance(await visitor.ack(), SitIn)
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


async def test_the_buy_in_keeps_to_the_tables_bounds() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state(OTHERS)))
        sat = await visitor.ack()
        assert isinstance(sat, Sit) and sat.buy_in == 2_000
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, buy_in_chips=50_000).run()


async def test_a_seat_that_it_may_not_have_is_told() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state(OTHERS)))
        sat = await visitor.hear()
        await visitor.say(Error(code=ErrorCode.SEAT_NEEDS_HOSTED_AGENT, message="", request_id=sat.request_id))
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(30):
        with pytest.raises(Refused, match="seat_needs_hosted_agent"):
            await player(table).run()


async def test_a_final_close_is_told() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.close(CloseCode.REPLACED)

    async with fake_table(script) as table, asyncio.timeout(30):
        with pytest.raises(Closed, match="4409"):
            await player(table).run()


async def test_it_stops_when_it_is_cancelled() -> None:
    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1))
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(30):
        running = asyncio.create_task(player(table, min_turn_ms=60_000).run())
        await asyncio.sleep(0.1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_a_move_that_did_not_get_there_is_sent_again_when_the_turn_is_asked_for_again() -> None:
    """It is the same turn: it is neither thought about nor recorded twice."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1))
        first = None
        for _ in range(8):  # the move, and then the safe one, each four times
            refused = await visitor.hear()
            first = first or refused
            await visitor.say(Error(code=ErrorCode.RATE_LIMITED, message="", request_id=refused.request_id))
        await visitor.say(turn("turn-1", seq=2))
        again = await visitor.ack()
        assert isinstance(again, Action) and isinstance(first, Action)
        assert (again.turn_id, again.action, again.amount) == (first.turn_id, first.action, first.amount)
        await visitor.close(1000)

    heard = Heard()
    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, observers=Observers([heard])).run()
    assert [turn.outcome.sent for turn in heard.finished] == [None]


async def test_a_move_that_is_on_its_way_is_waited_for_when_the_next_turn_comes_first() -> None:
    """As heads-up, where one acts twice in a row and the request overtakes the reply: both are decisions."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor)
        await visitor.say(turn("turn-1", seq=1))
        moved = await visitor.hear()
        await visitor.say(turn("turn-2", seq=2, action_index=3))
        await asyncio.sleep(0.2)
        await visitor.say(Ack(request_id=moved.request_id))
        again = await visitor.ack()
        assert isinstance(again, Action) and again.turn_id == "turn-2"
        await visitor.close(1000)

    heard = Heard()
    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table, observers=Observers([heard])).run()
    assert [type(turn.outcome) for turn in heard.finished[:1]] == [Decided]


async def test_it_waits_until_its_seat_is_free() -> None:
    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state([*OTHERS, seat(3, "Zoe")])))
        await visitor.say(state(OTHERS, seq=1))
        sat = await visitor.ack()
        assert isinstance(sat, Sit) and sat.seat == 3
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await player(table).run()


async def test_who_does_not_buy_again_stays_broke() -> None:
    """It is for its owner to say: nothing is asked for."""

    async def script(visitor: Visitor) -> None:
        await seated(visitor, "no_chips", 0)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await visitor.hear()
        assert len(visitor.said) == 1
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        await AgentPlayer(
            table.url,
            agent_id=AgentId("a-1"),
            mind=house_mind(STYLES["rock"]),
            agent_token="token",
            seating=Seating(1_000, 3, rebuys=False),
            rng=random.Random(1),
        ).run()
