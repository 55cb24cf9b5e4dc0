"""One open connection, as the floor and the door see it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

import msgspec

from gameserver.errors import ErrorCode
from gameserver.floor.ports import ConnectionId, Reply
from gameserver.identity.who import Identity
from gameserver.net.answers import Answers
from gameserver.net.batch import Batch
from gameserver.net.outlet import DirectLine, Listener, Outcome, Outlet
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.encode import Unencodable, encode
from gameserver.wire.messages import Error

REASONS: Final[Mapping[CloseCode, str]] = {
    CloseCode.BAD_MESSAGE: "bad message",
    CloseCode.NOT_AUTHENTICATED: "not authenticated",
    CloseCode.CREDENTIALS_EXPIRED: "credentials expired",
    CloseCode.NOT_ALLOWED: "not allowed",
    CloseCode.NO_SUCH_TABLE: "no such table",
    CloseCode.NOTHING_ENTERED: "nothing entered",
    CloseCode.REPLACED: "replaced by a newer connection",
    CloseCode.TABLE_CLOSED: "table closed",
    CloseCode.PROTOCOL_TOO_OLD: "protocol too old",
    CloseCode.TOO_MANY_MESSAGES: "too many messages",
    CloseCode.RESUME_REFUSED: "resume refused",
    CloseCode.READS_TOO_SLOWLY: "reads too slowly",
    CloseCode.GOING_AWAY: "going away",
    CloseCode.INTERNAL: "internal error",
    CloseCode.RESTART: "restarting",
}
"""What a close frame says: our own words, far below its 123 bytes."""

_log: Final = logging.getLogger(__name__)


class OpenConnection:
    """`gameserver.floor.ports.Connection` over an outlet. Who it is was proved before, and is renewed by the endpoint only."""

    __slots__ = ("_answers", "_outlet", "closed", "connection_id", "identity")

    def __init__(self, connection_id: ConnectionId, identity: Identity, outlet: Outlet) -> None:
        self.connection_id: ConnectionId = connection_id
        self.identity: Identity = identity
        self.closed = False
        self._outlet = outlet
        self._answers = Answers()

    def reply(self, message: Reply) -> None:
        """Send what is for this connection alone. An answer to a request is kept for when it is asked again."""
        request_id = getattr(message, "request_id", msgspec.UNSET)
        if isinstance(request_id, str):
            self._send_all(self._answers.answer(request_id, Batch([_encoded(message)])))
        else:
            self.tell(message)

    def tell(self, message: Reply) -> None:
        """Send what is for this connection alone, and is no answer that is kept."""
        self._outlet.insist(Batch([_encoded(message)]))

    def close(self, code: CloseCode) -> None:
        """End it, behind what is queued."""
        self.closed = True
        self._outlet.close(int(code), REASONS[code])

    def close_by_rfc(self, code: int) -> None:
        """End it with a code of RFC 6455 for a frame that is no message."""
        self.closed = True
        self._outlet.close(code, "")

    def write(self, batch: Batch) -> Outcome:
        """Part of a stream, to this one connection."""
        return self._outlet.write(batch)

    def carry_for(self, listener: Listener) -> None:
        """Whose stream this connection carries from now on."""
        self._outlet.carry_for(listener)

    def direct_line(self) -> DirectLine | None:
        """The way past every queue, while there is one."""
        return self._outlet.direct_line()

    def write_rest(self, data: bytes) -> None:
        """What the direct line did not take."""
        self._outlet.write_rest(data)

    def is_new_request(self, request_id: str) -> bool:
        """Whether a request is to be done; a repeated one gets the first answer, now or when it is there."""
        if self._answers.is_new(request_id):
            return True
        self._send_all(self._answers.owed(request_id))
        return False

    def forget_request(self, request_id: str) -> None:
        """It was not done, and may come again."""
        self._answers.forget(request_id)

    def _send_all(self, batches: list[Batch]) -> None:
        for batch in batches:
            self._outlet.insist(batch)


def _encoded(message: Reply) -> bytes:
    try:
        return encode(message)
    except Unencodable as bug:
        _log.error("a reply was not sent: %s", bug)
        request_id = getattr(message, "request_id", msgspec.UNSET)
        return encode(Error(code=ErrorCode.INTERNAL, message="internal error", request_id=request_id))
