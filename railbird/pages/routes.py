"""The pages as Starlette routes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from railbird.pages.lobby import LobbyPort, NoOwner
from railbird.pages.people import show_login
from railbird.pages.rendering import page

_STATIC: Final = Path(__file__).parent / "static"


class _OwnFiles(StaticFiles):
    """Files of the package; a browser asks each time whether they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def page_routes(lobby: LobbyPort) -> list[BaseRoute]:
    """`/`, `/login`, `/tables/{table_id}`, `/tables/{table_id}/owner` and the files that they need, to be mounted under any prefix."""

    async def show_lobby(request: Request) -> Response:
        return page(request, "lobby.html", tables=await lobby.tables(request))

    async def show_table(request: Request) -> Response:
        table = await lobby.table(request, request.path_params["table_id"])
        if table is None:
            return page(request, "not_found.html", status=404)
        return page(request, "table.html", table=table)

    async def show_owner(request: Request) -> Response:
        match await lobby.owned_table(request, request.path_params["table_id"]):
            case NoOwner.NOBODY:
                return page(request, "no_owner.html", status=401, signed_in=False)
            case NoOwner.NOT_YOURS:
                return page(request, "no_owner.html", status=403, signed_in=True)
            case table:
                return page(request, "owner.html", table=table)

    return [
        Route("/", show_lobby, name="lobby", include_in_schema=False),
        Route("/login", show_login, methods=["GET"], name="login_page", include_in_schema=False),
        Route("/tables/{table_id}", show_table, name="table", include_in_schema=False),
        Route("/tables/{table_id}/owner", show_owner, name="owner", include_in_schema=False),
        Mount("/static", _OwnFiles(directory=_STATIC), name="static"),
    ]
