"""Why a WebSocket is closed, beside the codes of RFC 6455."""

from __future__ import annotations

import enum


class CloseCode(enum.IntEnum):
    """Codes of the application. `reconnect` says whether a client may come back by itself."""

    BAD_MESSAGE = 4400
    NOT_AUTHENTICATED = 4401
    CREDENTIALS_EXPIRED = 4402
    NOT_ALLOWED = 4403
    NO_SUCH_TABLE = 4404
    NOTHING_ENTERED = 4408
    REPLACED = 4409
    TABLE_CLOSED = 4410
    PROTOCOL_TOO_OLD = 4426
    TOO_MANY_MESSAGES = 4429
    RESUME_REFUSED = 4440
    READS_TOO_SLOWLY = 4450

    GOING_AWAY = 1001
    INTERNAL = 1011
    RESTART = 1012

    @property
    def reconnect(self) -> bool:
        """Whether coming back without a change can help."""
        return self in {
            CloseCode.TOO_MANY_MESSAGES,
            CloseCode.READS_TOO_SLOWLY,
            CloseCode.GOING_AWAY,
            CloseCode.INTERNAL,
            CloseCode.RESTART,
        }
