"""`POST /games/poker`, `PATCH /games/poker/{tableId}`, `POST /games/poker/{tableId}/invites`: tables are made and changed.

A table that somebody may not change and one that does not exist are the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.errors import ErrorCode, Refusal
from gameserver.floor.floor import Floor
from gameserver.http.askers import HttpAskers
from gameserver.http.body import read_body
from gameserver.http.invitations import Invitations
from gameserver.http.new_table import options_of
from gameserver.http.operators import OperatorDoor, named
from gameserver.http.rates import Rates
from gameserver.http.requests import ChangeTable, Invite, NewTable
from gameserver.http.table_changes import change_table
from gameserver.http.tables import json_answer, prefix_of
from gameserver.identity import ids
from gameserver.identity.who import UserIdentity
from gameserver.table.state import TableState
from gameserver.views.rules import table_rules
from gameserver.wire.messages import TableRules
from policy.ids import TableId, UserId

MOST_TABLES_EACH: Final = 100
"""So many tables of one person may be open."""


class TableAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A table as it was made or changed."""

    table_id: str
    rules: TableRules


@dataclass(frozen=True, slots=True)
class DeskPorts:
    """`operators`: users who may change every table. `now_ms`: Unix time."""

    floor: Floor
    askers: HttpAskers
    invitations: Invitations
    operator_door: OperatorDoor
    operators: AbstractSet[UserId]
    rates: Rates
    now_ms: Callable[[], int]


def table_desk_routes(ports: DeskPorts) -> list[BaseRoute]:
    """For whoever is signed in."""

    async def create(request: Request) -> Response:
        asker = await _signed_in(ports, request)
        options = options_of(await read_body(request, NewTable), asker.user_id)
        _refuse_too_many(ports.floor, asker.user_id)
        table_id = await ports.floor.create(options)
        answer = json_answer(TableAnswer(table_id=table_id, rules=table_rules(options)), 201)
        answer.headers["Location"] = f"{prefix_of(request)}/games/poker/{table_id}"
        return answer

    async def change(request: Request) -> Response:
        asker = await _signed_in(ports, request)
        table_id, state = _visible(ports.floor, request, asker)
        asked = await read_body(request, ChangeTable)
        if state.options.created_by == asker.user_id:
            await change_table(ports.floor, table_id, asked)
        elif asker.user_id in ports.operators:
            about = {"tableId": table_id, "changes": ",".join(sorted(_named(asked)))}
            async with ports.operator_door.audited("change_table", about, operator=named(asker.user_id)):
                await change_table(ports.floor, table_id, asked)
        else:
            raise Refusal(ErrorCode.NOT_FOUND)
        return json_answer(TableAnswer(table_id=table_id, rules=_rules(ports.floor, table_id, state)))

    async def invite(request: Request) -> Response:
        asker = await _signed_in(ports, request)
        table_id, state = _visible(ports.floor, request, asker)
        if state.options.created_by != asker.user_id:
            raise Refusal(ErrorCode.NOT_FOUND)
        asked = await read_body(request, Invite)
        if not state.options.private:
            raise Refusal(ErrorCode.NOT_ALLOWED, "anybody may come to this table; a private one has invitations")
        await ports.invitations.invite(table_id, UserId(asked.user_id), now_ms=ports.now_ms())
        return json_answer({"tableId": table_id, "userId": asked.user_id}, 201)

    return [
        Route("/games/poker", create, methods=["POST"], name="new_table"),
        Route("/games/poker/{table_id}", change, methods=["PATCH"], name="change_table"),
        Route("/games/poker/{table_id}/invites", invite, methods=["POST"], name="invite"),
    ]


async def _signed_in(ports: DeskPorts, request: Request) -> UserIdentity:
    asker = await ports.askers.user(request)
    ports.rates.take(asker.user_id)
    return asker


def _visible(floor: Floor, request: Request, asker: UserIdentity) -> tuple[TableId, TableState]:
    table_id = ids.table_id(request.path_params["table_id"])
    if table_id is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    return table_id, floor.visible_state(table_id, asker)


def _refuse_too_many(floor: Floor, user_id: UserId) -> None:
    if sum(state.options.created_by == user_id for state in floor.states().values()) >= MOST_TABLES_EACH:
        raise Refusal(ErrorCode.RATE_LIMITED, f"a person has at most {MOST_TABLES_EACH} open tables")


def _named(asked: ChangeTable) -> list[str]:
    """The fields that were given, by name; no value, since a name may be anything."""
    return [name for name in asked.__struct_fields__ if getattr(asked, name) is not msgspec.UNSET]


def _rules(floor: Floor, table_id: TableId, before: TableState) -> TableRules:
    """The rules as they are now; a table that was just closed is not there to ask."""
    try:
        return table_rules(floor.state(table_id).options)
    except Refusal:
        return table_rules(before.options)
