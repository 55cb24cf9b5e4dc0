"""Recording a turn of 20 KB: what it adds to the turn's path, what it costs in all, and how many a second; beside it, peers.

The turn is one of a language model's: an envelope of 13 KB that six agents have each for themselves, a remainder of 4 KB, knowledge of
2 KB, a request body that repeats the prompt, and a reply. The buffer is the product's own Valkey, with its append-only file. Peers get
the same prompt and reply, and what exports for them drops everything: they send nothing over a network, and ours is written.
What a record takes is measured on a real table's turns (`benchmarks.capture_table`).
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import json
import logging
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import uvloop
from redis.asyncio import Redis

from benchmarks.capture_table import Table, recorded_table
from benchmarks.measure import Figure, percentile
from capture.buffer.client import BufferClient
from capture.buffer.writer import BufferSettings, BufferWriter
from capture.entry import EntryMaker
from capture.envelope import EnvelopeHasher, join
from capture.record import Call, CallOutcome, Decided, FinishedTurn, Move, Prompt, Purpose, TurnKey
from capture.recorder import Recorder, RecorderSettings
from capture.redaction import Redactor
from policy.ids import ActionIndex, AgentId, AgentVersionId, HandNumber, TableId
from railbird.embedded import valkey
from railbird.interpreter import tuned

AGENTS: Final = 6
ENVELOPE_BYTES: Final = 13_000
REMAINDER_BYTES: Final = 4_000
TABLE_TURNS: Final = 1_000
TURNS_A_HAND: Final = 24

_WORDS: Final = (
    "raise", "fold", "check", "call", "the", "player", "with", "pot", "stack", "river", "turn", "flop", "As", "Td", "Kh", "seat",
    "position", "range", "equity", "bluff", "value", "bet", "blind", "button", "small", "big", "chips", "hand", "would", "not",
    "often", "when", "board", "pairs", "against", "three", "opponents", "who", "limp",
)  # fmt: skip
_ON_PATH: Final = "us p99"
_IN_ALL: Final = "us CPU"
_RATE: Final = "turns/s"


def run(seconds: float) -> tuple[str, Sequence[Figure]]:
    """A title and the figures; `seconds` for each thing measured, more or less."""
    turns = [_turn(number) for number in range(TABLE_TURNS)]
    return "Capture: a turn of 20 KB", uvloop.run(_figures(seconds, turns))


async def _figures(seconds: float, turns: Sequence[FinishedTurn]) -> list[Figure]:
    """All of it, with the interpreter as the product runs it, for peers too."""
    count = max(2_000, int(seconds * 2_500))
    async with tuned():
        with tempfile.TemporaryDirectory() as folder, valkey.running(Path(folder)) as server:
            ours = await _recorded(server.url, turns, count)
            table = await recorded_table(server.url)
            plain = await _plain_pipeline(server.url, count // 4)
        dead = await _dead(turns, count)
        otel, langfuse = _opentelemetry(seconds), _langfuse(seconds)
    return [*_path(ours, dead, otel, langfuse), *_cost(ours, otel, langfuse, plain), *_dedup(table)]


@dataclass(slots=True)
class Measured:
    """`path_us`: of each turn, in order of length. `cpu_us`: of the whole process, a turn."""

    path_us: list[float] = field(default_factory=list)
    cpu_us: float | None = None
    turns_a_second: float | None = None
    note: str = ""

    @property
    def p99_us(self) -> float | None:
        """None where nothing was measured."""
        return percentile(self.path_us, 0.99) if self.path_us else None


def _path(ours: Measured, dead: Measured, otel: Measured, langfuse: Measured) -> list[Figure]:
    return [
        Figure("railbird: added to the turn's path", ours.p99_us, _ON_PATH, _quantiles(ours), higher=False),
        Figure("railbird: the same, the store is dead", dead.p99_us, _ON_PATH, _quantiles(dead), higher=False),
        Figure(
            "OpenTelemetry span, batch processor", otel.p99_us, _ON_PATH, otel.note or _quantiles(otel), higher=False
        ),
        Figure("Langfuse generation", langfuse.p99_us, _ON_PATH, langfuse.note or _quantiles(langfuse), higher=False),
    ]


def _cost(ours: Measured, otel: Measured, langfuse: Measured, plain: Measured) -> list[Figure]:
    return [
        Figure("railbird: redacted, hashed, written, in all", ours.cpu_us, _IN_ALL, ours.note, higher=False),
        Figure("OpenTelemetry, nothing exported", otel.cpu_us, _IN_ALL, higher=False),
        Figure("Langfuse, nothing exported", langfuse.cpu_us, _IN_ALL, higher=False),
        Figure("redis-py: 4 SET EX of 5 KB, nothing else", plain.cpu_us, _IN_ALL, "16 at once", higher=False),
        Figure("railbird: one process into one Valkey", ours.turns_a_second, _RATE),
        Figure("redis-py: 4 SET EX of 5 KB, nothing else", plain.turns_a_second, _RATE, "16 at once"),
    ]


def _dedup(table: Table) -> list[Figure]:
    stats = table.stats
    said = f"{stats.raw_bytes:,} bytes as {stats.stored_bytes:,}, {stats.turns:,} turns of a real table"
    beginnings = f"for {table.prompts} distinct beginnings of prompts"
    return [
        Figure("railbird: envelopes stored", stats.envelopes, "", beginnings, higher=False),
        Figure("railbird: stored bytes of the raw", 100 * stats.stored_share, "%", said, higher=False),
    ]


def _quantiles(measured: Measured) -> str:
    return f"p50 {percentile(measured.path_us, 0.5):.2f}, most {measured.path_us[-1]:,.0f}"


async def _recorded(url: str, turns: Sequence[FinishedTurn], count: int) -> Measured:
    """Turns as fast as they are taken, and each turn's path by itself."""
    with_room = RecorderSettings(most_turns=512)
    async with _recorder(url, with_room) as recorder:
        await _hand_over(recorder, turns[:256], 256)
        began, cpu = time.perf_counter(), time.process_time()
        path_us = await _hand_over(recorder, turns, count)
        await recorder.settled()
        spent, cpu = time.perf_counter() - began, time.process_time() - cpu
        assert recorder.counts.stored == count + 256, recorder.counts
    return Measured(sorted(path_us), 1e6 * cpu / count, count / spent)


async def _dead(turns: Sequence[FinishedTurn], count: int) -> Measured:
    """The same where nobody listens: held, and lost, and the path is no longer for it."""
    logging.getLogger("capture").setLevel(logging.ERROR)  # it would tell of the losses
    async with _recorder("unix:///nobody/listens/here", RecorderSettings(hold_s=0.05)) as recorder:
        path_us = []
        for begin in range(0, count, 50):
            path_us += await _hand_over(recorder, turns, 50, wait=False)
            await asyncio.sleep(0.001 if begin % 500 else 0.01)
    return Measured(sorted(path_us))


@asynccontextmanager
async def _recorder(url: str, settings: RecorderSettings) -> AsyncIterator[Recorder]:
    client = BufferClient(url)
    writer = BufferWriter(client, BufferSettings(), _wall_ms)
    async with Recorder(
        writer, EntryMaker(Redactor(bytes(32)), EnvelopeHasher()), time.monotonic, settings
    ) as recorder:
        yield recorder
    await client.close()


async def _hand_over(
    recorder: Recorder, turns: Sequence[FinishedTurn], count: int, *, wait: bool = True
) -> list[float]:
    """Each turn's path, in microseconds; lets the writer work when some wait."""
    path_us = []
    for number in range(count):
        turn = turns[number % len(turns)]
        began = time.perf_counter()
        recorder.turn_finished(turn)
        path_us.append(1e6 * (time.perf_counter() - began))
        while wait and number % 64 == 63 and recorder.counts.waiting >= 256:  # noqa: ASYNC110 - half of it is enough
            await asyncio.sleep(0.001)  # and not 0: to spin would be counted as our work
    return path_us


async def _plain_pipeline(url: str, count: int) -> Measured:
    """The least that redis-py can do with as many bytes: no indexes, no books, no encoding, and no batch."""
    async with Redis.from_url(url) as client:
        part = os.urandom(5_000)
        at_once = asyncio.Semaphore(16)

        async def one(number: int) -> None:
            async with at_once, client.pipeline(transaction=False) as pipeline:
                for name in ("knowledge", "prompt", "response", "decision"):
                    pipeline.set(f"plain:{number % 1000}:{name}", part, ex=60)
                await pipeline.execute()

        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(one(number) for number in range(count)))
        spent, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Measured(cpu_us=1e6 * cpu / count, turns_a_second=count / spent)


class _Drop:
    """An exporter that drops what it gets."""

    def export(self, spans: object) -> Any:
        return importlib.import_module("opentelemetry.sdk.trace.export").SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


def _opentelemetry(seconds: float) -> Measured:
    try:
        sdk: Any = importlib.import_module("opentelemetry.sdk.trace")
        export: Any = importlib.import_module("opentelemetry.sdk.trace.export")
    except ImportError:
        return Measured(note="opentelemetry-sdk is not installed")
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.BatchSpanProcessor(_Drop()))
    tracer = provider.get_tracer("benchmark")
    asked, said = _peers_texts()

    def span() -> None:
        with tracer.start_as_current_span("chat") as each:
            each.set_attribute("gen_ai.input.messages", asked)
            each.set_attribute("gen_ai.output.messages", said)
            each.set_attribute("gen_ai.request.model", "gpt-x")
            each.set_attribute("gen_ai.usage.input_tokens", 900)
            each.set_attribute("gen_ai.usage.output_tokens", 80)

    measured = _timed(span, int(seconds * 2_000), provider.force_flush)
    provider.shutdown()
    return measured


def _langfuse(seconds: float) -> Measured:
    try:
        langfuse: Any = importlib.import_module("langfuse")
    except ImportError:
        return Measured(note="langfuse is not installed")
    nowhere = "http://127.0.0.1:9"
    client = langfuse.Langfuse(public_key="pk-lf-x", secret_key="sk-lf-x", base_url=nowhere, span_exporter=_Drop())
    asked, said = _peers_texts()

    def generation() -> None:
        with client.start_as_current_observation(name="turn", as_type="generation", input=asked, model="gpt-x") as each:
            each.update(output=said, usage_details={"input": 900, "output": 80})

    measured = _timed(generation, int(seconds * 500), client.flush)
    client.shutdown()
    return measured


def _timed(work: Callable[[], None], count: int, flush: Callable[[], object]) -> Measured:
    for _ in range(100):
        work()
    flush()
    path_us, cpu = [], time.process_time()
    for _ in range(count):
        began = time.perf_counter()
        work()
        path_us.append(1e6 * (time.perf_counter() - began))
    flush()
    return Measured(sorted(path_us), 1e6 * (time.process_time() - cpu) / count)


def _peers_texts() -> tuple[str, str]:
    """What ours is given as prompt and completion."""
    (call,) = _decided(_turn(0)).calls
    return join(call.prompt.envelope, call.prompt.remainder).decode(), call.completion or ""


def _decided(turn: FinishedTurn) -> Decided:
    assert isinstance(turn.outcome, Decided)
    return turn.outcome


def _turn(number: int) -> FinishedTurn:
    """A turn of one of six agents at one table."""
    dice = random.Random(number)
    agent = number % AGENTS
    prompt = Prompt(_envelope(agent), _text(dice, REMAINDER_BYTES).encode())
    said = json.dumps({"reasoning": _text(dice, 700), "action": "call", "amount": None})
    request = {"model": "gpt-x", "messages": [{"role": "user", "content": join(*_parts(prompt)).decode()}], "seed": 7}
    reply = {"id": f"chatcmpl-{number}", "choices": [{"message": {"role": "assistant", "content": said}}]}
    call = Call(
        0, Purpose.DECISION, CallOutcome.ANSWERED, "openai", "gpt-x", prompt, json.dumps(request).encode(),
        json.dumps(reply).encode(), said, "stop", 4_300, 180, Decimal("0.00123"), 900,
    )  # fmt: skip
    left = (
        {"type": "agent_thought", "turnId": "t", "text": _text(dice, 200)},
        {"type": "action", "turnId": "t", "action": "call"},
    )
    return FinishedTurn(
        key=TurnKey(
            AgentId(f"agent-{agent}"), TableId("table-1"), HandNumber(1 + number // TURNS_A_HAND),
            ActionIndex(number % TURNS_A_HAND),
        ),
        agent_version_id=AgentVersionId("v1"), at_us=1_700_000_000_000_000 + number, knowledge=_knowledge(dice),
        messages=tuple(json.dumps(each).encode() for each in left), prompt_version="1", temperature=0.7, seed=7,
        max_tokens=600, history_gap=False, latency_ms=950,
        outcome=Decided((call,), 0, Move("call"), Move("call")),
    )  # fmt: skip


def _parts(prompt: Prompt) -> tuple[bytes, bytes]:
    return prompt.envelope, prompt.remainder


@functools.cache
def _envelope(agent: int) -> bytes:
    """Base prompt, strategy and skills: the same bytes each time, as a prompt builder has them."""
    return _text(random.Random(f"agent {agent}"), ENVELOPE_BYTES).encode()


def _knowledge(dice: random.Random) -> dict[str, object]:
    actions = [
        {"seat": dice.randrange(6), "action": dice.choice(("call", "raise", "fold")), "amount": dice.randrange(400)}
        for _ in range(18)
    ]
    return {"board": ["As", "Td", "2c"], "pot": dice.randrange(900), "actions": actions, "hands": [_text(dice, 400)]}


def _text(dice: random.Random, length: int) -> str:
    """Words and numbers, line by line."""
    said = ""
    while len(said) < length:
        said += " ".join(f"{dice.choice(_WORDS)} {dice.randrange(500)}" for _ in range(8)) + "\n"
    return said[:length]


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
