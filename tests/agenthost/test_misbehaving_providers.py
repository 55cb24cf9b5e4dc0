"""Whatever a provider does, agents move in time, legally, and keep their credentials to themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.record import CallOutcome, Decided
from railbird.agenthost.turns.pace import Pace
from tests.agenthost.misbehaving import all_scripts
from tests.agenthost.models.asking import asking
from tests.agenthost.models.provider import stalls
from tests.agenthost.thousand_turns import Wanted, play

PATIENT = Wanted(turns=150, tables=10, turn_ms=4_000, time_bank_ms=30_000)
"""The time bank is for a machine that is busy with other tests; the command plays without one."""


async def test_turns_against_a_misbehaving_provider(tmp_path: Path) -> None:
    """None is ended by the table's clock, none is refused by the table, and no credential is anywhere."""
    count = await play(PATIENT, tmp_path)
    assert count.problems() == []
    decided = [turn for turn in count.turns if isinstance(turn.outcome, Decided)]
    outcomes = {call.outcome for turn in count.turns for call in turn.outcome.calls}
    assert len(count.turns) == 150 and 0 < len(decided) < 150
    assert count.moves_seen >= 140
    assert outcomes >= {CallOutcome.ANSWERED, CallOutcome.GARBLED, CallOutcome.CUT_SHORT}


async def test_a_turn_that_the_clock_ends_is_noticed(tmp_path: Path) -> None:
    """The same count of agents that wait past their clock is not empty."""
    careless = Pace(least_ms=0, margin_ms=-60_000, margin_share=-60.0)
    count = await play(Wanted(2, 1, turn_ms=1_000, time_bank_ms=0, pace=careless, upstream=stalls), tmp_path)
    assert [problem for problem in count.problems() if "the clock ended a turn: agent_slow" in problem]


@pytest.mark.parametrize("index", range(len([*all_scripts()])))
async def test_no_fault_of_the_mix_raises(index: int) -> None:
    """Each by itself ends in calls or in none, by the deadline."""
    script = [*all_scripts()][index]
    async with asking(script) as them:
        reply = await them.ask(within_s=0.6)
    assert reply.calls and reply.completion is None
