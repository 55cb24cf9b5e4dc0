"""The example of the documentation, as its reader runs it: a program of its own."""

from __future__ import annotations

import asyncio
import os
import sys

from gameserver.wire.messages import Action, ActionKind, Enter, Rebuy, Sit
from tests.client.fake_table import Visitor, fake_table
from tests.client.frames import seat, snapshot, state, turn
from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "bot.py"


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
        environment = {"RAILBIRD_URL": table.url, "RAILBIRD_AGENT_TOKEN": "token", "PYTHONPATH": str(ROOT)}
        bot = await asyncio.create_subprocess_exec(
            sys.executable,
            "-W",
            "error",
            str(EXAMPLE),
            env={"PATH": os.environ["PATH"], **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await bot.communicate()
    assert (bot.returncode, errors.decode()) == (0, "")
    assert out.decode() == "at the table, hand 1\n"


def test_the_example_is_short() -> None:
    """A newcomer reads it in a minute."""
    assert len(EXAMPLE.read_text().splitlines()) <= 45
