"""Start, look, play, kill; again and again."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from gameserver.store.engine import Database, database_url
from gameserver.store.stored import HandStatus
from policy.ids import TableId
from tests.conftest import ROOT
from tests.crash.books import Books
from tests.crash.marks import PHASES, Mark, Phase, Step

TABLES = 3
STARTS_WITHIN_S = 60.0
PLAYS_AT_MOST_S = 30.0
LEAST_OF_EACH_PHASE = 20
"""What a run of 300 kills has to have of each phase."""

AIMS: tuple[tuple[Step, float], ...] = ((Step.BEGIN, 0.004), (Step.BEGUN, 0.02), (Step.END, 0.004))
"""A kill comes after some time of play and the next such mark, and within so many seconds of it; where it hits, the marks say."""


@dataclass
class Report:
    """What was done and found."""

    phases: Counter[Phase] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    hands: Counter[HandStatus] = field(default_factory=Counter)
    chips: int = 0
    kills: int = 0


class Zygote:
    """The process that forks servers. `marks`: of the server that runs now, as they come."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.marks: list[Mark] = []
        self._process = process
        self._pid = 0
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._waiting: dict[Step, asyncio.Future[Mark]] = {}
        self._reading = asyncio.create_task(self._read())

    async def start(self, url: str, tables: int) -> None:
        """A server whose tables are open again; nobody plays yet."""
        assert self._process.stdin is not None
        self.marks = []
        self._process.stdin.write(f"{url} {tables}\n".encode())
        self._pid = int((await self.line("started ")).split()[1])
        await self.line("ready")

    def play(self) -> None:
        os.kill(self._pid, signal.SIGUSR1)

    async def next_mark(self, step: Step) -> Mark:
        """The next one of this step from now on, at any table."""
        self._waiting[step] = asyncio.get_running_loop().create_future()
        return await asyncio.wait_for(self._waiting[step], PLAYS_AT_MOST_S)

    async def kill(self) -> None:
        """kill -9, and every mark that was written before."""
        os.kill(self._pid, signal.SIGKILL)
        status = await self.line("dead ")
        self._pid = 0
        assert status == "dead -9", f"the server ended by itself: {status}"

    def step_of(self, table_id: TableId) -> Step:
        """Where a table is, or was when the server was killed."""
        return next(mark.step for mark in reversed(self.marks) if mark.table_id == table_id)

    async def line(self, beginning: str) -> str:
        """The next line that is no mark, which has to begin so."""
        line = await asyncio.wait_for(self._lines.get(), STARTS_WITHIN_S)
        assert line.startswith(beginning), f"{line!r} and not {beginning!r}"
        return line

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := (await self._process.stdout.readline()).decode().rstrip():
            if line.startswith("mark "):
                self._note(Mark.read(line.removeprefix("mark ")))
            else:
                self._lines.put_nowait(line)
        self._lines.put_nowait("the servers' process ended")

    def _note(self, mark: Mark) -> None:
        self.marks.append(mark)
        waiting = self._waiting.get(mark.step)
        if waiting is not None and not waiting.done():
            waiting.set_result(mark)

    async def end(self) -> None:
        """No further server, and none that runs still because something went wrong."""
        assert self._process.stdin is not None
        with suppress(ProcessLookupError):
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)
        self._process.stdin.close()
        await self._process.wait()
        await self._reading


@asynccontextmanager
async def zygote(home: Path) -> AsyncIterator[Zygote]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-W", "error", "-m", "tests.crash.server", str(home)),
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("RAILBIRD_")},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    found = Zygote(process)
    try:
        await found.line("loaded")
        yield found
    finally:
        await found.end()


async def run(url: str, home: Path, kills: int, seed: int, told: Callable[[int, Report], None]) -> Report:
    """So many kills, and one look more than kills. `told` hears of each."""
    dice, report = random.Random(seed), Report()
    database = Database(database_url(url))
    books = Books(database)
    try:
        async with zygote(home) as server:
            marks: list[Mark] = []
            for number in range(kills + 1):
                await server.start(url, TABLES)
                report.wrong += [f"after kill {number}: {each}" for each in await books.look(marks)]
                if number < kills:
                    await _play_and_kill(server, dice, report)
                    marks = server.marks
                    told(number + 1, report)
                else:
                    await server.kill()
    finally:
        await database.dispose()
    report.hands, report.chips = books.statuses, books.chips
    return report


async def _play_and_kill(server: Zygote, dice: random.Random, report: Report) -> None:
    server.play()
    await server.next_mark(Step.BEGUN)
    await asyncio.sleep(dice.uniform(0, 0.4))
    step, within_s = dice.choice(AIMS)
    mark = await server.next_mark(step)
    await asyncio.sleep(dice.uniform(0, within_s))
    await server.kill()
    report.kills += 1
    report.phases[PHASES[server.step_of(mark.table_id)]] += 1
