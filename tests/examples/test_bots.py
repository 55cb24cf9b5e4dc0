"""The examples of the documentation, as their readers run them: programs of their own."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from gameserver.wire.messages import Action, ActionKind, Enter, Rebuy, Sit
from policy.ids import AgentId
from railbird.agenthost.house import STYLES, house_player
from railbird.client import HandResult, connect
from tests.client.fake_table import Visitor, fake_table
from tests.client.frames import seat, snapshot, state, turn
from tests.conftest import ROOT
from tests.house.real_table import real_table

EXAMPLES: Final = ROOT / "examples"


async def test_the_example_bot_plays() -> None:
    """It enters, sits on a free seat, checks, calls what is cheap, folds what is not, and buys in again."""

    async def script(visitor: Visitor) -> None:
        assert await visitor.hear() == Enter(agent_token="token")
        others = [seat(0, "Ada")]
        await visitor.say(snapshot(state(others)))
        sat = await visitor.ack()
        assert isinstance(sat, Sit) and (sat.seat, sat.buy_in) == (1, 400)
        ours = [*others, seat(1, "Bot", 400)]
        await visitor.say(snapshot(state(ours, your_seat=1), epoch="seat"))
        moves = []
        for number, to_call in enumerate((0, 100, 101), start=1):
            await visitor.say(turn(f"turn-{number}", seq=number, to_call=to_call))
            moves.append(await visitor.ack())
        assert [move.action for move in moves if isinstance(move, Action)] == [
            ActionKind.CHECK,
            ActionKind.CALL,
            ActionKind.FOLD,
        ]
        broke = [*others, seat(1, "Bot", 0, status="no_chips")]
        await visitor.say(state(broke, seq=4, your_seat=1))
        rebuy = await visitor.ack()
        assert isinstance(rebuy, Rebuy) and rebuy.amount == 400
        await visitor.close(1000)

    async with fake_table(script) as table, asyncio.timeout(30):
        bot = await started(python_bot(), table.url, "token")
        out, errors = await bot.communicate()
    assert (bot.returncode, errors.decode()) == (0, "")
    assert out.decode() == "at the table, hand 1\n"


@pytest.mark.parametrize("which", ["python", "javascript"])
async def test_the_example_bot_plays_at_a_real_table(which: str, tmp_path: Path) -> None:
    """Ten hands against a house player, without a word of complaint."""
    command = BOTS[which]()
    async with real_table(tmp_path, max_seats=2) as table, asyncio.timeout(60):
        bot = await started(command, table.url, await table.token("bot"))
        rival = house_player(
            table.url,
            agent_id=AgentId("a-rival"),
            agent_token=await table.token("rival"),
            style=STYLES["mathematician"],
            rng=random.Random(1),
            buy_in_chips=2_000,
            min_turn_ms=0,
        )
        playing = asyncio.create_task(rival.run())
        ended = 0
        async with connect(table.url) as spectator:
            async for frame in spectator:
                ended += isinstance(frame, HandResult)
                if ended == 10:
                    break
        bot.terminate()
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
        out, errors = await bot.communicate()
    said = [line for line in out.decode().splitlines() if not line.startswith("at the table, hand ")]
    assert (
        said,
        [line for line in errors.decode().splitlines() if "Warning" not in line and "trace-warn" not in line],
    ) == ([], [])


@pytest.mark.parametrize("which", ["python", "javascript"])
async def test_the_example_bot_says_what_it_needs(which: str) -> None:
    """Without its two variables it ends with 1, and says which they are in a line."""
    bot = await asyncio.create_subprocess_exec(
        *BOTS[which](), env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(30):
        _, errors = await bot.communicate()
    said = [line for line in errors.decode().splitlines() if "Warning" not in line and "trace-warn" not in line]
    assert bot.returncode == 1
    assert said == ["Set RAILBIRD_URL and RAILBIRD_AGENT_TOKEN: docs/first-steps/bot-author.md says how."]


@pytest.mark.parametrize("which", ["python", "javascript"])
async def test_the_example_bot_says_why_it_was_sent_away(which: str) -> None:
    """A token that is no good ends it with 1 and a line that tells so, without a traceback."""

    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.close(4401)

    async with fake_table(script) as table, asyncio.timeout(30):
        bot = await started(BOTS[which](), table.url, "token")
        _, errors = await bot.communicate()
    said = [line for line in errors.decode().splitlines() if "Warning" not in line and "trace-warn" not in line]
    assert bot.returncode == 1
    assert len(said) == 1 and "4401" in said[0]


async def test_ctrl_c_ends_the_example_bot_without_a_traceback() -> None:
    """SIGINT is how people stop it."""
    entered = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await visitor.hear()
        await visitor.say(snapshot(state([seat(0, "Bot", 400)], your_seat=0), epoch="seat"))
        entered.set()
        await visitor.until_gone()

    async with fake_table(script) as table, asyncio.timeout(30):
        bot = await started(python_bot(), table.url, "token")
        await entered.wait()
        bot.send_signal(signal.SIGINT)
        _, errors = await bot.communicate()
    assert (bot.returncode, errors.decode()) == (130, "")


def python_bot() -> list[str]:
    """The command of the example in Python."""
    return [sys.executable, "-W", "error", str(EXAMPLES / "bot.py")]


def javascript_bot() -> list[str]:
    """The command of the example in JavaScript, for the Node that is here; skips where there is none that has a WebSocket."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the PATH: the example in JavaScript cannot run")
    for flags in ([], ["--experimental-websocket"]):
        has_one = "process.exit(typeof WebSocket === 'function' ? 0 : 1)"
        if subprocess.run([node, *flags, "-e", has_one], capture_output=True, check=False).returncode == 0:
            return [node, *flags, str(EXAMPLES / "bot.mjs")]
    pytest.skip("this node has no WebSocket: 20 (with a flag), 22 or newer is needed")


BOTS: Final[Mapping[str, Callable[[], list[str]]]] = {"python": python_bot, "javascript": javascript_bot}


async def started(command: list[str], url: str, token: str) -> asyncio.subprocess.Process:
    environment = {
        "RAILBIRD_URL": url,
        "RAILBIRD_AGENT_TOKEN": token,
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
    }
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, env=environment, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize(("name", "most_lines"), [("bot.py", 50), ("bot.mjs", 60)])
def test_the_example_is_short(name: str, most_lines: int) -> None:
    """A newcomer reads it in a minute."""
    assert len((EXAMPLES / name).read_text().splitlines()) <= most_lines


def test_the_example_in_javascript_needs_no_package() -> None:
    """It imports nothing."""
    text = (EXAMPLES / "bot.mjs").read_text()
    assert "import " not in text and "require(" not in text
