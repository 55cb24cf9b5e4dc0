"""An operator hears that calls fail, and how, in few lines."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from capture.record import CallOutcome, FellBack, TurnKey
from policy.ids import ActionIndex, AgentId, HandNumber, TableId
from railbird.agenthost.models.complaints import Complaints, TurnsWithoutSense
from tests.agenthost.listening import a_turn
from tests.agenthost.models.asking import asking
from tests.agenthost.models.provider import Script, chunk, cuts_off, fails, says, speaks, stalls, stalls_after

KEY = TurnKey(AgentId("a-1"), TableId("t-1"), HandNumber(2), ActionIndex(6))
LOGGER = "railbird.agenthost.models.complaints"


def _lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


async def test_a_refusal_is_told_once_and_without_the_providers_words(caplog: pytest.LogCaptureFixture) -> None:
    """Its status is enough to look for the reason."""
    caplog.set_level(logging.DEBUG, "railbird")
    async with asking(fails(401, message="As of Kd is wrong")) as them:
        await them.one()
        await them.one()
    assert _lines(caplog) == ["calls to 127.0.0.1 (tiny-1) fail: refused, HTTP status 401 (x1)"]
    assert "Kd" not in caplog.text


async def test_who_is_not_there_is_told_by_the_first_cause(caplog: pytest.LogCaptureFixture) -> None:
    """A refused connection, a name that nobody has and a certificate that is not believed are told apart."""
    async with asking(says("x"), base_url="http://127.0.0.1:9/v1", least_call_s=3_600.0) as them:
        await them.one()
    assert [line for line in _lines(caplog) if "unreachable, Con" in line and "Error" in line]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (stalls, "timed_out, no answer"),
        (stalls_after(chunk("As of Kd")), "timed_out, HTTP status 200"),
        (cuts_off(chunk("As of Kd")), "cut_short, HTTP status 200"),
        (speaks(b"<html>As of Kd</html>", content_type="text/html"), "garbled, HTTP status 200"),
    ],
)
async def test_who_answers_in_vain_is_told(caplog: pytest.LogCaptureFixture, script: Script, told: str) -> None:
    """Too late, not to the end, or in no form that is known; and nothing of what was said."""
    caplog.set_level(logging.DEBUG, "railbird")
    async with asking(script) as them:
        await them.one(within_s=1.0)
    assert _lines(caplog) == [f"calls to 127.0.0.1 (tiny-1) fail: {told} (x1)"]
    assert "Kd" not in caplog.text


async def test_answers_without_sense_are_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """Of each endpoint; and of no turn that fell back for another reason."""
    caplog.set_level(logging.DEBUG, "railbird")
    clock = iter([0.0, 1.0, 61.0])
    hooks = TurnsWithoutSense(lambda: next(clock))
    async with asking(says("As of Kd")) as them:
        call = await them.one()
    for reason in ("made_no_sense", "made_no_sense", "timed_out", "made_no_sense"):
        hooks.turn_finished(replace(a_turn(KEY), outcome=FellBack((call,), None, reason)))
    hooks.turn_finished(replace(a_turn(KEY), outcome=FellBack((), None, "made_no_sense")))
    where = "calls to 127.0.0.1 (tiny-1) fail: made_no_sense"
    assert _lines(caplog) == [f"{where} (x1)", f"{where} (x2)"]
    assert "Kd" not in caplog.text


def test_the_same_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """With how often it was met since."""
    times = [0.0, 1.0, 59.0, 61.0, 62.0]
    clock = iter(times)
    complaints = Complaints("openai (m)", lambda: next(clock))
    for _ in times:
        complaints.hear(CallOutcome.RATE_LIMITED, 429, None)
        complaints.hear(CallOutcome.ANSWERED, 200, None)
    assert _lines(caplog) == [f"calls to openai (m) fail: rate_limited, HTTP status 429 (x{met})" for met in (1, 3)]


def test_another_way_to_fail_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody answered, and no error says why."""
    complaints = Complaints("openai (m)", lambda: 0.0)
    complaints.hear(CallOutcome.UNREACHABLE, 503, None)
    complaints.hear(CallOutcome.UNREACHABLE, None, None)
    assert [line.split("fail: ")[1] for line in _lines(caplog)] == [
        "unreachable, HTTP status 503 (x1)",
        "unreachable, no answer (x1)",
    ]
