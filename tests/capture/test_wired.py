"""What an operator sets of the record is what is recorded."""

from __future__ import annotations

import json
from typing import Any

from capture.record import FinishedTurn
from policy.ids import AgentId, HandNumber, TableId
from policy.redaction_policy import Drop, Hash
from railbird.wiring.record.buffer_place import BufferPlace, RecordSetup
from railbird.wiring.record.recording import recorded
from tests.capture.buffers import HASH_KEY, Buffered, wall_ms
from tests.capture.turns import key, turn


async def kept(held: Buffered, url: str, setup: RecordSetup, finished: FinishedTurn) -> Any:
    async with recorded(BufferPlace(url), setup=setup, now_ms=wall_ms) as recorder:
        assert recorder is not None
        recorder.turn_finished(finished)
    found = await held.buffer.hand(agent_id=AgentId("a1"), table_id=TableId("t1"), hand_number=HandNumber(7))
    (read,) = [each for each in found.turns if each.key == finished.key]
    assert isinstance(read.knowledge, bytes)
    return json.loads(read.knowledge)


async def test_rules_of_an_operator_are_added_to_the_default_ones(on_node: Buffered, node_url: str) -> None:
    """With a key that stays the same value has the same hash after a restart; without one it has another."""
    knew = {"rival": "bob", "token": "secret", "notes": "mine", "pot": 3}
    rules = (Drop("knowledge.notes"), Hash("knowledge.rival"))
    steady = RecordSetup(redact=rules, redact_key=HASH_KEY)
    setups = (steady, steady, RecordSetup(redact=rules), RecordSetup(redact=rules))
    found = [await kept(on_node, node_url, setup, turn(key(index=n), knowledge=knew)) for n, setup in enumerate(setups)]
    assert all(not {"bob", "secret", "mine"} & set(map(str, each.values())) and each["pot"] == 3 for each in found)
    hashes = [each["rival"]["hash"] for each in found]
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3
