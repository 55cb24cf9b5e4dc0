"""`railbird check-bot`: plays somebody's bot through what can go wrong."""

from __future__ import annotations

import asyncio
import shutil
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.console import Console

from railbird.checkbot import FAULTS, Check, Verdict, check_bot
from railbird.commands.answer import AsJson, Exit, UsedWrongly, say, say_json
from railbird.config import environment_of_a_bot
from railbird.logs import configure_logs


def check(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    turn_ms: Annotated[int, Parameter(validator=Number(gte=500, lte=600_000))] = 5_000,
    patience_s: Annotated[int, Parameter(validator=Number(gte=1, lte=3_600))] = 30,
    at_once: Annotated[int, Parameter(validator=Number(gte=1, lte=16))] = 1,
    json: AsJson = False,
) -> int:
    """Play somebody's bot at a practice table on this machine, while named things go wrong between it and the server.

    The bot finds its table in RAILBIRD_URL and its token in RAILBIRD_AGENT_TOKEN. It is to sit down, and to play on.

    Parameters
    ----------
    command
        The bot's command, after `--`.
    only
        A fault to try; may be given more than once. Without it: all of them.
    turn_ms
        The time for a move, in milliseconds.
    patience_s
        How long the bot may take to begin, and to go on after a fault.
    at_once
        So many faults at the same time, each with a bot of its own.
    """
    _refuse_wrong_use(command, only)
    configure_logs(level="critical")
    wanted = Check(
        command=command,
        environment=environment_of_a_bot,
        faults=[name for name in FAULTS if not only or name in only],
        turn_ms=turn_ms,
        patience_s=float(patience_s),
        at_once=at_once,
    )
    verdicts = asyncio.run(_checked(wanted, quiet=json))
    passed = sum(verdict.passed for verdict in verdicts)
    if json:
        say_json({"passed": passed == len(verdicts), "faults": list(map(_as_json, verdicts))})
    else:
        say(f"{passed} of {len(verdicts)} passed.")
    return Exit.FINE if passed == len(verdicts) else Exit.FAILED


def _refuse_wrong_use(command: tuple[str, ...], only: tuple[str, ...]) -> None:
    if not command:
        raise UsedWrongly("Say how the bot is started: railbird check-bot -- COMMAND...")
    if shutil.which(command[0]) is None:
        raise UsedWrongly(f"There is no program {command[0]}.")
    unknown = [name for name in only if name not in FAULTS]
    if unknown:
        raise UsedWrongly(f"There is no fault {unknown[0]}. There are: {', '.join(FAULTS)}.")


async def _checked(wanted: Check, *, quiet: bool) -> list[Verdict]:
    """All verdicts; each is told as soon as it is there, and on a terminal what is tried now."""
    console = Console(stderr=True)
    verdicts: list[Verdict] = []
    with console.status("") as status:
        status.update(_next(wanted, verdicts))
        async for verdict in check_bot(wanted):
            verdicts.append(verdict)
            status.update(_next(wanted, verdicts))
            if not quiet:
                _tell(verdict)
    return verdicts


def _next(wanted: Check, verdicts: list[Verdict]) -> str:
    done = len(verdicts)
    return f"{done + 1} of {len(wanted.faults)}: {wanted.faults[done]}" if done < len(wanted.faults) else ""


def _tell(verdict: Verdict) -> None:
    say(f"{'ok  ' if verdict.passed else 'FAIL'}  {verdict.fault:22} {verdict.words}")
    say(f"      {'; '.join(verdict.did)}")
    for failure in verdict.failures:
        say(f"      wrong: {failure}")
    for line in verdict.said:
        say(f"      | {line}")


def _as_json(verdict: Verdict) -> dict[str, object]:
    return {
        "fault": verdict.fault,
        "words": verdict.words,
        "passed": verdict.passed,
        "did": list(verdict.did),
        "failures": list(verdict.failures),
        "said": list(verdict.said),
    }
