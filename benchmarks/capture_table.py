"""A thousand turns of a real table, recorded: six hosted agents with an owner's strategy each, over sockets, and the buffer's own figures.

The server is another process; the model is a stand-in that answers at once. Prompts, knowledge and messages are the agent host's own.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.agenthost import table_server
from benchmarks.agenthost_server import BUY_IN_CHIPS
from capture.buffer.client import BufferClient
from capture.buffer.reader import Buffer, BufferStats
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher, join
from capture.record import Call, CallOutcome
from capture.recorder import Recorder
from capture.redaction import Redactor
from policy.ids import AgentId
from railbird.agenthost.knowledge.prompt import Instructions, Skill
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.client import table_url

TURNS: Final = 1_000
_PLAYED_WITHIN_S: Final = 120.0


@dataclass(slots=True)
class Table:
    """What was recorded. `prompts`: distinct beginnings that models were asked with."""

    stats: BufferStats
    prompts: int


async def recorded_table(redis_url: str) -> Table:
    """Plays until TURNS turns are recorded, in an empty buffer."""
    client = BufferClient(redis_url)
    buffer = Buffer(client, _wall_ms)
    await buffer.purge()
    writer = BufferWriter(client, BufferSettings(), _wall_ms)
    maker = EntryMaker(Redactor(bytes(32)), EnvelopeHasher())
    asked: set[bytes] = set()
    async with table_server(1) as told, Recorder(writer, maker, time.monotonic) as recorder:
        players = [_player(told["address"], seat, recorder, asked) for seat in told["seats"]]
        playing = [asyncio.create_task(player.run()) for player in players]
        async with asyncio.timeout(_PLAYED_WITHIN_S):
            while recorder.counts.decided < TURNS:  # noqa: ASYNC110 - what is waited for is what the players do
                await asyncio.sleep(0.05)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await recorder.settled()
        stats = await buffer.stats()
    await buffer.purge()
    await client.close()
    return Table(stats, len(asked))


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A model that answers at once."""

    rng: random.Random
    asked: set[bytes]
    provider: str = "stand-in"
    name: str = "stand-in"

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        self.asked.add(request.prompt.envelope)
        await asyncio.sleep(0.001)
        return Reply((_answered(request, self.rng),))


def _answered(request: ModelRequest, rng: random.Random) -> Call:
    """As a provider answers: with both bodies."""
    prompt = request.prompt
    action = rng.choice(("call", "call", "check", "fold", "raise"))
    why = " ".join(rng.choices(_SAID, k=9))
    completion = json.dumps({"reasoning": why, "action": action, "amount": None})
    content = join(prompt.envelope, prompt.remainder).decode()
    reply = {"id": f"chatcmpl-{rng.random()}", "choices": [{"message": {"role": "assistant", "content": completion}}]}
    return Call(
        attempt=0,
        purpose=request.purpose,
        outcome=CallOutcome.ANSWERED,
        provider="stand-in",
        model="stand-in",
        prompt=prompt,
        request_body=json.dumps({"model": "m", "messages": [{"role": "user", "content": content}]}).encode(),
        response_body=json.dumps(reply).encode(),
        completion=completion,
        finish_reason="stop",
        input_tokens=2_000,
        output_tokens=90,
        cost_usd=None,
        latency_ms=1,
    )


def _player(address: str, seat: dict[str, Any], recorder: Recorder, asked: set[bytes]) -> AgentPlayer:
    rng = random.Random(seat["agent"])
    return AgentPlayer(
        table_url(address, seat["table"]),
        agent_id=AgentId(seat["agent"]),
        mind=Mind(_StandIn(rng, asked), _instructions(rng)),
        agent_token=seat["token"],
        seating=Seating(BUY_IN_CHIPS, seat["seat"]),
        rng=rng,
        observers=Observers([recorder]),
        pace=Pace(least_ms=0, longest=1.0),
    )


def _instructions(rng: random.Random) -> Instructions:
    """A page of an owner's own, and two skills of half a page."""
    return Instructions(
        strategy="\n".join(" ".join(rng.choices(_TOLD, k=4)) for _ in range(14)),
        skills=tuple(Skill(name, " ".join(rng.choices(_TOLD, k=18))) for name in ("Bluffs", "Short stacks")),
    )


_SAID: Final = (
    "The price is good.", "He raises wide from there.", "My kicker is weak.", "The board helps my range.", "I have position.",
    "A bigger bet folds out worse.", "I block the nut flush.", "The pot is large for my stack.", "They have called too often.",
)  # fmt: skip

_TOLD: Final = (
    "Open two and a half big blinds from late position.", "Fold small pairs to a raise when stacks are short.",
    "Bet a third of the pot on dry boards.", "Call with a draw when the price is right.", "Do not bluff who never folds.",
    "Raise for value with two pair and better.", "Give up on the turn without equity.", "Defend the big blind wide heads-up.",
    "Keep the pot small with one pair.", "Watch who limps, and isolate them.", "Bet the river when draws have missed.",
)  # fmt: skip


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
