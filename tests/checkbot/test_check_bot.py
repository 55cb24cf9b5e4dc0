"""Good bots pass every fault, and each bad habit is found where it does harm."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from railbird.checkbot import FAULTS, Check, Verdict
from railbird.checkbot.check import check_at
from railbird.checkbot.practice import Practice, practice
from tests.conftest import ROOT
from tests.examples.test_bots import BOTS

BAD_BOT: Final = str(Path(__file__).with_name("bad_bot.py"))

TURN_MS: Final = 1_500
PATIENCE_S: Final = 20.0

HABITS: Final[Mapping[str, Mapping[str, str]]] = {
    "none": {},
    "leaves": {
        "drop": "did not come back",
        "reconnect_in_mid_hand": "did not come back",
        "lost_reply": "did not come back",
        "resume_too_old": "did not come back",
        "resume_refused": "did not come back",
        "restart": "did not come back",
    },
    "believes_everything": {"duplicate": "acted twice on one turn", "stale": "acted twice on one turn"},
    "insists": {"late": "acted twice on one turn"},
    "overlooks_the_turn": {"reconnect_in_mid_hand": "let 1 turn run out"},
    "wants_no_gap": {"missing_frame": "of 3 turns"},
    "impatient": {"slow": "it "},
    "wants_to_resume": {"resume_too_old": "of 3 turns"},
    "keeps_its_session": {"resume_refused": "of its messages were refused (resume_refused"},
    "knows_all_fields": {"newer": "too few to begin"},
    "always_returns": {"told_to_stop": "it came back after"},
    "dreams": {"plain": "run out"},
    "bets_too_much": {"plain": "of its messages were refused (amount_out_of_range"},
}
"""What each habit is found by: the fault, and words of the failure."""


def environment(url: str, token: str) -> Mapping[str, str]:
    return {
        "RAILBIRD_URL": url,
        "RAILBIRD_AGENT_TOKEN": token,
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
    }


@pytest.fixture(scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Practice]:
    """One server for all."""
    async with practice(tmp_path_factory.mktemp("practice"), turn_ms=TURN_MS) as opened:
        yield opened


async def verdicts(
    place: Practice, command: Sequence[str], faults: Sequence[str] = tuple(FAULTS)
) -> dict[str, Verdict]:
    check = Check(command, environment, faults, TURN_MS, PATIENCE_S, at_once=4)
    return {verdict.fault: verdict async for verdict in check_at(place, check)}


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
async def test_the_example_bots_pass_every_fault(place: Practice, bot: Callable[[], list[str]]) -> None:
    """As does the client that they stand on."""
    found = await verdicts(place, bot())
    assert list(found) == list(FAULTS)
    assert [verdict for verdict in found.values() if not verdict.passed] == []


@pytest.fixture(scope="module")
async def found(place: Practice) -> dict[str, dict[str, Verdict]]:
    """The verdicts on every habit, at the faults where it does harm; on no habit, at all of them."""
    few = asyncio.Semaphore(3)

    async def of(habit: str) -> dict[str, Verdict]:
        async with few:
            command = [sys.executable, BAD_BOT, habit]
            faults = tuple(HABITS[habit] or FAULTS)
            return await verdicts(place, command, faults)

    return dict(zip(HABITS, await asyncio.gather(*map(of, HABITS)), strict=True))


async def test_a_bot_without_the_habits_passes(found: dict[str, dict[str, Verdict]]) -> None:
    """So it is the habits that are found; and this one knows no line of ours."""
    assert [verdict for verdict in found["none"].values() if not verdict.passed] == []


@pytest.mark.parametrize(("habit", "fault"), [(habit, fault) for habit, faults in HABITS.items() for fault in faults])
async def test_a_bad_habit_is_found(found: dict[str, dict[str, Verdict]], habit: str, fault: str) -> None:
    """By the fault that it does harm in, and for the right reason."""
    failures = found[habit][fault].failures
    assert any(HABITS[habit][fault] in failure for failure in failures), failures


def test_every_fault_is_failed_by_somebody() -> None:
    """No fault lets everything pass."""
    assert {fault for faults in HABITS.values() for fault in faults} == set(FAULTS)


async def test_the_token_is_not_repeated(found: dict[str, dict[str, Verdict]]) -> None:
    """What the bot printed is told where it failed, without its token."""
    said = found["leaves"]["drop"].said
    assert said[0] == "my token is <token>" and said[1].startswith("closed with")
