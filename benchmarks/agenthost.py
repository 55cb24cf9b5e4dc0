"""The agent host's own time in a turn, with 204 agents in one process, each with its own socket to a real server.

A turn's own time is all of it but the model and the least time of a turn: from when the request to act was read from the socket to when
the model is asked (memory frozen, context and prompt built), from its reply to when the decision is written to the socket (parsed,
clamped, thought and decision out), and from when the move is due to when it is written. Waiting for the event loop behind other agents is
in it, since that is what 200 agents cost each other. The way over the socket and the server are not in it.

The server is another process on the same cores. The model is a stand-in that waits and says a line, since it is what is left out.
Beside the times: the size of the prompts in both forms, of the hands that were really played.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import resource
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.agenthost_server import BUY_IN_CHIPS, SEATS
from benchmarks.measure import Figure, percentile
from capture.envelope import join
from capture.hooks import MessageSent, TurnStarted
from capture.record import Call, CallOutcome, Decided, FinishedTurn
from policy.ids import AgentId
from railbird.agenthost.knowledge.form import Form
from railbird.agenthost.knowledge.memory import TurnKnowledge
from railbird.agenthost.knowledge.prompt import Instructions, build_prompt
from railbird.agenthost.knowledge.turn_context import build_turn_context
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.port import ModelRequest, Reply
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.client import Frame, YourTurn, table_url
from railbird.interpreter import tuned

TABLES: Final = 34
AGENTS: Final = TABLES * SEATS
_STARTED_WITHIN_S: Final = 60.0
_INSTRUCTIONS: Final = Instructions("Play tight before the flop, and bet what is good. " * 12)
_PIECE: Final = re.compile(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+")


@dataclass(frozen=True, slots=True)
class Load:
    """`least_ms`: of a turn. `model_s`: least and most that the model waits."""

    name: str
    least_ms: int
    model_s: tuple[float, float]


LOADS: Final = (
    Load("as fast as they can", 0, (0.10, 0.30)),
    Load("at MIN_TURN_MS 800", 800, (0.30, 3.00)),
)


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; three times `seconds` by the clock for each load."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * AGENTS)), hard))
    figures = asyncio.run(_run(max(5.0, seconds * 3)))
    return f"Hosted agents: the host's own time in a turn, {AGENTS} agents at {TABLES} tables, server apart", figures


async def _run(seconds: float) -> list[Figure]:
    figures: list[Figure] = []
    async with tuned(), table_server(TABLES) as told:
        for load in LOADS:
            timed = await _play(told, load, seconds)
            figures += _figures(load, timed)
    return figures + _sizes(timed)


# --- what is timed ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Seat:
    """The timer of one seat: a source of its memory, its model, and a listener to its turns. Seconds of `perf_counter`."""

    load: Load
    rng: random.Random
    timed: Timed
    name: str = "timer"
    heading: str = "Timer"
    provider: str = "stand-in"
    read_at: float = 0.0
    started_at: float = 0.0
    before_s: float = 0.0
    replied_at: float = 0.0
    told_s: float = 0.0

    # As a source it knows nothing; it hears each frame when it was read.
    def take(self, frame: Frame) -> None:
        if isinstance(frame, YourTurn):
            self.read_at = time.perf_counter()

    def freeze(self) -> None:
        return None

    def lines(self, known: None, form: Form, /) -> Iterable[str]:
        return ()

    async def ask(self, request: ModelRequest, deadline: float) -> Reply:
        self.before_s = time.perf_counter() - self.read_at
        await asyncio.sleep(self.rng.uniform(*self.load.model_s))
        call = _answered(request, self.rng)
        self.replied_at = time.perf_counter()
        return Reply((call,))

    def turn_started(self, event: TurnStarted, /) -> None:
        self.started_at = time.perf_counter()

    def message_sent(self, event: MessageSent, /) -> None:
        now = time.perf_counter()
        if b'"agent_decision"' in event.message:
            self.told_s = now - self.replied_at
        elif b'"action"' in event.message[:40]:
            due = max(self.started_at + self.load.least_ms / 1_000, self.replied_at + self.told_s)
            self.timed.own_ms.append((self.before_s + self.told_s + now - due) * 1_000)
            self.timed.before_ms.append(self.before_s * 1_000)
            self.timed.told_ms.append(self.told_s * 1_000)

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        self.timed.turns += 1
        self.timed.decided += isinstance(turn.outcome, Decided)


@dataclass(slots=True)
class Timed:
    """What was measured under one load. `knowledge`: of the turn of an agent of each table, the last one."""

    own_ms: list[float] = field(default_factory=list)
    before_ms: list[float] = field(default_factory=list)
    told_ms: list[float] = field(default_factory=list)
    turns: int = 0
    decided: int = 0
    cpu: float = 0.0
    seconds: float = 0.0
    knowledge: list[TurnKnowledge] = field(default_factory=list)


def _answered(request: ModelRequest, rng: random.Random) -> Call:
    word = rng.choice(("call", "call", "check", "fold", "raise"))
    completion = json.dumps({"reasoning": "It looks good enough to me. " * 8, "action": word, "amount": None})
    return Call(
        attempt=0,
        purpose=request.purpose,
        outcome=CallOutcome.ANSWERED,
        provider="stand-in",
        model="stand-in",
        prompt=request.prompt,
        request_body=b"",
        response_body=completion.encode(),
        completion=completion,
        finish_reason="stop",
        input_tokens=None,
        output_tokens=None,
        cost_usd=None,
        latency_ms=0,
    )


# --- the host -----------------------------------------------------------------------------------------------------------


async def _play(told: dict[str, Any], load: Load, seconds: float) -> Timed:
    timed = Timed()
    players = [_player(told["address"], each, load, timed) for each in told["seats"]]
    playing = [asyncio.create_task(player.run()) for player in players]
    print(f"  {load.name}: settling 5 s, then measuring {seconds:.0f} s ...", file=sys.stderr, flush=True)
    await asyncio.sleep(5.0)
    for values in (timed.own_ms, timed.before_ms, timed.told_ms):
        values.clear()
    timed.turns = timed.decided = 0
    cpu_s, since = time.process_time(), time.monotonic()
    await asyncio.sleep(seconds)
    timed.seconds = time.monotonic() - since
    timed.cpu = (time.process_time() - cpu_s) / timed.seconds
    for values in (timed.own_ms, timed.before_ms, timed.told_ms):
        values.sort()
    turns, decided = timed.turns, timed.decided  # before those that are given up now
    timed.knowledge = [player.memory.freeze(_a_turn(told["seats"][0]["table"])) for player in players]
    for task in playing:
        task.cancel()
    ended = await asyncio.gather(*playing, return_exceptions=True)
    failed = [str(each) for each in ended if not isinstance(each, asyncio.CancelledError) and each is not None]
    timed.turns, timed.decided = turns, decided
    if failed:
        print(f"  {len(failed)} agents ended early: {failed[0]}", file=sys.stderr)
    return timed


def _player(address: str, seat: dict[str, Any], load: Load, timed: Timed) -> AgentPlayer:
    rng = random.Random(seat["agent"])
    timer = Seat(load, rng, timed)
    return AgentPlayer(
        table_url(address, seat["table"]),
        agent_id=AgentId(seat["agent"]),
        mind=Mind(timer, _INSTRUCTIONS),
        agent_token=seat["token"],
        seating=Seating(BUY_IN_CHIPS, seat["seat"]),
        rng=rng,
        observers=Observers([timer]),
        pace=Pace(least_ms=load.least_ms, longest=1.0),
        more_memory=[timer],
    )


@contextlib.asynccontextmanager
async def table_server(tables: int) -> AsyncIterator[dict[str, Any]]:
    """A server in a process of its own, with so many tables; what it tells of them."""
    command = (sys.executable, "-m", "benchmarks.agenthost_server", str(tables))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=2**20)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_STARTED_WITHIN_S):
            told: dict[str, Any] = json.loads(await process.stdout.readline())
        yield told
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


# --- what is said -------------------------------------------------------------------------------------------------------


def _figures(load: Load, timed: Timed) -> list[Figure]:
    if not timed.own_ms:
        return [Figure(f"{load.name}: own time", None, "ms", "no turn was played", higher=False)]
    rate = (
        f"{timed.turns:,} turns, {timed.turns / timed.seconds:,.0f} a second, {timed.decided / timed.turns:.1%} decided"
    )
    cpu = f"{timed.cpu:.0%} of a core, {timed.cpu * timed.seconds / timed.turns * 1_000:.2f} ms of it a turn"
    own = timed.own_ms
    return [
        _ms(f"{load.name}: own time in a turn, median (goal 2)", percentile(own, 0.5), rate),
        _ms("  p99 (goal 10)", percentile(own, 0.99), cpu),
        _ms("  longest", own[-1]),
        _ms("  of it, request read to model asked, median", percentile(timed.before_ms, 0.5)),
        _ms("  of it, reply to decision written, median", percentile(timed.told_ms, 0.5)),
    ]


def _ms(name: str, value: float, note: str = "") -> Figure:
    return Figure(name, value, "ms", note, higher=False, has_peer=False)


def _sizes(timed: Timed) -> list[Figure]:
    """Words, digits by threes and marks are the pieces that usual tokenizers cut a text into first: tokens are no fewer."""
    texts = {form: [_prompt(each, form) for each in timed.knowledge] for form in Form}
    whole = [len(text) for text in texts[Form.COMPACT]]
    pieces = {form: sorted(len(_PIECE.findall(text)) for text in each) for form, each in texts.items()}
    bytes_ = {form: sorted(map(len, each)) for form, each in texts.items()}
    hands = sorted(_hands(each) for each in timed.knowledge)
    note = f"of {len(whole)} prompts, median {percentile(hands, 0.5):.0f} previous hands in each"
    return [
        Figure("prompt, compact form, median", percentile(bytes_[Form.COMPACT], 0.5), "bytes", note, higher=False),
        Figure("prompt, plain form, median", percentile(bytes_[Form.PLAIN], 0.5), "bytes", higher=False),
        Figure("prompt, compact form, median", percentile(pieces[Form.COMPACT], 0.5), "pieces", higher=False),
        Figure("prompt, plain form, median", percentile(pieces[Form.PLAIN], 0.5), "pieces", higher=False),
    ]


def _prompt(knowledge: TurnKnowledge, form: Form) -> str:
    prompt = build_prompt(_INSTRUCTIONS, build_turn_context(knowledge, form))
    return join(prompt.envelope, prompt.remainder).decode()


def _hands(knowledge: TurnKnowledge) -> int:
    hands = knowledge.as_record()["previousHands"]
    return len(hands) if isinstance(hands, tuple) else 0


def _a_turn(table_id: str) -> YourTurn:
    """What is asked, the same for all: the sizes are of what is known."""
    return YourTurn(
        seq=1,
        table_id=table_id,
        turn_id="turn",
        action_index=6,
        legal_actions=[],
        chip_range=None,
        to_call=20,
        turn_ends_at=0,
        time_bank_ms=0,
    )
