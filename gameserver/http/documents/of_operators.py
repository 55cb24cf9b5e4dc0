"""What is said of the routes for the operator's programs."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.http.documents.description import Answer, Description, Descriptions, Query, Who
from gameserver.http.documents.of_agents import Bankroll
from gameserver.http.internal import MOST_AUDIT_ROWS, AuditEntry
from gameserver.http.requests import Grant, Nothing, RemoveSeat, Revoke
from gameserver.wire.examples import NOW_MS, TABLE


class CancelledHand(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The bets went back."""

    table_id: str
    status: str


class RemovedSeat(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The seat is given up when its hand is over."""

    table_id: str
    seat: int
    status: str


class Revoked(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`closed`: connections that were opened with it. `jti` or `agentId`, as asked."""

    closed: int
    jti: str | msgspec.UnsetType = msgspec.UNSET
    agent_id: str | msgspec.UnsetType = msgspec.UNSET


class AuditEntries(msgspec.Struct, frozen=True):
    """Newest first."""

    entries: list[AuditEntry]


_AUDITED: Final = "It leaves an audit row."
_ENTRY: Final = AuditEntry(
    id=12, at=NOW_MS, operator="service", action="remove", outcome="asked", about={"tableId": TABLE, "seat": 2}
)

OPERATORS: Final[Descriptions] = {
    "GET /metrics": Description(
        group="operators",
        summary="Numbers of the whole server in Prometheus's text form.",
        who=Who.SERVICE,
        answers=(Answer(200, "The numbers.", "# TYPE railbird_connections gauge", "text/plain"),),
    ),
    "POST /internal/bankroll": Description(
        group="operators",
        summary="Grant somebody play chips.",
        who=Who.SERVICE,
        words=_AUDITED,
        body=Grant(user_id="olga", amount=10_000),
        answers=(Answer(200, "The balance.", Bankroll(user_id="olga", balance=19_000)),),
        refusals=("bad_value", "out_of_range"),
    ),
    "POST /internal/tables/{tableId}/cancel-hand": Description(
        group="operators",
        summary="Cancel the hand in play: every bet goes back.",
        who=Who.SERVICE,
        words=_AUDITED,
        body=Nothing(),
        body_required=False,
        answers=(Answer(200, "Cancelled.", CancelledHand(table_id=TABLE, status="cancelled")),),
        refusals=("not_found",),
    ),
    "POST /internal/tables/{tableId}/remove": Description(
        group="operators",
        summary="Take somebody's seat away.",
        who=Who.SERVICE,
        words=_AUDITED,
        body=RemoveSeat(seat=2),
        answers=(Answer(200, "Removed.", RemovedSeat(table_id=TABLE, seat=2, status="removed")),),
        refusals=("not_found", "no_such_seat"),
    ),
    "POST /internal/revocations": Description(
        group="operators",
        summary="Revoke one token by its `jti`, or all tokens of an agent that were issued until now.",
        who=Who.SERVICE,
        words="What is open with them is closed. " + _AUDITED,
        body=Revoke(agent_id="a-blaise"),
        answers=(Answer(201, "Revoked for good.", Revoked(agent_id="a-blaise", closed=1)),),
        refusals=("missing_field", "bad_value"),
    ),
    "GET /internal/audit": Description(
        group="operators",
        summary="What operators did, newest first.",
        who=Who.SERVICE,
        query=(
            Query("limit", f"Rows: 1 to {MOST_AUDIT_ROWS}; without it 100."),
            Query("before", "A row's `id`: the answer begins with the one before it."),
        ),
        answers=(Answer(200, "A page of rows.", AuditEntries([_ENTRY])),),
    ),
}
