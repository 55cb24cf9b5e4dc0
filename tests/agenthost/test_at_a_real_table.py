"""Hosted agents at the real server, over real sockets: what they know after a lost line, what their prompts are made of, and that
no model makes them miss a clock or break a rule."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from capture.envelope import join
from capture.record import CallOutcome, Decided, FellBack, FinishedTurn
from gameserver.table.options import Clocks, TableOptions
from gameserver.wire.messages import ActionKind, PlayerAction
from policy.ids import AgentId, UserId
from policy.table_kind import TableKind
from railbird.agenthost.fallback import Fallback
from railbird.agenthost.house import STYLES, house_player
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.client import HandResult, YourTurn, connect, table_url
from tests.agenthost.listening import Heard
from tests.agenthost.scripted import ScriptedModel
from tests.house.real_table import RealTable, real_table
from tests.policy.hostile_text import hostile_strings, text_of

LONG_S = 90
CALLS = '{"reasoning": "I like to see it.", "action": "call", "amount": null}'


def agent(
    table: RealTable, name: str, token: str, mind: Mind, heard: Heard, seat: int, url: str | None = None
) -> AgentPlayer:
    return AgentPlayer(
        url or table.url,
        agent_id=AgentId(f"a-{name}"),
        mind=mind,
        agent_token=token,
        seating=Seating(1_000, seat),
        rng=random.Random(seat),
        observers=Observers([heard]),
        pace=Pace(least_ms=0, speaks_from_ms=0),
    )


async def rival(table: RealTable, name: str, seat: int, url: str | None = None) -> asyncio.Task[None]:
    player = house_player(
        url or table.url,
        agent_id=AgentId(f"a-{name}"),
        agent_token=await table.token(name),
        style=STYLES[name],
        rng=random.Random(seat),
        buy_in_chips=1_000,
        seat=seat,
        min_turn_ms=0,
    )
    return asyncio.create_task(player.run())


async def end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)


def knowledge(turn: FinishedTurn) -> Any:
    """As a reader of the record has it."""
    return msgspec.json.decode(msgspec.json.encode(turn.knowledge))


def prompts(turn: FinishedTurn) -> list[str]:
    return [join(call.prompt.envelope, call.prompt.remainder).decode() for call in turn.outcome.calls]


class Until(ScriptedModel):
    """Calls along until it is asked a question of which `is_it` is true; then it says so and answers when it is `released`."""

    def __init__(self, is_it: Callable[[str], bool]) -> None:
        super().__init__(CALLS)
        self.asked, self.released = asyncio.Event(), asyncio.Event()
        self.question = ""
        self._is_it = is_it

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        prompt = join(request.prompt.envelope, request.prompt.remainder).decode()
        if not self.asked.is_set() and self._is_it(prompt):
            self.question = prompt
            self.asked.set()
            await self.released.wait()
        return await super().ask(request, deadline)


def is_deep_in_the_fifth_hand(prompt: str) -> bool:
    """After three actions of the hand and four finished hands."""
    action = int(prompt.rsplit("[Your Turn]\naction ", 1)[1].split(",")[0])
    return action >= 3 and prompt.count("\nhand ") > 4


class Once(Heard):
    """Says when it has heard of a finished turn."""

    def __init__(self) -> None:
        super().__init__()
        self.one = asyncio.Event()

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        super().turn_finished(turn)
        self.one.set()


async def test_f24_an_agent_that_comes_back_in_mid_hand_knows_what_it_would_have_known(tmp_path: Path) -> None:
    """Its process is gone and its memory with it: the first question is byte for byte the one that it did not answer, with the actions
    of the hand and the last hands, and the record of it shows the same."""
    async with real_table(tmp_path, max_seats=3) as table, asyncio.timeout(LONG_S):
        rivals = [await rival(table, "station", 0), await rival(table, "gambler", 1)]
        token = await table.token("P")
        model, before, after = Until(is_deep_in_the_fifth_hand), Heard(), Once()
        first = asyncio.create_task(agent(table, "P", token, Mind(model), before, 2).run())
        await model.asked.wait()
        await end(first)
        second = asyncio.create_task(agent(table, "P", token, Mind(ScriptedModel(CALLS)), after, 2).run())
        await after.one.wait()
        await end(second, *rivals)
    given_up, again = before.finished[-1], after.finished[0]
    assert given_up.outcome == FellBack((), None, "overtaken")
    assert again.key == given_up.key and isinstance(again.outcome, Decided) and not again.history_gap
    assert prompts(again) == [model.question]
    known, knew = knowledge(again), knowledge(given_up)
    assert [each["actionIndex"] for each in known["actions"]] == list(range(again.key.action_index))
    assert len(known["actions"]) >= 3 and known["historyGap"] is False
    assert known["previousHands"] == knew["previousHands"] and len(known["previousHands"]) >= 4


async def test_a_line_that_is_lost_in_mid_turn_costs_neither_a_second_question_nor_the_move(tmp_path: Path) -> None:
    """The turn that is asked for again on the new line is the one that is being thought about."""
    async with real_table(tmp_path, max_seats=2) as table, asyncio.timeout(LONG_S):
        other = await rival(table, "station", 0)
        token = await table.token("P")
        model, heard = Until(lambda prompt: "[Previous Hands]" in prompt), Once()
        player = agent(table, "P", token, Mind(model), heard, 1)
        playing = asyncio.create_task(player.run())
        await model.asked.wait()
        heard.one.clear()
        turns, questions = len(heard.finished), len(model.requests)
        cut(player)
        model.released.set()
        await heard.one.wait()
        await end(playing, other)
    turn = heard.finished[turns]
    assert isinstance(turn.outcome, Decided) and len(turn.outcome.calls) == 1 and len(model.requests) > questions
    assert isinstance(turn.messages, tuple)
    kinds = [json.loads(message)["type"] for message in turn.messages]
    assert "action" in kinds and token.encode() not in b"".join(turn.messages)
    assert sum(each.key == turn.key for each in heard.finished) == 1


def cut(player: AgentPlayer) -> None:
    """As a cut cable does; no method does this."""
    link = player._door._client._line._link
    assert link is not None
    link.transport.abort()


async def test_f33_what_others_say_stays_quoted_in_the_exact_prompts(tmp_path: Path) -> None:
    """Chat of every hostile kind at a real table, by an opponent: in the prompts that the model really got no line begins with it."""
    said = [
        entry for entry in hostile_strings(where="chat") if entry["at_input"] == "taken" and len(text_of(entry)) <= 500
    ]
    async with real_table(tmp_path) as table, asyncio.timeout(LONG_S):
        options = TableOptions(
            name="Talkative",
            kind=TableKind.AGENT,
            max_seats=3,
            small_blind_chips=10,
            big_blind_chips=20,
            min_buy_in_chips=400,
            max_buy_in_chips=2_000,
            created_by=UserId("u-host"),
            agent_chat=True,
        )
        url = table_url(table.page_url.rsplit("/tables/", 1)[0], await table.server.floor.create(options))
        heard = Heard()
        playing = asyncio.create_task(
            agent(table, "A", await table.token("A"), Mind(ScriptedModel(CALLS)), heard, 0, url).run()
        )
        other = await rival(table, "station", 1, url)
        async with connect(url, agent_token=await table.token("B")) as talker:
            await talker.sit(2, 1_000)
            rest, left = list(said), 2
            async for frame in talker:
                match frame:
                    case YourTurn(turn_id=turn_id, to_call=to_call):
                        await asyncio.sleep(0.1)  # fewer messages than a table bears
                        if rest:
                            await talker.chat(text_of(rest.pop()))
                        await talker.act(turn_id, ActionKind.CALL if to_call else ActionKind.CHECK)
                    case HandResult() if not rest:
                        left -= 1
                    case _:
                        pass
                if not left:
                    break
        await end(playing, other)
    headings = {"Table", "Previous Hands", "Table Talk", "State", "Actions", "Your Turn"}
    quoted = 0
    for turn in heard.finished:
        for prompt in prompts(turn):
            lines = prompt.split("\n")
            assert len(lines) == len(prompt.splitlines())
            assert {line[1:-1] for line in lines if line.startswith("[")} <= headings
            talk = [line for line in lines if " says " in line]
            assert all(line.startswith('seat 2 "B" says "') for line in talk)
            quoted += len(talk)
    assert quoted > 50


class Chaotic:
    """Answers, stalls, cuts off, errs and talks nonsense, as its dice say; the deadline is all that it is told of the clock."""

    provider = "chaos"
    name = "chaos-1"

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        lines: list[Any] = [
            *(CALLS, "I fold.", '{"action": "raise", "amount": 1e9}', '{"action": "bet"}', '{"action": "fold"'),
            *('{"action": "check"}', '{"action": "all_in", "amount": -5}', "x" * 300_000, "\ud83d\0", ""),
            *(RuntimeError("boom"), *CallOutcome, Reply((), not_asked=Fallback.BUDGET)),
        ]
        line = self._dice.choice(lines)
        if self._dice.random() < 0.02:
            await asyncio.sleep(3_600)
        outcome = CallOutcome.GARBLED if line is CallOutcome.ANSWERED else line
        return await ScriptedModel(outcome).ask(request, deadline)


async def test_no_model_makes_an_agent_miss_its_clock_break_a_rule_or_tell_its_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Three agents with models of every fault, with clocks of three seconds and no bank: no move was refused, and none was the table's."""
    caplog.set_level(logging.INFO, "railbird.agenthost")
    async with real_table(tmp_path) as table, asyncio.timeout(LONG_S):
        table_id = await table.server.floor.create(_short_clocks())
        url = table_url(table.page_url.rsplit("/tables/", 1)[0], table_id)
        heard, tokens = Heard(), [await table.token(name) for name in ("A", "B", "C")]
        minds = [Mind(Chaotic(seed)) for seed in range(3)]
        playing = [
            asyncio.create_task(agent(table, "ABC"[n], tokens[n], minds[n], heard, n, url).run()) for n in range(3)
        ]
        forced: list[PlayerAction] = []
        async with connect(url) as spectator:
            async for frame in spectator:
                if isinstance(frame, PlayerAction) and isinstance(frame.cause, str):
                    forced.append(frame)
                if len(heard.finished) >= 120:
                    break
        await end(*playing)
    assert forced == []
    assert [record.getMessage() for record in caplog.records if "refused" in record.getMessage()] == []
    kinds = {type(turn.outcome) for turn in heard.finished}
    assert kinds == {Decided, FellBack}
    recorded = b"".join(msgspec.json.encode((turn.messages, turn.knowledge)) for turn in heard.finished)
    assert not any(token.encode() in recorded or token in caplog.text for token in tokens)


def _short_clocks() -> TableOptions:
    return TableOptions(
        name="Hasty",
        kind=TableKind.AGENT,
        max_seats=3,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=2_000,
        created_by=UserId("u-host"),
        clocks=Clocks(turn_ms=3_000, time_bank_ms=0, refill_ms=0),
    )
