"""One fault after the other: a table, a bot, a proxy between them, and a verdict."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from railbird.checkbot.bot import Bot, running
from railbird.checkbot.diary import Diary
from railbird.checkbot.faults import FAULTS, Fault
from railbird.checkbot.practice import Practice, practice
from railbird.checkbot.proxy import proxy
from railbird.checkbot.verdict import STAYS_AWAY_S, Verdict, is_decided, judge

_LOOK_EVERY_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Check:
    """What is to be checked. `environment`: of the bot, from its table's address and its token.

    `patience_s`: how long the bot may take to begin, and then to show that it goes on. `at_once`: faults at the same time.
    """

    command: Sequence[str]
    environment: Callable[[str, str], Mapping[str, str]]
    faults: Sequence[str] = tuple(FAULTS)
    turn_ms: int = 5_000
    patience_s: float = 30.0
    at_once: int = 1


async def check_bot(check: Check) -> AsyncIterator[Verdict]:
    """The verdicts, in the order of the faults, each as soon as it is there."""
    with tempfile.TemporaryDirectory(prefix="railbird-check-") as folder:
        async with practice(Path(folder), turn_ms=check.turn_ms) as place:
            async for verdict in check_at(place, check):
                yield verdict


async def check_at(place: Practice, check: Check) -> AsyncIterator[Verdict]:
    """The same at a server that runs already; its `turn_ms` counts."""
    few = asyncio.Semaphore(check.at_once)
    trying = [
        asyncio.create_task(_try(check, place, FAULTS[name](place.longest_turn_ms), few)) for name in check.faults
    ]
    try:
        for each in trying:
            yield await each
    finally:
        for each in trying:
            each.cancel()
        await asyncio.wait(trying)


async def _try(check: Check, place: Practice, fault: Fault, few: asyncio.Semaphore) -> Verdict:
    diary = Diary()
    async with (
        few,
        place.table(fault.name) as table,
        proxy(table.url, fault, diary) as url,
        running(check.command, check.environment(url, table.token), table.token) as bot,
    ):
        await _until_shown(check, fault, diary, bot)
        return judge(fault, diary, exit_code=bot.exit_code, patience_s=check.patience_s, said=bot.last_lines())


async def _until_shown(check: Check, fault: Fault, diary: Diary, bot: Bot) -> None:
    """Until the bot has shown what it has to, has ended, or patience is at its end: once before the fault, once after it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(check.patience_s):
            while diary.struck_at is None and not is_decided(fault, diary) and bot.exit_code is None:
                await _look(diary)
    if diary.struck_at is None:
        return
    if fault.is_final:
        await asyncio.sleep(STAYS_AWAY_S)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(check.patience_s):
            while not is_decided(fault, diary) and bot.exit_code is None:
                await _look(diary)


async def _look(diary: Diary) -> None:
    """When something has changed, or a moment later: a process ends without a word."""
    diary.changed.clear()
    with suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_EVERY_S):
            await diary.changed.wait()
