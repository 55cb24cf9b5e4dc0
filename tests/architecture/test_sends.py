"""A byte to anybody leaves by one of the two doors."""

from __future__ import annotations

import pytest

from tests.architecture.conftest import Plant
from tests.architecture.pinned_sends import BYTES_ARE_SENT_BY, DOORS, NOT_TO_A_VIEWER, OUR_OWN_CLIENT
from tests.architecture.sends import find_sends
from tests.architecture.source import is_in
from tests.conftest import ROOT


def test_bytes_are_sent_by_the_pinned_functions_and_by_nobody_else() -> None:
    """Compared both ways: a function that no longer sends leaves the list."""
    found = {(module, function) for module, function in find_sends(ROOT) if not is_in(module, OUR_OWN_CLIENT)}
    assert sorted(found) == sorted(BYTES_ARE_SENT_BY | NOT_TO_A_VIEWER.keys())


def test_the_pinned_functions_are_the_doors_and_what_they_stand_on() -> None:
    """A new sender anywhere else is no matter of a line in a list."""
    outside = [module for module, _ in BYTES_ARE_SENT_BY if not any(is_in(module, door) for door in DOORS)]
    assert outside == []


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("async def leak(ws):\n    await ws.send_text('As')", "leak"),
        ("async def leak(ws):\n    await ws.send_json({})", "leak"),
        ("async def leak(ws):\n    await ws.send_bytes(b'')", "leak"),
        ("class A:\n    async def leak(self):\n        await self.socket.send('As')", "A.leak"),
        ("class A:\n    def leak(self):\n        self.transport.write(b'As')", "A.leak"),
        ("def leak(writer):\n    writer.writelines([b'As'])", "leak"),
        ("def leak(connection):\n    connection.outlet.write(b'As')", "leak"),
        ("def leak(outlet):\n    outlet.insist(b'As')", "leak"),
        ("def leak(ws, each):\n    return map(ws.send_text, each)", "leak"),
        ("async def app(scope, receive, send):\n    await send({'type': 'websocket.send'})", "app"),
    ],
)
@pytest.mark.parametrize(
    "file", ["gameserver/floor/planted.py", "gameserver/http/planted.py", "railbird/pages/planted.py"]
)
def test_a_planted_send_is_found(plant: Plant, file: str, source: str, function: str) -> None:
    """The usual calls, ASGI's own, and a method handed on to be called elsewhere."""
    module = file.removesuffix(".py").replace("/", ".")
    assert (module, function) in find_sends(plant(file, source))


def test_writing_a_file_is_no_send(plant: Plant) -> None:
    """`write` counts where a transport or a stream's writer is written to."""
    root = plant("railbird/planted.py", "def save(file):\n    file.write('x')")
    assert not {entry for entry in find_sends(root) if entry[0] == "railbird.planted"}
