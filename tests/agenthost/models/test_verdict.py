"""Waits, words and errors that nobody foresaw."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import httpx2
import pytest

from capture.record import CallOutcome
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.offer import Offer
from railbird.agenthost.models.openai import OpenAISpeech
from railbird.agenthost.models.port import ModelRequest
from railbird.agenthost.models.tape import Tape
from railbird.agenthost.models.verdict import judge, wanted_wait_s
from tests.agenthost.models.asking import KEY, asking
from tests.agenthost.models.provider import chunk, events, says

MONDAY = "Mon, 30 Nov 2026 18:00:00 GMT"
LATER = "Mon, 30 Nov 2026 18:00:07 GMT"


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "7", "Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": LATER, "Date": MONDAY}, 7.0),
        ({"Retry-After": MONDAY, "Date": LATER}, 0.0),
        ({"Retry-After": LATER}, None),
        ({"Retry-After": LATER, "Date": "soon"}, None),
        ({"Retry-After": "soon", "Date": MONDAY}, None),
        ({"Retry-After": LATER, "Date": "Mon, 30 Nov 2026 18:00:00 -0000"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
    ],
)
def test_a_wait_is_read_in_every_way_it_is_written(headers: Mapping[str, str], wait_s: float | None) -> None:
    """Seconds, milliseconds, or a date, counted from the answer's own; what is none of them is no wait."""
    assert wanted_wait_s(httpx2.Headers(headers)) == wait_s


@pytest.mark.parametrize(
    ("word", "said", "outcome"),
    [
        ("stop", "fold", CallOutcome.ANSWERED),
        ("eos_token", "fold", CallOutcome.ANSWERED),
        ("LENGTH", "fol", CallOutcome.CUT_SHORT),
        ("error", "fol", CallOutcome.CUT_SHORT),
        ("error", "", CallOutcome.UNREACHABLE),
        ("content_filter", "", CallOutcome.REFUSED),
        ("tool_calls", "", CallOutcome.GARBLED),
    ],
)
def test_a_providers_last_word_is_understood(word: str, said: str, outcome: CallOutcome) -> None:
    """There are many for a proper end, and a few for the others."""
    heard = Heard()
    heard.say(said)
    heard.finish(word)
    assert judge(Tape(status=200), heard, None).outcome is outcome


async def test_an_error_that_nobody_foresaw_is_a_garbled_call(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has its kind and not its words: they may repeat what a provider said."""

    def stumble(self: OpenAISpeech, heard: Heard, event: object) -> None:
        raise ZeroDivisionError(f"with {KEY} in it")

    monkeypatch.setattr(OpenAISpeech, "take", stumble)
    caplog.set_level(logging.DEBUG, "railbird")
    async with asking(events(chunk("fold"))) as them:
        call = await them.one()
    assert call.outcome is CallOutcome.GARBLED and b"fold" in call.response_body
    assert "ZeroDivisionError" in caplog.text and KEY not in caplog.text


async def test_a_question_that_cannot_be_built_is_a_call_without_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was never sent."""

    def stumble(self: OpenAISpeech, request: ModelRequest, offer: Offer) -> dict[str, object]:
        raise ZeroDivisionError

    monkeypatch.setattr(OpenAISpeech, "body", stumble)
    async with asking(says("x")) as them:
        call = await them.one()
        assert them.upstream.asked == []
    assert (call.outcome, call.request_body) == (CallOutcome.GARBLED, b"")
