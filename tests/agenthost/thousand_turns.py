"""`python -m tests.agenthost.thousand_turns`: agents play against a provider that misbehaves, and what came of it is counted.

Three things must not be: a turn that the table's clock ended, an action that the table refused, a credential that leaked. Who says so
is not the agents: a spectator of each table sees the clock's moves, and the table's refusals are in what agents were answered.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import re
import socket
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import UNSET

from capture.hooks import MessageSent, TurnStarted
from capture.record import Decided, FinishedTurn
from gameserver.floor.settings import FloorSettings
from gameserver.identity.issue import issue_agent_token
from gameserver.identity.key_files import init_keys
from gameserver.identity.keys import KeyUse, SigningKey
from gameserver.table.options import Clocks, TableOptions
from policy.ids import AgentId, AgentVersionId, UserId
from policy.table_kind import TableKind
from railbird.agenthost.mind import Mind
from railbird.agenthost.models import complaints
from railbird.agenthost.models.endpoint import ApiKey, Endpoint
from railbird.agenthost.models.shelf import Shelf
from railbird.agenthost.observers import Observers
from railbird.agenthost.seats.player import AgentPlayer
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.turns.pace import Pace
from railbird.app import Server, Setup, opened
from railbird.client import PlayerAction, connect, table_url
from railbird.serving import served
from tests.agenthost.misbehaving import misbehaves
from tests.agenthost.models.provider import Provider, Script, provider

SEATS: Final = 3
MARKER: Final = "marker9c41"
"""In every key; tokens are looked for as they are."""


@dataclass(slots=True)
class Count:
    """What was heard and seen. `wanted`: turns; `enough`: when so many have ended. `clock`: moves that the clock made.

    `longest_lag_s`: by how much the loop was late at worst: a machine that is busy with something else ends turns, too.
    """

    wanted: int
    turns: list[FinishedTurn] = field(default_factory=list)
    clock: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    moves_seen: int = 0
    longest_lag_s: float = 0.0
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    def turn_started(self, event: TurnStarted, /) -> None:
        pass

    def message_sent(self, event: MessageSent, /) -> None:
        pass

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        if not self.enough.is_set():  # those that are given up at the end do not count
            self.turns.append(turn)
        if len(self.turns) >= self.wanted:
            self.enough.set()

    def problems(self) -> list[str]:
        """What must not be; empty when all is well."""
        return [
            *(f"the clock ended a turn: {each}" for each in self.clock),
            *(f"the table refused something: {each}" for each in self.refused),
            *(f"a credential leaked: {each}" for each in self.leaks),
        ]


class _Refusals(logging.Handler):
    """The agents' own log says what the table refused."""

    def __init__(self, count: Count, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._count = count
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        self._lines.append(line)
        of_the_table = record.name != complaints.__name__
        if of_the_table and ("refused" in line or "dropped" in line or "unforeseen" in line or "failed" in line):
            self._count.refused.append(line)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is played. `upstream`: how the provider behaves, `None`: badly, in every way. `time_bank_ms`: beyond a turn's clock."""

    turns: int
    tables: int
    turn_ms: int
    time_bank_ms: int
    seed: int = 7
    pace: Pace = Pace(least_ms=0)  # noqa: RUF009 - frozen
    upstream: Script | None = None


async def play(wanted: Wanted, folder: Path) -> Count:
    """So many turns, counted over all tables."""
    count, lines = Count(wanted.turns), list[str]()
    handler = _Refusals(count, lines)
    logger = logging.getLogger("railbird.agenthost")
    logger.addHandler(handler)
    before = logger.level
    logger.setLevel(logging.INFO)
    rng = random.Random(wanted.seed)
    tokens: list[str] = []
    try:
        async with (
            provider(wanted.upstream or misbehaves(rng)) as upstream,
            Shelf(rng) as shelf,
            _server(folder) as (server, address, signing),
            asyncio.TaskGroup() as tasks,
        ):
            running = [tasks.create_task(_measure_lag(count))]
            shelf.model(Endpoint(upstream.base_url, "warm"))  # an SDK is imported before anybody plays
            for number in range(wanted.tables):
                table_id = await server.floor.create(_options(number, wanted))
                url = table_url(address, table_id)
                running.append(tasks.create_task(_watch(url, count)))
                for seat in range(SEATS):
                    token = await _token(server, signing, f"{number}-{seat}")
                    tokens.append(token)
                    player = _player(wanted, url, f"{number}-{seat}", seat, token, shelf, upstream, count)
                    running.append(tasks.create_task(player.run()))
            await count.enough.wait()
            for task in running:
                task.cancel()
        _look_for_credentials(count, upstream, tokens, lines)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    return count


def _player(
    wanted: Wanted, url: str, name: str, seat: int, token: str, shelf: Shelf, upstream: Provider, count: Count
) -> AgentPlayer:
    endpoint = Endpoint(upstream.base_url, "tiny-1", key=ApiKey(f"sk-{MARKER}-{name}"))
    return AgentPlayer(
        url,
        agent_id=AgentId(f"a-{name}"),
        mind=Mind(shelf.model(endpoint), max_tokens=300),
        agent_token=_fixed(token),
        seating=Seating(400, seat),
        rng=random.Random(wanted.seed + seat),
        observers=Observers([count]),
        pace=wanted.pace,
    )


def _fixed(token: str) -> Callable[[], Awaitable[str]]:
    async def source() -> str:
        return token

    return source


async def _measure_lag(count: Count) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + 0.01
        await asyncio.sleep(0.01)
        count.longest_lag_s = max(count.longest_lag_s, loop.time() - due)


async def _watch(url: str, count: Count) -> None:
    """A spectator: it sees which moves the clock made."""
    async with connect(url) as spectator:
        async for frame in spectator:
            if isinstance(frame, PlayerAction):
                count.moves_seen += not frame.forced
                if frame.cause is not UNSET:
                    count.clock.append(f"{frame.cause} at action {frame.action_index} of hand {frame.hand_number}")
            if MARKER in repr(frame):
                count.leaks.append("a key in a frame to spectators")


def _look_for_credentials(count: Count, upstream: Provider, tokens: list[str], lines: list[str]) -> None:
    """In records, in what left for the table, in the log, and in what the provider was told."""
    credential = re.compile("|".join(re.escape(each) for each in (MARKER, *tokens)))
    count.leaks += [f"in the record of {turn.key}" for turn in count.turns if credential.search(repr(turn))]
    for asked in upstream.asked:
        headers = {name: value for name, value in asked.headers.items() if name != "authorization"}
        if credential.search(asked.body.decode() + repr(headers)):
            count.leaks.append("in a question to the provider")
    count.leaks += ["in the log" for line in lines if credential.search(line)]


# --- the tables -------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _server(folder: Path) -> AsyncIterator[tuple[Server, str, SigningKey]]:
    keys = init_keys(folder / "keys", now_s=int(time.time()))
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    setup = Setup(
        database_url=f"sqlite:///{folder / 'railbird.sqlite'}",
        keys=keys.ring,
        origins=(address,),
        floor=FloorSettings(hand_gap_ms=0),
        grace_ms=2_000,
        starting_chips=10_000_000,
    )
    with listener:
        async with opened(setup) as server, served(server, listener):
            yield server, address, keys.signing[KeyUse.AGENT]


async def _token(server: Server, signing: SigningKey, name: str) -> str:
    agent_id, owner, version = AgentId(f"a-{name}"), UserId(f"u-{name}"), AgentVersionId(f"v-{name}")
    await server.people.create_agent(agent_id, f"Agent {name}", owner)
    await server.people.publish_version(agent_id, version, b"{}")
    return issue_agent_token(
        signing,
        agent_id=agent_id,
        owner=owner,
        version_id=version,
        token_id=f"t-{name}",
        now_s=int(time.time()),
        life_s=6 * 3_600,
    )


def _options(number: int, wanted: Wanted) -> TableOptions:
    return TableOptions(
        name=f"Table {number}",
        kind=TableKind.AGENT,
        max_seats=SEATS,
        small_blind_chips=10,
        big_blind_chips=20,
        min_buy_in_chips=400,
        max_buy_in_chips=2_000,
        created_by=UserId("u-host"),
        clocks=Clocks(turn_ms=wanted.turn_ms, time_bank_ms=wanted.time_bank_ms),
    )


# --- what came of it --------------------------------------------------------------------------------------------------------


def report(count: Count, turn_ms: int) -> Iterator[str]:
    """Lines for people."""
    decided = [turn.outcome for turn in count.turns if isinstance(turn.outcome, Decided)]
    reasons = Counter(turn.outcome.reason for turn in count.turns if not isinstance(turn.outcome, Decided))
    calls = [call for turn in count.turns for call in turn.outcome.calls]
    latencies = sorted(turn.latency_ms for turn in count.turns)
    yield f"{len(count.turns)} turns, {len(calls)} calls; {count.moves_seen} moves seen by spectators"
    yield f"decided by the model {len(decided)}, of these made legal by the clamp {sum(d.why is not None for d in decided)}"
    yield "fallbacks " + ", ".join(f"{reason} {number}" for reason, number in reasons.most_common())
    yield "calls " + ", ".join(f"{o.value} {n}" for o, n in Counter(call.outcome for call in calls).most_common())
    yield f"milliseconds to a reply: median {statistics.median(latencies):.0f}, longest {latencies[-1]} of {turn_ms}"
    yield f"this process was late by {count.longest_lag_s * 1000:.0f} ms at worst"
    yield f"ended by the clock {len(count.clock)}, refused by the table {len(count.refused)}, leaks {len(count.leaks)}"


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.agenthost.thousand_turns", description=__doc__)
    asked.add_argument("--turns", type=int, default=1_000)
    asked.add_argument("--tables", type=int, default=20)
    asked.add_argument("--turn-ms", type=int, default=5_000)
    asked.add_argument(
        "--time-bank-ms", type=int, default=0, help="what a turn may take beyond its clock (default: nothing)"
    )
    asked.add_argument("--seed", type=int, default=7)
    chosen = asked.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="railbird-turns-") as folder:
        wanted = Wanted(chosen.turns, chosen.tables, chosen.turn_ms, chosen.time_bank_ms, chosen.seed)
        count = asyncio.run(play(wanted, Path(folder)))
    print("\n".join(report(count, chosen.turn_ms)))
    problems = count.problems()
    print("\n".join([*problems[:20], f"{time.monotonic() - began:.0f} s, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
