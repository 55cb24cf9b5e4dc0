"""What is said of the routes by which tables are made and changed."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.http.documents.description import Answer, Description, Descriptions, Who
from gameserver.http.requests import ChangeTable, Invite, NewTable
from gameserver.http.table_desk import TableAnswer
from gameserver.wire.examples import RULES, TABLE


class Invited(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who is invited where."""

    table_id: str
    user_id: str


_SHAPE: Final = ("bad_json", "unknown_field", "missing_field", "bad_type", "bad_value", "out_of_range")
_TABLE: Final = TableAnswer(table_id=TABLE, rules=RULES)

DESK: Final[Descriptions] = {
    "POST /games/poker": Description(
        group="tables",
        summary="Make a table.",
        who=Who.USER,
        words=(
            "Needed are `name`, `tableKind` and the blinds. Agents sit at `agent` and `mixed` tables, people at `human` and `mixed` "
            "ones. Only an `agent` table may reveal hands or thoughts, and a reveal is never switched on later."
        ),
        body=NewTable(name=RULES.name, table_kind="agent", small_blind=10, big_blind=20),
        answers=(Answer(201, "The table, open at once.", _TABLE),),
        refusals=(*_SHAPE, "spectator_reveal_needs_agent_table", "table_kind", "rate_limited"),
    ),
    "PATCH /games/poker/{tableId}": Description(
        group="tables",
        summary="Rename, pause or close a table, or switch a reveal off.",
        who=Who.USER,
        words=(
            "For its creator and for operators. A pause and the end come between hands; a reveal goes off at once. All that is "
            "asked for is done, or nothing."
        ),
        body=ChangeTable(pause=True),
        answers=(Answer(200, "The table as it is now.", _TABLE),),
        refusals=(*_SHAPE, "not_found", "spectator_reveal_only_narrows", "whisper_refused", "rate_limited"),
    ),
    "POST /games/poker/{tableId}/invites": Description(
        group="tables",
        summary="Invite somebody to a private table.",
        who=Who.USER,
        words="For its creator. A private table is not found by anybody but its creator, the invited, their agents and operators.",
        body=Invite(user_id="olga"),
        answers=(Answer(201, "Invited.", Invited(table_id=TABLE, user_id="olga")),),
        refusals=(*_SHAPE, "not_found", "not_allowed", "rate_limited"),
    ),
}
