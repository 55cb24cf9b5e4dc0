"""`GET /games/poker` and `GET /games/poker/{tableId}`: the tables as the asker may know them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.lobby import Lobby
from gameserver.http.problems import NO_STORE, not_found
from gameserver.identity import ids
from gameserver.identity.who import Nobody, UserIdentity

Identify: TypeAlias = Callable[[Request], Awaitable[UserIdentity | Nobody]]
"""Who asks. Raises `Refusal` (`bad_token`) for a credential that is no good: it gets no more than none, and is told."""


def table_routes(lobby: Lobby, identify: Identify) -> list[BaseRoute]:
    """The two routes, for anybody; a private table is there for those whom the lobby shows it to."""

    async def list_tables(request: Request) -> Response:
        return json_answer({"tables": list(await lobby.tables(await identify(request)))})

    async def show_table(request: Request) -> Response:
        asker = await identify(request)
        table_id = ids.table_id(request.path_params["table_id"])
        table = None if table_id is None else await lobby.table(asker, table_id)
        return not_found() if table is None else json_answer(table)

    return [
        Route("/games/poker", list_tables, methods=["GET"], name="tables"),
        Route("/games/poker/{table_id}", show_table, methods=["GET"], name="table_view"),
    ]


def json_answer(content: object, status: int = 200) -> Response:
    """A JSON answer for this asker, now: not to be stored."""
    return Response(msgspec.json.encode(content), status, media_type="application/json", headers=NO_STORE)


def prefix_of(request: Request) -> str:
    """Where the application is mounted; empty at the root."""
    return str(request.scope.get("root_path", "")).rstrip("/")
