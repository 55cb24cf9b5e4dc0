"""Requests that a table did not carry out, because of a fault or because it ended, and what their senders are told."""

from __future__ import annotations

from typing import assert_never

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.floor.callers import Callers
from gameserver.floor.ports import Connection
from gameserver.floor.requests import Attach, Detach, Operate, Request, Say, Stop
from gameserver.wire.close_codes import CloseCode
from gameserver.wire.messages import Error


def after_a_fault(request: Request, callers: Callers) -> None:
    """The table goes on from what is stored: the sender learns that it failed, and nothing of why."""
    match request:
        case Say(connection, message):
            connection.reply(
                Error(code=ErrorCode.INTERNAL, message="the table had a fault", request_id=message.request_id)
            )
        case Operate():
            request.fail(Bug("the table had a fault"))
        case Attach(connection):
            if connection not in callers:
                connection.close(CloseCode.INTERNAL)
        case Detach(connection):
            callers.remove(connection)
        case Stop():
            pass
        case _:
            assert_never(request)


def after_the_end(request: Request, code: CloseCode) -> None:
    """The table is gone; `code`: with which its connections are closed."""
    match request:
        case Attach(connection):
            connection.close(code)
        case Operate():
            request.fail(Refusal(ErrorCode.TABLE_CLOSED, "this table is closed"))
        case Say() | Detach() | Stop():
            pass
        case _:
            assert_never(request)


def turn_away(connection: Connection, refusal: Refusal) -> None:
    """A connection that may not come in."""
    connection.reply(Error(code=refusal.code, message=refusal.why))
    connection.close(CloseCode.NOT_ALLOWED)
