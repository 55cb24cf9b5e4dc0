"""Connect to a table, resume, and act with typed messages: for our own agents and for bot authors.

    async with connect(url, agent_token=token) as table:
        await table.sit(seat=0, buy_in=1_000)
        async for frame in table:
            match frame:
                case YourTurn():
                    await table.act(frame.turn_id, ActionKind.FOLD)

The messages are `gameserver.wire.messages`; what a bot needs of them is here too. The client remembers nothing of the game and
decides nothing.
"""

from __future__ import annotations

from gameserver.errors import ErrorCode
from gameserver.wire.messages import (
    ActionKind,
    CardsShown,
    Error,
    GameState,
    HandResult,
    HandStarted,
    PlayerAction,
    Snapshot,
    Street,
    StreetDealt,
    YourTurn,
)
from railbird.client.addresses import table_url
from railbird.client.client import Client, Frame, connect
from railbird.client.errors import (
    ClientError,
    Closed,
    ConnectionLost,
    NoAnswer,
    NotUnderstood,
    ProtocolTooOld,
    Refused,
    StaleTurn,
    Unreachable,
)
from railbird.client.line import Options, Sent, TokenSource

__all__ = [
    "ActionKind",
    "CardsShown",
    "Client",
    "ClientError",
    "Closed",
    "ConnectionLost",
    "Error",
    "ErrorCode",
    "Frame",
    "GameState",
    "HandResult",
    "HandStarted",
    "NoAnswer",
    "NotUnderstood",
    "Options",
    "PlayerAction",
    "ProtocolTooOld",
    "Refused",
    "Sent",
    "Snapshot",
    "StaleTurn",
    "Street",
    "StreetDealt",
    "TokenSource",
    "Unreachable",
    "YourTurn",
    "connect",
    "table_url",
]
