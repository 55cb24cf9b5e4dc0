"""`/internal/*` of the table server: what operators' programs do with the service key, each act with its audit row."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import UNSET
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.floor import Floor
from gameserver.http.body import read_body
from gameserver.http.operators import OperatorDoor
from gameserver.http.requests import Grant, Nothing, RemoveSeat, Revoke
from gameserver.http.tables import json_answer
from gameserver.identity import ids
from gameserver.store.audit import Audit, AuditRow
from gameserver.store.ledger import Ledger
from gameserver.table.commands import CancelHand, Remove
from policy.ids import AgentId, Seat, TableId, UserId

_WHOLE: Final = re.compile(r"[0-9]{1,15}")
MOST_AUDIT_ROWS: Final = 1_000
MOST_CHIPS_EACH: Final = 10**15
"""Nobody is granted above this: every sum of chips stays a whole number that JSON's readers have exactly."""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One act of an operator. `at`: Unix milliseconds."""

    id: int
    at: int
    operator: str
    action: str
    outcome: str
    about: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class InternalPorts:
    """`revoke_token`, `revoke_agent`: make it so for good, and close what is open."""

    door: OperatorDoor
    audit: Audit
    floor: Floor
    ledger: Ledger
    revoke_token: Callable[[str], Awaitable[int]]
    revoke_agent: Callable[[AgentId], Awaitable[int]]


def internal_routes(ports: InternalPorts) -> list[BaseRoute]:
    """For the service key."""

    async def grant(request: Request) -> Response:
        asked = await read_body(request, Grant)
        user_id = UserId(asked.user_id)
        async with ports.door.audited("grant", {"userId": user_id, "amount": asked.amount}):
            if await ports.ledger.bankroll_chips(user_id) + asked.amount > MOST_CHIPS_EACH:
                raise Refusal(ErrorCode.OUT_OF_RANGE, "nobody has that many chips")
            balance = await ports.ledger.grant(user_id, asked.amount)
        return json_answer({"userId": user_id, "balance": balance})

    async def cancel_hand(request: Request) -> Response:
        table_id = _table(request)
        await read_body(request, Nothing)
        async with ports.door.audited("cancel_hand", {"tableId": table_id}):
            await ports.floor.operate(table_id, CancelHand("an operator cancelled the hand"))
        return json_answer({"tableId": table_id, "status": "cancelled"})

    async def remove(request: Request) -> Response:
        table_id = _table(request)
        seat = (await read_body(request, RemoveSeat)).seat
        async with ports.door.audited("remove", {"tableId": table_id, "seat": seat}):
            await ports.floor.operate(table_id, Remove(Seat(seat)))
        return json_answer({"tableId": table_id, "seat": seat, "status": "removed"})

    async def revoke(request: Request) -> Response:
        asked = await read_body(request, Revoke)
        if (asked.jti is UNSET) == (asked.agent_id is UNSET):
            raise Refusal(ErrorCode.MISSING_FIELD, "one of jti and agentId")
        if asked.jti is not UNSET:
            async with ports.door.audited("revoke_token", {"jti": asked.jti}):
                closed = await ports.revoke_token(asked.jti)
            return json_answer({"jti": asked.jti, "closed": closed}, 201)
        assert asked.agent_id is not UNSET
        async with ports.door.audited("revoke_agent", {"agentId": asked.agent_id}):
            closed = await ports.revoke_agent(AgentId(asked.agent_id))
        return json_answer({"agentId": asked.agent_id, "closed": closed}, 201)

    async def audit(request: Request) -> Response:
        limit, before = _whole(request, "limit", 100), _whole(request, "before", None)
        assert limit is not None
        rows = await ports.audit.rows(limit=max(1, min(limit, MOST_AUDIT_ROWS)), before=before)
        return json_answer({"entries": [_entry(row) for row in rows]})

    routes: list[tuple[str, str, Callable[[Request], Awaitable[Response]]]] = [
        ("POST", "/bankroll", grant),
        ("POST", "/tables/{table_id}/cancel-hand", cancel_hand),
        ("POST", "/tables/{table_id}/remove", remove),
        ("POST", "/revocations", revoke),
        ("GET", "/audit", audit),
    ]
    return [
        Route(f"/internal{path}", _locked(ports.door, endpoint), methods=[method], name=f"internal_{endpoint.__name__}")
        for method, path, endpoint in routes
    ]


def _locked(
    door: OperatorDoor, endpoint: Callable[[Request], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint behind the service key: nothing of the request is read before it."""

    async def behind_the_key(request: Request) -> Response:
        door.require_service_key(request)
        return await endpoint(request)

    return behind_the_key


def _table(request: Request) -> TableId:
    table_id = ids.table_id(request.path_params["table_id"])
    if table_id is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    return table_id


def _whole(request: Request, name: str, otherwise: int | None) -> int | None:
    """A whole number of the query, written in plain digits; twice is refused."""
    given = request.query_params.getlist(name)
    if not given:
        return otherwise
    if len(given) != 1 or _WHOLE.fullmatch(given[0]) is None:
        raise HTTPException(400)
    return int(given[0])


def _entry(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        id=row.ordinal,
        at=row.at_ms,
        operator=row.operator,
        action=row.action,
        outcome=row.outcome,
        about=dict(row.about),
    )
