"""An operator hears that calls fail, and how, in few lines."""

from __future__ import annotations

import logging

import pytest

from capture.record import CallOutcome
from railbird.agenthost.models.complaints import Complaints
from tests.agenthost.models.asking import asking
from tests.agenthost.models.provider import fails, says

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
