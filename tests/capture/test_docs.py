"""What docs/capture.md shows works as it stands there."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from capture.buffer.reader import Buffer
from capture.redaction import Redactor
from policy.ids import AgentId, HandNumber, TableId
from tests.capture.buffers import HASH_KEY, Buffered
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "capture.md").read_text()
RECORDS, REDACTS, TRACES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


async def test_the_program_of_the_page_records_its_turn(on_node: Buffered, node_url: str) -> None:
    """With what it leaves to the reader put in."""
    said: dict[str, Any] = {
        "key": HASH_KEY, "letter": {"text": "help"}, "rules": "sort", "question": "help", "reply": "urgent", "message": {},
    }  # fmt: skip
    program = compile(RECORDS.replace("redis://localhost:6379", node_url), "capture.md", "exec")
    await asyncio.to_thread(exec, program, said)
    buffer: Buffer = on_node.buffer
    found = await buffer.hand(agent_id=AgentId("triage"), table_id=TableId("inbox"), hand_number=HandNumber(1))
    assert [(turn.chosen.action, turn.sent.action, turn.why) for turn in found.turns] == [
        ("urgent", "technical", "that queue is closed")
    ]


def test_the_rules_of_the_page_are_rules() -> None:
    """They redact what they name."""
    said: dict[str, Any] = {"key": HASH_KEY}
    exec(REDACTS.replace("\nRedactor(", "\nmade = Redactor("), said)  # noqa: S102 - our own page
    made = said["made"]
    assert isinstance(made, Redactor)
    kept = str(made.knowledge({"letter": {"from": "ann", "text": "x" * 300}, "token": "secret"}))
    assert "ann" not in kept and "x" * 201 not in kept and "secret" not in kept


def test_the_page_names_what_there_is() -> None:
    """The reasons for what is missing, and the watcher."""
    from capture.record import MissingReason

    assert all(f"`{reason.value}`" in PAGE for reason in MissingReason)
    assert "Telemetry(tracer).turn_captured" in TRACES
