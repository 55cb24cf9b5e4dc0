"""Any agent program can record its turns, and recording takes nothing from it."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from capture.captured import CapturedHand, CapturedPrompt, Part, VerdictOutcome
from capture.library import Capture, capturing, capturing_here
from capture.record import FellBack, FinishedTurn, MissingReason, Move
from capture.recorder import Counts, RecorderSettings
from capture.turn import TurnSettings
from policy.ids import AgentId, AgentVersionId, HandNumber, TableId
from tests.capture.buffers import HASH_KEY, Buffered

AT: dict[str, Any] = {"agent_id": "triage", "table_id": "desk", "hand_number": 1}


async def read(held: Buffered) -> CapturedHand:
    return await held.buffer.hand(agent_id=AgentId("triage"), table_id=TableId("desk"), hand_number=HandNumber(1))


def decide(capture: Capture, index: int) -> None:
    with capture.turn(**AT, action_index=index) as turn:
        turn.called(provider="p", model="m", envelope="rules", remainder="letter", completion="reply")
        turn.chose("file")


def decide_fifty(capture: Capture, begin: int) -> None:
    for index in range(begin, begin + 50):
        decide(capture, index)


async def test_a_turn_with_all_its_parts(on_node: Buffered, node_url: str) -> None:
    """Knowledge as it was when it was told, the deciding call, what was chosen and what left."""
    knowledge = {"letter": "help"}
    settings = TurnSettings(agent_version_id=AgentVersionId("v3"), prompt_version="p2", seed=4, history_gap=True)
    async with capturing_here(node_url, hash_key=HASH_KEY) as capture:
        with capture.turn(**AT, action_index=2, settings=settings) as turn:
            turn.knew(knowledge)
            knowledge["letter"] = "changed later"
            turn.called(provider="p", model="m", envelope=b"rules", remainder="letter", completion="no JSON")
            turn.called(provider="p", model="m", envelope=b"rules", remainder="again", completion="reply")
            turn.chose("escalate", 9)
            turn.called(provider="p", model="m", envelope="", remainder="", completion="thanks")
            turn.said(b'{"typing":true}')
            turn.sent({"queue": "file"}, "file", why="closed")
    assert capture.counts == Counts(1, 1, 0, {}, 0) and capture.failures == 0
    (found,) = (await read(on_node)).turns
    assert found.knowledge == b'{"letter":"help"}' and found.messages == (b'{"typing":true}', b'{"queue":"file"}')
    assert found.deciding == 1 and (said := found.deciding_call) and isinstance(said.prompt, CapturedPrompt)
    assert said.prompt.whole == b"rules\nagain" and [each.attempt for each in found.calls] == [0, 1, 2]
    assert found.verdict.outcome is VerdictOutcome.CHANGED and found.verdict.history_gap
    assert (found.chosen, found.sent, found.why) == (Move("escalate", 9), Move("file"), "closed")
    assert (found.agent_version_id, found.prompt_version, found.seed) == ("v3", "p2", 4) and not found.missing


async def test_what_a_turn_does_not_tell_is_missing_and_not_empty(on_node: Buffered, node_url: str) -> None:
    """Each part by itself; what was not told as sent was sent as chosen."""
    async with capturing_here(node_url, hash_key=HASH_KEY) as capture:
        with capture.turn(**AT, action_index=0) as turn:
            turn.chose("file")
    (found,) = (await read(on_node)).turns
    assert found.missing == dict.fromkeys(
        (Part.KNOWLEDGE, Part.PROMPT, Part.RESPONSE, Part.DECISION), MissingReason.BEFORE_CAPTURE
    )
    assert found.verdict.outcome is VerdictOutcome.AS_CHOSEN


async def test_a_turn_without_a_choice_leaves_no_record(on_node: Buffered, node_url: str) -> None:
    """Nor does one that ends by an error, which goes on to the program."""
    async with capturing_here(node_url, hash_key=HASH_KEY) as capture:
        with capture.turn(**AT, action_index=0):
            pass
        with pytest.raises(KeyError), capture.turn(**AT, action_index=1) as turn:
            turn.chose("file")
            raise KeyError("the program's own")
        with pytest.raises(asyncio.CancelledError), capture.turn(**AT, action_index=2):
            raise asyncio.CancelledError
    assert capture.counts == Counts(0, 0, 0, {}, 3) and await read(on_node) == CapturedHand((), {})


async def test_values_that_no_record_takes_stop_no_turn(on_node: Buffered, node_url: str) -> None:
    """Knowledge and messages that are nothing JSON can say."""
    async with capturing_here(node_url, hash_key=HASH_KEY) as capture:
        with capture.turn(**AT, action_index=0) as turn:
            turn.knew(object())
            turn.sent(object(), "file")
            turn.chose("file")
    (found,) = (await read(on_node)).turns
    assert found.missing[Part.KNOWLEDGE] is MissingReason.REDACTED
    assert found.messages == (b'{"redacted":"drop","rule":"(not JSON)"}',)


class Failing:
    def turn_started(self, event: object, /) -> None:
        raise RuntimeError("marker")

    message_sent = turn_started

    def turn_finished(self, turn: FinishedTurn, /) -> None:
        assert isinstance(turn.outcome, FellBack) and turn.outcome.reason == "nothing_chosen"
        raise RuntimeError("marker")


def test_a_hook_that_fails_stops_no_turn(caplog: pytest.LogCaptureFixture) -> None:
    """It is counted, and told once without a word of the turn."""
    caplog.set_level(logging.ERROR)
    capture = Capture(Failing(), lambda: 0, lambda: Counts(0, 0, 0, {}, 0))
    for index in range(2):
        with capture.turn(**AT, action_index=index):
            pass
    assert capture.failures == 4 and len(caplog.records) == 1 and "marker" not in caplog.text


async def test_a_program_without_a_loop_records_in_a_thread(on_node: Buffered, node_url: str) -> None:
    """From several threads of its own; all of it is written when it is done, and the thread is gone."""

    def program() -> Counts:
        with capturing(node_url, hash_key=HASH_KEY) as capture:
            threads = [threading.Thread(target=decide_fifty, args=(capture, 50 * n)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return capture.counts

    assert await asyncio.to_thread(program) == Counts(200, 200, 0, {}, 0)
    assert len((await read(on_node)).turns) == 200
    assert "capture" not in {thread.name for thread in threading.enumerate()}


async def test_a_store_that_is_not_there_stops_no_program(tmp_path: Path) -> None:
    """The turns are lost and counted, and closing takes a bounded time."""

    def program() -> Counts:
        soon = RecorderSettings(hold_s=0.1)
        with capturing(f"unix://{tmp_path}/nobody", hash_key=HASH_KEY, recorder=soon) as capture:
            for index in range(3):
                decide(capture, index)
        return capture.counts

    counts = await asyncio.wait_for(asyncio.to_thread(program), 30)
    assert counts == Counts(3, 0, 0, {MissingReason.STORE_DOWN: 3}, 0)
