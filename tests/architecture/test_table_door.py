"""A hosted agent speaks to its table through one door."""

from __future__ import annotations

import pytest

from tests.architecture.conftest import Plant
from tests.architecture.table_door import REQUESTS, find_ways_to_a_table
from tests.conftest import ROOT

NOT_TO_A_TABLE: dict[tuple[str, str], str] = {}
"""What is named like a request and is none, with the reason."""


def test_nothing_but_the_door_speaks_to_a_table() -> None:
    """What left by another way would be in no record, and the record would look whole."""
    assert sorted(find_ways_to_a_table(ROOT)) == sorted(NOT_TO_A_TABLE)


def test_every_request_of_the_client_counts() -> None:
    """Among them the ones that the door stands on."""
    assert {"act", "request", "renew", "sit", "think", "decide", "leave", "chat"} <= REQUESTS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("async def leak(table):\n    await table.act('t', 'fold')", "leak"),
        ("async def leak(table):\n    await table.request(object())", "leak"),
        ("class A:\n    async def leak(self):\n        await self.door._client.chat('hello')", "A.leak"),
        ("def leak(client):\n    return client.think", "leak"),
        ("from railbird.client import connect", "import railbird.client.connect"),
        ("def leak():\n    from railbird.client import Client", "import railbird.client.Client"),
        ("import railbird.client.client", "import railbird.client.client"),
        ("from websockets.asyncio.client import connect", "import websockets.asyncio.client.connect"),
        ("import socket", "import socket"),
    ],
)
def test_a_planted_way_to_a_table_is_found(plant: Plant, source: str, found: str) -> None:
    """A request, one that is handed on, and a connection of one's own."""
    root = plant("railbird/agenthost/planted.py", source)
    assert ("railbird.agenthost.planted", found) in find_ways_to_a_table(root)


def test_the_door_itself_is_let_through(plant: Plant) -> None:
    root = plant(
        "railbird/agenthost/planted.py", "async def say(door, message):\n    await door.send_to_table(message)"
    )
    assert not [module for module, _ in find_ways_to_a_table(root) if module == "railbird.agenthost.planted"]
