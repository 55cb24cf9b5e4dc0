"""The functions that put bytes on a connection.

A byte to anybody leaves by one of two doors: `gameserver.net.delivery`, which stands on the rest of `gameserver.net`, and a
player's own way to the table, `railbird.agenthost.outbound`, which stands on `railbird.client`. A line is added by hand.
`test_sends.py` compares this list with the source, both ways. `railbird.client` is left out: it has what its own player got.
"""

from __future__ import annotations

from typing import Final

OUR_OWN_CLIENT: Final = "railbird.client"

DOORS: Final = ("gameserver.net", "railbird.agenthost.outbound")
"""A pinned function is in one of these modules, or below."""

BYTES_ARE_SENT_BY: Final[frozenset[tuple[str, str]]] = frozenset()

NOT_TO_A_VIEWER: Final = {
    ("railbird.embedded.valkey", "_answers"): "a PING to the server that we started ourselves",
}
"""Sends that reach no player and no watcher, with the reason."""
