"""What is read is trusted in nothing: any JSON may come, in any amount."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railbird.agenthost.models.anthropic import AnthropicSpeech
from railbird.agenthost.models.heard import Heard
from railbird.agenthost.models.openai import OpenAISpeech
from railbird.agenthost.models.tape import Tape
from railbird.agenthost.models.verdict import Failure, judge
from tests.agenthost.models.asking import asking
from tests.agenthost.models.provider import speaks

NAMES = st.sampled_from(
    ["choices", "delta", "message", "content", "text", "finish_reason", "stop_reason", "usage", "prompt_tokens", "type",
     "completion_tokens", "input_tokens", "output_tokens", "reasoning", "thinking", "content_block", "error", "code"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.sampled_from(
    ["stop", "length", "message_start", "content_block_delta", "message_delta", "text_delta", "\ud83d", "\ude00", "\x00"]
)  # fmt: skip
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5))
READERS = [OpenAISpeech.take, OpenAISpeech.take_whole, AnthropicSpeech.take, AnthropicSpeech.take_whole]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__qualname__)
@given(events=st.lists(ANYTHING, max_size=6), failure=st.sampled_from([None, *Failure]), status=st.integers(100, 599))
def test_no_event_raises(read: Callable[..., None], events: list[object], failure: Failure | None, status: int) -> None:
    """Neither when it is read nor when it is judged; tokens are counts or unknown, text is text."""
    heard = Heard()
    speech = object.__new__(OpenAISpeech if "OpenAI" in read.__qualname__ else AnthropicSpeech)
    for event in events:
        read(speech, heard, event)
    heard.fault = events[0] if events else None
    judge(Tape(status=status), heard, failure)
    assert heard.completion is None or isinstance(heard.completion, str)
    assert heard.input_tokens is None or heard.input_tokens >= 0
    assert heard.output_tokens is None or type(heard.output_tokens) is int


@pytest.mark.parametrize("unit", [b"data: {}\n\n", b"\n", b": ping\n\n"])
async def test_a_flood_at_one_agent_is_no_delay_for_another(unit: bytes) -> None:
    """A megabyte of nothing is read in many steps: meanwhile the loop turns."""
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with asking(speaks(unit * (1_000_000 // len(unit)))) as them:
        turning = asyncio.ensure_future(turn())
        began = time.monotonic()
        await them.one()
        took = time.monotonic() - began
        turning.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await turning
    assert turns >= 100, (turns, took)
