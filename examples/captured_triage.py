"""Records the decisions of a program that plays no poker: it reads letters to a help desk and decides where they go.

    python examples/captured_triage.py

AGENT_CAPTURE_REDIS_URL names the Redis to record in; without it one is started for the run. The model here is a few lines of
Python, so that the example needs no key: put a call of yours in its place.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from capture.buffer.client import BufferClient
from capture.buffer.reader import Buffer
from capture.captured import CapturedHand
from capture.library import Capture, capturing
from policy.ids import AgentId, HandNumber, TableId

AGENT, DESK, TODAY = "triage", "help-desk", 1

RULES = """You sort letters to a help desk. Answer with one JSON object: {"queue": "billing" | "technical" | "urgent", "why": "..."}.
Money is billing, what does not work is technical, and what cannot wait is urgent."""

LETTERS = (
    {"from": "ann@example.com", "text": "I was charged twice.", "password": "oh-no-I-typed-it-here"},
    {"from": "bob@example.com", "text": "The app does not start."},
    {"from": "cyd@example.com", "text": "Our whole shop is down, please hurry."},
)

OPEN_QUEUES = ("billing", "technical")
"""Nobody is on call today."""


def ask_model(question: str) -> str:
    """What a model would answer."""
    queue = "urgent" if "hurry" in question else "billing" if "charged" in question else "technical"
    return json.dumps({"queue": queue, "why": "it says so"})


def sort_letter(capture: Capture, number: int, letter: dict[str, str]) -> str:
    """One decision, recorded."""
    with capture.turn(agent_id=AGENT, table_id=DESK, hand_number=TODAY, action_index=number) as turn:
        turn.knew({"letter": letter, "openQueues": OPEN_QUEUES})
        question = f"[Letter]\n{letter['text']}"
        reply = ask_model(question)
        turn.called(provider="example", model="keywords-1", envelope=RULES, remainder=question, completion=reply)
        chosen = json.loads(reply)["queue"]
        turn.chose(chosen)
        queue = chosen if chosen in OPEN_QUEUES else "technical"
        turn.sent({"letter": number, "queue": queue}, queue, why=None if queue == chosen else "that queue is closed")
    return queue


async def read_back(url: str) -> CapturedHand:
    """All that was decided today, as it was."""
    client = BufferClient(url)
    try:
        buffer = Buffer(client, lambda: time.time_ns() // 1_000_000)
        return await buffer.hand(agent_id=AgentId(AGENT), table_id=TableId(DESK), hand_number=HandNumber(TODAY))
    finally:
        await client.close()


def show(hand: CapturedHand) -> None:
    for turn in hand.turns:
        print(f"letter {turn.key.action_index}: chose {turn.chosen.action}, sent {turn.sent.action}", end="")
        print(f" ({turn.why})" if turn.why else "")
        print(f"  knew: {turn.knowledge.decode() if isinstance(turn.knowledge, bytes) else turn.knowledge.value}")


@contextmanager
def redis_url() -> Iterator[str]:
    """The configured Redis, or one for this run."""
    if configured := os.environ.get("AGENT_CAPTURE_REDIS_URL"):
        yield configured
        return
    from railbird.embedded import valkey

    with tempfile.TemporaryDirectory() as folder, valkey.running(Path(folder)) as server:
        yield server.url


def main() -> None:
    with redis_url() as url:
        with capturing(url, hash_key=secrets.token_bytes(32)) as capture:
            for number, letter in enumerate(LETTERS):
                sort_letter(capture, number, letter)
        show(asyncio.run(read_back(url)))


if __name__ == "__main__":
    main()
