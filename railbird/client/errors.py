"""What can go wrong for a client. No error repeats what was sent: that may hold a token.

ClientError
├── Refused            the table said no to one request; nothing changed
│   └── StaleTurn      the turn is over, or was not ours
├── NoAnswer           no reply in time
├── ConnectionLost     the line broke while a request was under way: it may or may not have been taken
├── Unreachable        nobody answers there, or not with a table's WebSocket
└── Closed             the server ended it, and coming back by itself cannot help
    └── ProtocolTooOld
"""

from __future__ import annotations

from gameserver.errors import ErrorCode
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Error, YourTurn


class ClientError(Exception):
    """The root of what this package raises."""


class Refused(ClientError):
    """The table refused one request, and nothing changed there."""

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error.code}: {error.message}" if error.message else str(error.code))
        self.code: ErrorCode = error.code
        self.turn: YourTurn | None = error.turn if isinstance(error.turn, YourTurn) else None
        """The present request to act, where the refusal told it."""


class StaleTurn(Refused):
    """The action named a turn that is not our own open one."""


class NoAnswer(ClientError):
    """No reply came in time."""


class ConnectionLost(ClientError):
    """The line broke before the reply came: the request may or may not have been taken."""


class NotUnderstood(ClientError):
    """What arrived is no message of this protocol. It is not repeated."""


class Unreachable(ClientError):
    """No table's WebSocket answers at that address."""


class Closed(ClientError):
    """The server ended the connection for good. `code`: see `gameserver.wire.close_codes`."""

    def __init__(self, code: int, why: str = "") -> None:
        super().__init__(f"the server closed the connection ({code}): {why or in_words(code)}")
        self.code = code


class ProtocolTooOld(Closed):
    """The server does not speak this client's version any more."""


def refusal(error: Error) -> Refused:
    """The exception for an `error` frame."""
    return StaleTurn(error) if error.code is ErrorCode.STALE_TURN else Refused(error)


def in_words(code: int) -> str:
    """What a close code means, for people."""
    try:
        return CloseCode(code).name.lower().replace("_", " ")
    except ValueError:
        return "closed normally" if code == 1000 else "no reason given"
