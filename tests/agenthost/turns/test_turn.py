"""One turn, at a table that a test speaks for: what is said and done, when, and what is recorded of it."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from msgspec import UNSET

from capture.envelope import join
from capture.record import CallOutcome, Decided, FellBack, FinishedTurn, Move
from gameserver.errors import ErrorCode
from gameserver.wire.messages import (
    Ack,
    Action,
    ActionKind,
    AgentDecision,
    AgentStatus,
    AgentThoughtIn,
    Error,
    Inbound,
    YourTurn,
)
from policy.ids import AgentId, AgentVersionId
from railbird.agenthost.knowledge.memory import TurnKnowledge
from railbird.agenthost.knowledge.prompt import PROMPT_VERSION
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest
from railbird.agenthost.observers import Observers
from railbird.agenthost.outbound import Door
from railbird.agenthost.turns.pace import Pace
from railbird.agenthost.turns.turn import TurnTaker
from tests.agenthost.listening import Heard
from tests.agenthost.scripted import Line, ScriptedModel
from tests.agenthost.story import asked, entered, remembering
from tests.client.fake_table import Visitor, fake_table
from tests.client.frames import NOW_MS

RAISES = '{"reasoning": "top pair", "action": "raise", "amount": 80}'
QUICK = Pace(least_ms=0, speaks_from_ms=0)
TOKEN = "eyJ.secret.token"
Answering = Callable[[Visitor], Awaitable[None]]


@dataclass(slots=True)
class Taken:
    """What came of a turn. `said`: by the agent after it entered."""

    said: list[Inbound] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)
    took_s: float = 0.0

    @property
    def turn(self) -> FinishedTurn:
        (turn,) = self.heard.finished
        return turn

    @property
    def types(self) -> list[str]:
        return [str(message.__struct_config__.tag) for message in self.said]


async def take(
    *lines: Line,
    turn: YourTurn | None = None,
    pace: Pace = QUICK,
    answering: Answering | None = None,
    after_s: float = 0.0,
    knowledge: TurnKnowledge | None = None,
    hooks: Sequence[Heard] = (),
) -> Taken:
    taken = Taken()

    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(entered())
        try:
            await (answering or take_all)(visitor)
        finally:
            taken.said = visitor.said[1:]

    version = AgentVersionId("v-1")
    mind = Mind(ScriptedModel(*lines, after_s=after_s), version_id=version, temperature=0.5, seed=7, max_tokens=99)
    async with (
        fake_table(script) as table,
        asyncio.timeout(60),
        Door(table.url, agent_token=TOKEN, rng=random.Random(1)) as door,
    ):
        taker = _taker(door, Observers([taken.heard, *hooks]), pace)
        began = time.monotonic()
        await taker.take(mind, knowledge or remembering().freeze(turn or asked()))
        taken.took_s = time.monotonic() - began
    return taken


def _taker(door: Door, observers: Observers, pace: Pace = QUICK) -> TurnTaker:
    return TurnTaker(
        agent_id=AgentId("a-1"),
        door=door,
        observers=observers,
        pace=pace,
        rng=random.Random(1),
        wall_us=lambda: 1_234,
    )


async def take_all(visitor: Visitor) -> None:
    while True:
        await visitor.ack()


def refusing(*codes: ErrorCode) -> Answering:
    """Refuses so many actions, and takes the others and all words."""

    async def answer(visitor: Visitor) -> None:
        left = list(codes)
        while True:
            message = await visitor.hear()
            if isinstance(message, Action) and left:
                await visitor.say(Error(code=left.pop(0), message="", request_id=message.request_id))
            else:
                await visitor.say(Ack(request_id=message.request_id))

    return answer


# --- what is said and done ------------------------------------------------------------------------------------------------


async def test_thought_decision_and_move_leave_in_this_order() -> None:
    """All three about the same turn; the decision is the choice, provisional, and the move is what was made of it."""
    taken = await take(RAISES)
    thought, decision, move = taken.said
    assert isinstance(thought, AgentThoughtIn) and thought.text == "top pair"
    assert isinstance(decision, AgentDecision) and (decision.action, decision.amount) == (ActionKind.RAISE, 80)
    assert isinstance(move, Action) and (move.action, move.amount) == (ActionKind.RAISE, 80)
    assert {thought.turn_id, decision.turn_id, move.turn_id} == {"turn-1"}


async def test_words_leave_the_moment_that_the_reply_makes_sense() -> None:
    """They are at the table long before the move, which waits for the turn's least time."""
    heard_at: list[float] = []

    async def answer(visitor: Visitor) -> None:
        while True:
            await visitor.ack()
            heard_at.append(time.monotonic())

    await take(RAISES, answering=answer, pace=Pace(least_ms=1_000))
    thought, decision, move = heard_at
    assert max(thought, decision) < move - 0.5


async def test_a_short_turn_is_played_without_a_word() -> None:
    assert (await take(RAISES, pace=Pace(least_ms=0))).types == ["action"]


async def test_a_slow_model_speaks_in_a_turn_without_least_time() -> None:
    """It took its time, so there is somebody to read it."""
    taken = await take(RAISES, pace=Pace(least_ms=0), after_s=0.2)
    assert taken.types == ["agent_thought", "agent_decision", "action"]


async def test_a_turn_takes_its_least_time() -> None:
    assert (await take(RAISES, pace=Pace(least_ms=300))).took_s >= 0.3


async def test_a_choice_that_is_not_legal_is_told_as_it_was_and_sent_as_it_may_be() -> None:
    taken = await take('{"reasoning": "all of it", "action": "bet", "amount": 5000}')
    _, decision, move = taken.said
    assert isinstance(decision, AgentDecision) and (decision.action, decision.amount) == (ActionKind.BET, 5_000)
    assert isinstance(move, Action) and (move.action, move.amount) == (ActionKind.RAISE, 980)
    assert taken.turn.outcome == Decided(
        taken.turn.outcome.calls,
        0,
        Move("bet", 5_000),
        Move("raise", 980),
        "a bet is not possible here, a raise is; 5000 is more than the most, 980",
    )


@pytest.mark.parametrize("amount", ["null", "-3", "0", "99999999999999"])
async def test_a_choice_that_the_wire_has_no_words_for_is_told_as_it_is_sent(amount: str) -> None:
    taken = await take(f'{{"action": "raise", "amount": {amount}}}')
    decision, move = taken.said
    assert isinstance(decision, AgentDecision) and isinstance(move, Action)
    assert (decision.action, decision.amount) == (move.action, move.amount)


async def test_a_long_thought_is_cut_on_the_wire_and_whole_in_the_record() -> None:
    reasoning = "think " * 5_000
    reply = json.dumps({"reasoning": reasoning, "action": "call"})
    taken = await take(reply)
    thought = taken.said[0]
    assert isinstance(thought, AgentThoughtIn) and thought.text.endswith(" (cut: 30000 characters in all)")
    assert len(thought.text) == 8_000
    assert taken.turn.outcome.calls[0].completion == reply


# --- when there is no answer ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (CallOutcome.TIMED_OUT, "timed_out"),
        (CallOutcome.REFUSED, "refused"),
        ("What a hand!", "made_no_sense"),
        (RuntimeError("boom"), "model_failed"),
    ],
)
async def test_without_an_answer_the_safe_move_is_made_and_marked_as_no_decision(line: Line, reason: str) -> None:
    """Nothing is thought and nothing decided, so nothing is said."""
    taken = await take(line)
    assert taken.types == ["action"]
    assert taken.turn.outcome == FellBack(taken.turn.outcome.calls, Move("fold"), reason)


async def test_without_an_answer_a_free_check_is_taken() -> None:
    turn = asked(to_call=0, legal=[ActionKind.FOLD, ActionKind.CHECK, ActionKind.BET])
    taken = await take(CallOutcome.REFUSED, turn=turn)
    assert taken.turn.outcome == FellBack(taken.turn.outcome.calls, Move("check"), "refused")


async def test_a_provider_that_is_down_is_told_to_the_table() -> None:
    """Before the move, about this turn."""
    taken = await take(CallOutcome.UNREACHABLE)
    status, move = taken.said
    assert isinstance(status, AgentStatus) and status.provider_down and status.turn_id == "turn-1"
    assert isinstance(move, Action) and move.action is ActionKind.FOLD


async def test_a_model_that_hangs_does_not_miss_the_clock() -> None:
    """The safe move is made; when a model has to be done is `tests/agenthost/turns/test_pace.py`."""
    taken = await take(RAISES, turn=asked(ends_at=NOW_MS + 1_000), after_s=3_600)
    assert taken.turn.outcome == FellBack((), Move("fold"), "timed_out")


async def test_a_turn_that_is_asked_for_after_its_clock_uses_the_bank() -> None:
    """As after a lost line: the table waits, so the model is asked."""
    taken = await take(RAISES, turn=asked(ends_at=NOW_MS - 5_000))
    assert isinstance(taken.turn.outcome, Decided)


async def test_a_fault_of_ours_costs_a_decision_and_no_move() -> None:
    class Faulty:
        name = heading = "faulty"

        def lines(self, known: object, form: object, /) -> Sequence[str]:
            raise KeyError("a fault")

    knowledge = remembering().freeze(asked())
    broken = replace(knowledge, known=(replace(knowledge.known[0], source=Faulty()), *knowledge.known[1:]))  # type: ignore[arg-type]
    taken = await take(RAISES, knowledge=broken)
    assert taken.turn.outcome == FellBack((), Move("fold"), "failed")


# --- what the table makes of it -------------------------------------------------------------------------------------------


async def test_a_refused_move_becomes_the_safe_one_and_says_so() -> None:
    taken = await take(RAISES, answering=refusing(ErrorCode.AMOUNT_OUT_OF_RANGE))
    moves = [(message.action, message.amount) for message in taken.said if isinstance(message, Action)]
    assert moves == [(ActionKind.RAISE, 80), (ActionKind.FOLD, UNSET)]
    outcome = taken.turn.outcome
    assert isinstance(outcome, Decided)
    assert (outcome.chosen, outcome.sent) == (Move("raise", 80), Move("fold"))
    assert outcome.why == "the table refused it: amount_out_of_range"


async def test_a_table_that_hears_too_much_is_told_again_a_little_later() -> None:
    taken = await take(RAISES, answering=refusing(ErrorCode.RATE_LIMITED, ErrorCode.RATE_LIMITED))
    moves = [message for message in taken.said if isinstance(message, Action)]
    assert [(move.action, move.amount) for move in moves] == [(ActionKind.RAISE, 80)] * 3
    outcome = taken.turn.outcome
    assert isinstance(outcome, Decided) and outcome.sent == outcome.chosen and outcome.why is None


async def test_a_turn_that_is_over_is_no_decision() -> None:
    """The table did not take it, so the record does not say that it did."""
    taken = await take(RAISES, answering=refusing(ErrorCode.STALE_TURN))
    assert taken.turn.outcome == FellBack(taken.turn.outcome.calls, None, "too_late")


async def test_a_turn_that_is_over_while_it_is_thought_about_is_played_no_further() -> None:
    async def answer(visitor: Visitor) -> None:
        while True:
            message = await visitor.hear()
            await visitor.say(Error(code=ErrorCode.STALE_TURN, message="", request_id=message.request_id))

    taken = await take(RAISES, answering=answer, pace=Pace(least_ms=500))
    assert "action" not in taken.types
    assert taken.turn.outcome == FellBack(taken.turn.outcome.calls, None, "too_late")


async def test_words_that_are_not_taken_cost_no_move() -> None:
    async def answer(visitor: Visitor) -> None:
        while True:
            message = await visitor.hear()
            if isinstance(message, AgentThoughtIn):
                await visitor.say(Error(code=ErrorCode.TEXT_TOO_LONG, message="", request_id=message.request_id))
            elif isinstance(message, Action):
                await visitor.say(Ack(request_id=message.request_id))

    taken = await take(RAISES, answering=answer, pace=Pace(least_ms=200))
    assert isinstance(taken.turn.outcome, Decided)


async def test_words_that_could_not_leave_in_their_turn_leave_in_no_other() -> None:
    """The line is down when they are said and up again when the turn was given up: the next turn's record has none of them."""
    down, up = asyncio.Event(), asyncio.Event()

    async def first(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(entered())
        visitor.cut()
        down.set()

    async def second(visitor: Visitor) -> None:
        await up.wait()
        await visitor.hear()
        await visitor.say(entered())
        await take_all(visitor)

    heard = Heard()
    async with (
        fake_table(first, second) as table,
        asyncio.timeout(60),
        Door(table.url, agent_token=TOKEN, rng=random.Random(1)) as door,
    ):
        taker = _taker(door, Observers([heard]))
        await down.wait()
        gone = asyncio.create_task(taker.take(Mind(ScriptedModel(RAISES)), remembering().freeze(asked())))
        while not door.posted:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0.01)
        gone.cancel()
        await asyncio.wait({gone})
        up.set()
        await taker.take(Mind(ScriptedModel(RAISES)), remembering().freeze(asked(turn_id="turn-2")))
    messages = heard.finished[1].messages
    assert isinstance(messages, tuple) and messages
    assert {json.loads(message).get("turnId", "turn-2") for message in messages} == {"turn-2"}


# --- what is recorded -----------------------------------------------------------------------------------------------------


async def test_the_record_has_what_was_known_asked_answered_decided_and_sent() -> None:
    taken = await take(RAISES)
    turn = taken.turn
    assert (turn.key.agent_id, turn.key.table_id, turn.key.hand_number, turn.key.action_index) == (
        "a-1",
        "tbl_test",
        2,
        6,
    )
    assert (turn.agent_version_id, turn.at_us, turn.prompt_version) == ("v-1", 1_234, PROMPT_VERSION)
    assert (turn.temperature, turn.seed, turn.max_tokens, turn.history_gap) == (0.5, 7, 99, False)
    assert turn.knowledge == remembering().freeze(asked()).as_record()
    (call,) = turn.outcome.calls
    assert b"[Your Turn]\naction 6, to call 20" in join(call.prompt.envelope, call.prompt.remainder)
    assert call.completion == RAISES
    assert isinstance(turn.messages, tuple)
    assert [json.loads(message)["type"] for message in turn.messages] == ["agent_thought", "agent_decision", "action"]


async def test_listeners_hear_of_the_turn_as_it_goes() -> None:
    """That it began, each message when it left, and the whole at the end."""
    heard = (taken := await take(RAISES)).heard
    assert [event.key for event in heard.started] == [taken.turn.key]
    assert tuple(event.message for event in heard.sent) == taken.turn.messages


async def test_a_listeners_error_changes_no_turn() -> None:
    class Broken(Heard):
        def message_sent(self, event: object, /) -> None:
            raise ValueError("boom")

        turn_started = turn_finished = message_sent

    quiet, disturbed = await take(RAISES), await take(RAISES, hooks=[Broken()])
    assert disturbed.types == quiet.types
    assert disturbed.turn.outcome == quiet.turn.outcome


async def test_what_is_known_is_as_it_was_when_the_turn_began() -> None:
    """The own action that comes back, and whatever comes while the turn waits, is not in the record."""
    memory = remembering()
    knowledge = memory.freeze(asked())
    before = knowledge.as_record()

    async def meanwhile(request: ModelRequest, deadline: float) -> str:
        for frame in remembering().freeze(asked()).as_record()["actions"]:  # type: ignore[attr-defined]
            memory.take(frame)
        return RAISES

    taken = await take(meanwhile, knowledge=knowledge)
    assert taken.turn.knowledge == before
    assert len(memory.freeze(asked()).as_record()["actions"]) == 12  # type: ignore[arg-type]


async def test_a_turn_that_is_given_up_is_recorded_with_what_it_cost() -> None:
    """The host is stopped, or a newer request has come: the calls that were made are there."""
    heard, asked_again = Heard(), asyncio.Event()

    async def hang(request: ModelRequest, deadline: float) -> str:
        asked_again.set()
        await asyncio.sleep(3_600)
        return RAISES

    running = asyncio.create_task(take("What?", hang, hooks=[heard]))
    async with asyncio.timeout(30):
        await asked_again.wait()
    running.cancel()
    await asyncio.wait({running})
    (turn,) = heard.finished
    assert turn.outcome == FellBack(turn.outcome.calls, None, "overtaken") and len(turn.outcome.calls) == 1


async def test_no_token_is_in_what_is_recorded_after_a_reconnect_in_mid_turn() -> None:
    """What left then is there, the introduction too, without its credential; and the move counts once more."""
    visits = 0

    async def answer(visitor: Visitor) -> None:
        nonlocal visits
        visits += 1
        if visits == 1:
            while not isinstance(await visitor.hear(), Action):
                pass
            visitor.cut()
            return
        await take_all(visitor)

    turn = (await take(RAISES, answering=answer, pace=Pace(least_ms=200))).turn
    assert isinstance(turn.outcome, Decided) and isinstance(turn.messages, tuple)
    kinds = [json.loads(message)["type"] for message in turn.messages]
    assert kinds.count("action") == 2 and {"enter", "resume"} & set(kinds)
    assert TOKEN.encode() not in b"".join(turn.messages)
