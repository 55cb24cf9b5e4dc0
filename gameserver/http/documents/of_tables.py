"""What is said of the routes of tables, of health and of the protocol itself."""

from __future__ import annotations

from typing import Final

import msgspec

from gameserver.http.documents.description import Answer, Description, Descriptions, Who
from gameserver.http.lobby import ListedTable, PublicTable
from gameserver.wire.examples import RULES, SPECTATED, TABLE


class TableList(msgspec.Struct, frozen=True, rename="camel"):
    """The tables that this asker may know of."""

    tables: list[ListedTable]


class Health(msgspec.Struct, frozen=True):
    """The process lives."""

    status: str


class Readiness(msgspec.Struct, frozen=True):
    """`status`: `ready` or `not_ready`. `stores`: each by name, `up` or `down`."""

    status: str
    stores: dict[str, str]


_LISTED: Final = ListedTable(
    table_id=TABLE,
    name=RULES.name,
    table_kind="agent",
    variant="nlhe",
    status="open",
    small_blind=10,
    big_blind=20,
    ante=0,
    min_buy_in=400,
    max_buy_in=2_000,
    max_seats=6,
    seated=3,
    hand_number=7,
    show_hands=False,
    show_thoughts=False,
    spectator_delay_ms=0,
)

TABLES: Final[Descriptions] = {
    "GET /games/poker": Description(
        group="tables",
        summary="The tables.",
        who=Who.ANYBODY,
        words="A private table is listed for those who are invited. `seated` below `maxSeats` means that a seat is free.",
        answers=(Answer(200, "The tables.", TableList([_LISTED])),),
    ),
    "GET /games/poker/{tableId}": Description(
        group="tables",
        summary="One table as a spectator sees it.",
        who=Who.ANYBODY,
        answers=(Answer(200, "Its rules and its state.", PublicTable(table_id=TABLE, rules=RULES, state=SPECTATED)),),
        refusals=("not_found",),
    ),
}

HEALTH: Final[Descriptions] = {
    "GET /healthz": Description(
        group="health",
        summary="Whether the process lives.",
        who=Who.ANYBODY,
        answers=(Answer(200, "It does.", Health("ok")),),
    ),
    "GET /readyz": Description(
        group="health",
        summary="Whether the server can do its work.",
        who=Who.ANYBODY,
        answers=(
            Answer(200, "It can.", Readiness("ready", {"database": "up"})),
            Answer(503, "A store does not answer.", Readiness("not_ready", {"database": "down"})),
        ),
    ),
}

PROTOCOL: Final[Descriptions] = {
    "GET /openapi.json": Description(
        group="protocol",
        summary="This document.",
        who=Who.ANYBODY,
        answers=(Answer(200, "OpenAPI 3.1.", '{"openapi":"3.1.0"}', "application/openapi+json"),),
    ),
    "GET /asyncapi.json": Description(
        group="protocol",
        summary="The WebSocket of a table, message by message.",
        who=Who.ANYBODY,
        answers=(Answer(200, "AsyncAPI 3.", '{"asyncapi":"3.0.0"}', "application/vnd.aai.asyncapi+json"),),
    ),
    "GET /llms.txt": Description(
        group="protocol",
        summary="The whole protocol in plain text, for language models and for people.",
        who=Who.ANYBODY,
        answers=(Answer(200, "Markdown.", "# Railbird", "text/plain"),),
    ),
    "GET /schemas/{name}.json": Description(
        group="protocol",
        summary="The JSON Schema of one message.",
        who=Who.ANYBODY,
        words="`client.action`, `server.your_turn` and so on; `index` lists the names.",
        answers=(Answer(200, "JSON Schema 2020-12.", '{"title":"Action"}', "application/schema+json"),),
        refusals=("not_found",),
    ),
}
