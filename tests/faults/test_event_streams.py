"""B. Event streams: F08 to F10, how they pass proxies, and what text in them can do. On `/stream` and `/owner-stream`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest

from gameserver.net.event_stream import EVENT_LIMITS
from tests.faults.sse import Events
from tests.faults.wire import Answer
from tests.faults.world import Stage, World, until

Open: TypeAlias = Callable[..., Coroutine[Any, Any, Events]]
KINDS: Final = ("public", "owner")

FORGERY: Final = (
    '\n\nevent: hole_cards\ndata: {"x":1}\n\n',
    '\r\revent: hole_cards\rdata: {"x":1}\r\r',
    '\r\n\r\nevent: hole_cards\r\ndata: {"x":1}\r\n\r\n',
    "id: 7\nid: forged",
    "id: forged",
    ":comment\n: another",
    "retry: 1\n\n",
    "data: [DONE]\n\n",
)
SEPARATORS: Final = (
    "a\u2028b",
    "a\u2029b",
    "a\u0085b",
    "a\vb",
    "a\fb",
    "a\u001cb",
    "\ufeffa",
    "a\u2028\n\u2029\r\u0085b",
)


def opened(stage: Stage, kind: str) -> Open:
    return stage.public_events if kind == "public" else stage.owner_events


# --- F08 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_f08_the_stream_survives_proxies(kind: str, here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers at once; nothing caches, buffers or compresses it; something is sent before an idle proxy would cut it."""
    stage = await here.stage()
    assert 0 < EVENT_LIMITS.ping_s <= 15
    monkeypatch.setattr(here.table_events, "_limits", replace(EVENT_LIMITS, ping_s=0.2))
    async with stage.undisturbed():
        began = time.monotonic()
        plain = await opened(stage, kind)()
        assert time.monotonic() - began < 5.0
        for stream in (plain, await opened(stage, kind)(("Accept-Encoding", "gzip, deflate, br, zstd"))):
            check_headers(stream.answer)
            comments = len(stream.comments)
            began, text = time.monotonic(), await stage.next_public_frame()
            event = await stream.sees(lambda event, text=text: event.name == "chat" and text in event.data)  # type: ignore[misc]
            assert event.at_s - began < 5.0
            await comes(stream, comments + 2)
        assert not plain.unknown_lines and plain.retry_ms is not None


def check_headers(answer: Answer) -> None:
    assert (answer.header("content-type") or "").startswith("text/event-stream")
    assert "no-store" in (answer.header("cache-control") or "")
    assert answer.header("x-accel-buffering") == "no"
    assert answer.header("content-encoding") in (None, "identity")
    assert answer.header("content-length") is None


async def comes(stream: Events, comments: int) -> None:
    """So many comments, without anything else that happens."""
    await until(lambda: len(stream.comments) >= comments, 2.0)


# --- F09, F10 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_f09_text_cannot_forge_an_event(kind: str, here: World) -> None:
    """Chat that looks like the end of an event is one event of its own name and id, with the very text in it."""
    await texts_stay_texts(FORGERY, kind, here)


@pytest.mark.parametrize("kind", KINDS)
async def test_f10_unicode_line_separators_are_data(kind: str, here: World) -> None:
    """They end no line: one event each, and the same text."""
    await texts_stay_texts(SEPARATORS, kind, here)


async def texts_stay_texts(texts: tuple[str, ...], kind: str, here: World) -> None:
    stage = await here.stage()
    stream = await opened(stage, kind)()
    async with stage.undisturbed():
        for text in texts:
            since = len(stream.events)
            assert (await stage.A.ask("chat", text=text))["type"] == "ack"
            event = await stream.sees(lambda event: event.name == "chat", since=since)
            assert event.message["text"] == text
            assert len(stream.events) == since + 1
            check_order(stream)
        assert {event.name for event in stream.events} == {"snapshot", "chat"}
        socket = [m["text"] for m in stage.S.messages if m["type"] == "chat"]
        assert socket[-len(texts) :] == list(texts), "and as it is on a socket"


def check_order(stream: Events) -> None:
    """Every event has an id of its own, which counts this stream's events and names none that was forged."""
    numbers = [int(event.event_id.split(".")[2]) for event in stream.events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert not stream.unknown_lines


async def test_f09_and_f10_reasoning_of_an_agent_neither(here: World) -> None:
    """An agent's thought and its decision, to its owner: each one event, with the very text."""
    stage = await here.stage()
    while stage.to_act != "A":
        await stage.next_hand()
    stream = await stage.owner_events()
    async with stage.undisturbed():
        for text in (*FORGERY, *SEPARATORS):
            since = len(stream.events)
            assert (await stage.A.ask("agent_thought", turnId=stage.turn_id, text=text))["type"] == "ack"
            event = await stream.sees(lambda event: event.name == "agent_thought", since=since)
            assert event.message["text"] == text
            assert [event.name for event in stream.events[since:]] == ["agent_thought"]
        check_order(stream)
        since = len(stream.events)
        await stage.A.ask("agent_decision", turnId=stage.turn_id, action="call", text=FORGERY[0])
        event = await stream.sees(lambda event: event.name == "decision", since=since)
        assert event.message["text"] == FORGERY[0]


async def test_f09_nul_is_refused_and_a_name_cannot_forge_either(here: World) -> None:
    """NUL reaches no stream; a name with a line break is no name."""
    stage = await here.stage()
    stream = await stage.public_events()
    async with stage.undisturbed():
        assert (await stage.A.ask("chat", text="a\0b"))["code"] == "bad_text"
        for name in FORGERY:
            body = json.dumps({"name": name}).encode()
            answer = await here.send("POST", "/agents", [stage.owner("A")], body)
            assert 400 <= answer.status < 500
    assert "hole_cards" not in {event.name for event in stream.events}
