"""What a lost or closed connection asks for: come back with the session, come back anew, or stop."""

from __future__ import annotations

import enum

from gameserver.wire.close_codes import CloseCode

_OURS_TO_MEND = frozenset({1000, 1002, 1003, 1007, 1008, 1009, 1010})
_HTTP = {401: CloseCode.NOT_AUTHENTICATED, 403: CloseCode.NOT_ALLOWED, 404: CloseCode.NO_SUCH_TABLE}


class Next(enum.Enum):
    """What to do after a connection has ended."""

    RESUME = "resume"
    ENTER = "enter"
    """Come back with a new session: the old one is not known any more."""
    RENEW = "renew"
    """Come back with a fresh token."""
    STOP = "stop"


def after_close(code: int | None) -> Next:
    """What a close code asks for; `None`: the line broke without one. An unknown code of the application stops."""
    match code:
        case CloseCode.RESUME_REFUSED | CloseCode.NOTHING_ENTERED:
            return Next.ENTER
        case CloseCode.CREDENTIALS_EXPIRED:
            return Next.RENEW
        case None:
            return Next.RESUME
    if code in _OURS_TO_MEND:
        return Next.STOP
    return Next.RESUME if code < 4000 or _may_reconnect(code) else Next.STOP


def close_code_of_status(status: int) -> CloseCode | None:
    """The close code that says the same as an HTTP refusal of the upgrade; `None`: a passing trouble, or no table's answer."""
    return _HTTP.get(status)


def is_passing(status: int) -> bool:
    """Whether an HTTP status of the upgrade may be another one a moment later."""
    return status >= 500 or status in (408, 425, 429)


def _may_reconnect(code: int) -> bool:
    try:
        return CloseCode(code).reconnect
    except ValueError:
        return False
