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

BYTES_ARE_SENT_BY: Final = frozenset(
    {
        # The door, to the streams' listeners.
        ("gameserver.net.delivery", "_write"),
        ("gameserver.net.streams", "Stream.publish"),
        ("gameserver.net.streams", "_write"),
        # The same, straight to the sockets that have nothing queued: which they are, and the sending.
        ("gameserver.net.streams", "Stream.sort"),
        ("gameserver.net.direct_lines", "DirectLines.send"),
        ("gameserver.net.outlet", "DirectOutlet.write_rest"),
        # An empty comment, so that a silent stream stays awake.
        ("gameserver.net.ready_events", "Keeper._send_to_all"),
        # A connection: a frame of its stream, and an answer to its own request.
        ("gameserver.net.connection", "OpenConnection.write"),
        ("gameserver.net.connection", "OpenConnection.tell"),
        ("gameserver.net.connection", "OpenConnection._send_all"),
        # An outlet: bytes that are ready, to uvicorn's transport or through Starlette.
        ("gameserver.net.outlet", "DirectOutlet.insist"),
        ("gameserver.net.outlet", "DirectOutlet.write"),
        ("gameserver.net.protocol", "ReadyWebSocket._close_now"),
        ("gameserver.net.protocol", "_send_text"),
        # The refusal of a handshake: a status, and no frame; and uvicorn's own sending, which is passed on as it is.
        ("gameserver.net.protocol", "ReadyWebSocket._refuse_handshake"),
        ("gameserver.net.protocol", "ReadyWebSocket.send"),
        ("gameserver.net.websocket", "_deny"),
    }
)

NOT_TO_A_VIEWER: Final = {
    (
        "railbird.checkbot.proxy",
        "_Line.to_bot",
    ): "frames of our own server at its practice table, to the bot that is checked there",
    ("railbird.checkbot.proxy", "_Line.to_table"): "what the bot that is checked says, to our own server",
    ("railbird.checkbot.proxy", "_Line._hear_bot"): "a binary frame of the bot that is checked, to our own server",
    ("railbird.embedded.valkey", "_answers"): "a PING to the server that we started ourselves",
}
"""Sends that reach no player and no watcher, with the reason."""
