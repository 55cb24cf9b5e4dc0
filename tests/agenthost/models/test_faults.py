"""Every fault of a provider has its outcome, within the time, and raises nothing."""

from __future__ import annotations

import asyncio
import gzip
import json
import time

import pytest
import zstandard

from capture.record import CallOutcome
from railbird.agenthost.fallback import Fallback
from tests.agenthost.models.asking import asking
from tests.agenthost.models.provider import (
    Asked,
    Script,
    Wire,
    answers,
    chunk,
    cuts_off,
    drips,
    events,
    fails,
    floods,
    hangs_up,
    says,
    speaks,
    stalls,
    stalls_after,
    writes,
)

ANSWERED, CUT_SHORT, GARBLED = CallOutcome.ANSWERED, CallOutcome.CUT_SHORT, CallOutcome.GARBLED
REFUSED, UNREACHABLE, RATE_LIMITED = CallOutcome.REFUSED, CallOutcome.UNREACHABLE, CallOutcome.RATE_LIMITED
TIMED_OUT = CallOutcome.TIMED_OUT
EVENTS = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in (chunk("fo"), chunk("ld", "stop")))

ONCE: dict[str, tuple[Script, CallOutcome, str | None]] = {
    "an end without a word": (events(chunk("fol"), done=False), CUT_SHORT, "fol"),
    "an end by length": (says("fol", finish="length"), CUT_SHORT, "fol"),
    "a filter": (says("I am", finish="content_filter"), REFUSED, "I am"),
    "cut off in the middle": (cuts_off(chunk("fol")), CUT_SHORT, "fol"),
    "torn off in the middle": (cuts_off(chunk("fol"), torn=True), CUT_SHORT, "fol"),
    "cut off when all was said": (cuts_off(chunk("fold"), chunk(None, "stop")), ANSWERED, "fold"),
    "an error after some words": (events(chunk("fol"), {"error": {"code": "overloaded"}}), CUT_SHORT, "fol"),
    "an empty stream": (speaks(b""), CUT_SHORT, None),
    "a stream of comments": (speaks(b": ping\n\n: ping\n\n"), CUT_SHORT, None),
    "an empty answer": (says(""), GARBLED, None),
    "nothing but reasoning": (events(chunk(None, "stop", reasoning_content="Hm.")), GARBLED, None),
    "half an event": (speaks(b'data: {"choices": [{"delta"\n\n'), GARBLED, None),
    "bytes that are no text": (speaks(b"data: \xff\xfe\xfa\n\n"), GARBLED, None),
    "deep nesting": (speaks(b"data: " + b"[" * 200_000 + b"\n\n"), GARBLED, None),
    "events of the wrong kind": (events(5, [], "x", None, {"choices": 5}, {"choices": [None]}), CUT_SHORT, None),
    "fields of the wrong kind": (events(chunk("", 5), {"choices": [{"delta": {"content": {}}}]}, done=False), CUT_SHORT, None),
    "a page": (speaks(b"<html>Gateway</html>", content_type="text/html"), GARBLED, None),
    "JSON that is no answer": (answers(200, '{"hello": "world"}'), GARBLED, None),
    "broken JSON": (answers(200, '{"choices": ['), GARBLED, None),
    "a flood": (floods, GARBLED, None),
    "gzip": (speaks(gzip.compress(EVENTS), encoding="gzip"), ANSWERED, "fold"),
    "zstd": (speaks(zstandard.compress(EVENTS), encoding="zstd"), ANSWERED, "fold"),
    "gzip that is none": (speaks(EVENTS, encoding="gzip"), GARBLED, None),
    "zstd that is none": (speaks(EVENTS, encoding="zstd"), GARBLED, None),
    "gzip that swells": (speaks(gzip.compress(b": " + b"x" * 40_000_000), encoding="gzip"), GARBLED, None),
    "an unknown compression": (speaks(EVENTS, encoding="br"), GARBLED, None),
    "a wrong key": (fails(401), REFUSED, None),
    "no such model": (fails(404), REFUSED, None),
    "a redirect": (answers(307, "", {"Location": "http://127.0.0.1:9/v1/chat/completions"}), REFUSED, None),
    "quota spent": (fails(429, "insufficient_quota"), RATE_LIMITED, None),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE)
async def test_a_fault_that_no_second_try_mends_has_its_outcome(name: str) -> None:
    """One call, its outcome, and what was said all the same."""
    script, outcome, said = ONCE[name]
    async with asking(script) as them:
        call = await them.one()
    assert call.outcome is outcome
    if name != "a flood":
        assert call.completion == said
    assert len(call.response_body) <= 1_048_576


TRIED: dict[str, tuple[Script, CallOutcome]] = {
    "no answer": (hangs_up, UNREACHABLE),
    "cut off before a word": (cuts_off(chunk("")), UNREACHABLE),
    "no HTTP": (writes(b"220 mail.example ready\r\n"), UNREACHABLE),
    "headers without an end": (writes(b"HTTP/1.1 200 OK\r\n", b"X-Odd: 1\r\n" * 500, endless=True), UNREACHABLE),
    "a status that is none": (writes(b"HTTP/1.1 twenty OK\r\n\r\n"), UNREACHABLE),
    "chunks that are none": (writes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), UNREACHABLE),
    "another protocol": (writes(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\n\r\n"), UNREACHABLE),
    "a fault of the server's": (fails(500), UNREACHABLE),
    "overload": (fails(529, "overloaded_error"), UNREACHABLE),
    "an error in the stream": (events({"error": {"message": "x", "code": "overloaded"}}), UNREACHABLE),
    "an error with a number": (events({"error": {"message": "x", "code": 503}}), UNREACHABLE),
    "an error in place of a stream": (answers(200, '{"error": {"code": "overloaded"}}'), UNREACHABLE),
    "too many questions": (fails(429), RATE_LIMITED),
    "too many, said in the stream": (events({"error": {"type": "rate_limit_exceeded"}}), RATE_LIMITED),
}


@pytest.mark.parametrize("name", TRIED)
async def test_a_passing_fault_is_tried_again(name: str) -> None:
    """Each try is a call of its own, and the last one is the one that counts."""
    script, outcome = TRIED[name]
    async with asking(script, says("fold")) as them:
        reply = await them.ask()
    assert [call.outcome for call in reply.calls] == [outcome, ANSWERED]
    assert [call.attempt for call in reply.calls] == [0, 1]
    assert reply.completion == "fold"


async def test_a_fault_that_does_not_pass_is_tried_while_there_is_time() -> None:
    """No further try begins with less than the least time left."""
    async with asking(fails(503)) as them:
        reply = await them.ask(within_s=3.0)
        assert len(reply.calls) == len(them.upstream.asked)
    assert 2 <= len(reply.calls) <= 6
    assert {call.outcome for call in reply.calls} == {UNREACHABLE}


async def test_who_hung_up_is_asked_again_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """As when a kept connection was just being closed: nobody need hear of it. A second time there is a pause, and a line."""
    async with asking(hangs_up, says("fold"), hangs_up, hangs_up, says("call")) as them:
        once = await them.ask()
        assert "fail" not in caplog.text
        twice = await them.ask()
    assert [len(reply.calls) for reply in (once, twice)] == [2, 3]
    assert [reply.completion for reply in (once, twice)] == ["fold", "call"]
    assert caplog.text.count("unreachable, RemoteProtocolError") == 1


async def test_nobody_there_is_unreachable() -> None:
    """A port that nobody listens on: no bytes came, and the question's are kept."""
    async with asking(says("x"), base_url="http://127.0.0.1:9/v1") as them:
        reply = await them.ask(within_s=1.0)
    assert reply.calls and all(call.outcome is UNREACHABLE for call in reply.calls)
    assert reply.calls[0].request_body and not reply.calls[0].response_body


@pytest.mark.parametrize("script", [stalls, stalls_after(chunk("fol")), drips])
async def test_silence_and_dripping_end_at_the_deadline(script: Script) -> None:
    """Whatever trickles in, the reply is there by the deadline."""
    loop = asyncio.get_running_loop()
    async with asking(script) as them:
        began = loop.time()
        reply = await them.ask(within_s=0.6)
        took = loop.time() - began
    assert [call.outcome for call in reply.calls] == [TIMED_OUT]
    assert 0.5 <= took < 10
    assert reply.completion is None


async def test_what_was_whole_at_the_deadline_is_an_answer() -> None:
    """The provider had said the last word; only its usage had not come."""
    async with asking(stalls_after(chunk("fold", "stop"))) as them:
        reply = await them.ask(within_s=0.4)
    assert reply.completion == "fold"


async def test_without_time_nothing_is_asked() -> None:
    """A deadline that has passed costs no call."""
    async with asking(says("fold")) as them:
        reply = await them.ask(within_s=0.0)
        assert (reply.calls, reply.not_asked, them.upstream.asked) == ((), Fallback.NO_TIME, [])


async def test_a_cancelled_question_ends_its_call() -> None:
    """A cancellation goes through, and the connection is closed."""
    came, gone = asyncio.Event(), asyncio.Event()

    async def waits(asked: Asked, wire: Wire) -> None:
        came.set()
        await wire.until_gone()
        gone.set()

    async with asking(waits) as them:
        question = asyncio.ensure_future(them.ask())
        await came.wait()
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        await asyncio.wait_for(gone.wait(), 30)


async def test_a_provider_says_how_long_to_wait() -> None:
    """In seconds; the next try comes no sooner."""
    async with asking(fails(429, headers={"Retry-After": "1"}), says("fold")) as them:
        began = time.monotonic()
        reply = await them.ask()
    assert [call.outcome for call in reply.calls] == [RATE_LIMITED, ANSWERED]
    assert time.monotonic() - began >= 1.0


async def test_a_wait_beyond_the_deadline_is_not_waited() -> None:
    """The time is worth more elsewhere: the reply is there at once."""
    async with asking(fails(429, headers={"Retry-After": "3600"})) as them:
        began = time.monotonic()
        reply = await them.ask(within_s=60.0)
    assert [call.outcome for call in reply.calls] == [RATE_LIMITED]
    assert time.monotonic() - began < 30
