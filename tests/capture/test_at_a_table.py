"""Hosted agents at a real table, recorded: what they knew and said is what is read back, and a store that goes delays nobody."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from capture.captured import CapturedPrompt, CapturedTurn
from capture.hooks import TurnHooks
from capture.record import Decided, FinishedTurn
from capture.recorder import Recorder, RecorderSettings
from policy.ids import AgentId
from railbird.agenthost.mind import Mind
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from tests.agenthost.listening import Heard
from tests.agenthost.scripted import ScriptedModel
from tests.capture.buffers import Buffered, buffered, maker, wait_until
from tests.house.real_table import RealTable, real_table
from tests.live.valkey import OwnValkey

CALLS: Final = '{"reasoning": "I like to see it.", "action": "call", "amount": null}'
TURNS: Final = 40
BRIEF: Final = RecorderSettings(hold_s=0.1, first_pause_s=0.01, longest_pause_s=0.05)


@asynccontextmanager
async def playing(folder: Path, *hooks: TurnHooks) -> AsyncIterator[RealTable]:
    """Two agents that call each other down, until the end of the block."""
    async with real_table(folder, max_seats=2) as table:
        players = [await _player(table, f"P{seat}", seat, hooks) for seat in (0, 1)]
        tasks = [asyncio.create_task(player.run()) for player in players]
        try:
            yield table
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _player(table: RealTable, name: str, seat: int, hooks: tuple[TurnHooks, ...]) -> AgentPlayer:
    return AgentPlayer(
        table.url,
        agent_id=AgentId(f"a-{name}"),
        mind=Mind(ScriptedModel(CALLS)),
        agent_token=await table.token(name),
        seating=Seating(1_000, seat),
        rng=random.Random(seat),
        observers=Observers(hooks),
        pace=Pace(least_ms=0, speaks_from_ms=0),
    )


async def read_all(held: Buffered, finished: list[FinishedTurn]) -> dict[object, CapturedTurn]:
    """By key, hand by hand and agent by agent."""
    found: dict[object, CapturedTurn] = {}
    for agent_id, table_id, hand in {(each.key.agent_id, each.key.table_id, each.key.hand_number) for each in finished}:
        read = await held.buffer.hand(agent_id=agent_id, table_id=table_id, hand_number=hand)
        assert not read.missing
        found |= {each.key: each for each in read.turns}
    return found


def played(heard: Heard, turns: int) -> Callable[[], bool]:
    return lambda: len(heard.finished) >= turns


async def test_what_was_known_asked_said_and_sent_is_read_back(on_node: Buffered, tmp_path: Path) -> None:
    """All four parts of each turn, and one envelope for each beginning of a prompt. (F24, what was captured.)"""
    heard = Heard()
    async with Recorder(on_node.writer, maker(), time.monotonic) as recorder, playing(tmp_path, heard, recorder):
        await wait_until(played(heard, TURNS))
    made = {each.key: each for each in heard.finished if isinstance(each.outcome, Decided)}
    found = await read_all(on_node, heard.finished)
    assert found.keys() == made.keys() and len(made) >= TURNS - 2
    for key, turn in made.items():
        assert isinstance(turn.outcome, Decided)
        read, call = found[key], turn.outcome.calls[turn.outcome.deciding]
        assert not read.missing and (said := read.deciding_call) and isinstance(said.prompt, CapturedPrompt)
        assert read.knowledge == msgspec.json.encode(turn.knowledge)
        assert (said.prompt.envelope, said.prompt.remainder) == (call.prompt.envelope, call.prompt.remainder)
        assert said.prompt.is_whole and said.completion == call.completion == CALLS
        assert read.messages == turn.messages and read.sent == turn.outcome.sent
    envelopes = {call.prompt.envelope for turn in made.values() for call in turn.outcome.calls}
    assert (await on_node.buffer.stats()).envelopes == len(envelopes)


async def test_a_store_that_goes_and_comes_back_costs_no_agent_a_move(own_valkey: OwnValkey, tmp_path: Path) -> None:
    """Every turn is decided, before, while and after; the record lacks what it counts, and goes on by itself."""
    heard, held = Heard(), buffered(own_valkey.url)
    recording = Recorder(held.writer, maker(), time.monotonic, BRIEF)
    async with recording as recorder, playing(tmp_path, heard, recorder):
        await wait_until(played(heard, TURNS))
        await asyncio.to_thread(own_valkey.stop)
        gone_from = len(heard.finished)
        await wait_until(played(heard, gone_from + TURNS))
        await wait_until(lambda: sum(recorder.counts.lost.values()) > 0)
        await asyncio.to_thread(own_valkey.start)
        stored, back_from = recorder.counts.stored, len(heard.finished)
        await wait_until(lambda: recorder.counts.stored > stored)
        await wait_until(played(heard, back_from + TURNS))
    await held.client.close()
    counts = recorder.counts
    assert counts.decided == counts.stored + sum(counts.lost.values()) >= 3 * TURNS - 2
    fell_back = [turn.outcome for turn in heard.finished if not isinstance(turn.outcome, Decided)]
    assert len(fell_back) <= 2 and counts.fallbacks == len(fell_back)  # of the two that were given up at the end
