"""The pages as Starlette routes, with the headers that keep them to themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from railbird.pages.lobby import LobbyPort, NoOwner

_STATIC: Final = Path(__file__).parent / "static"

_POLICY: Final = (
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
CONTENT_SECURITY_POLICY: Final = "; ".join(_POLICY)
"""No script and no style but from this package, and no text that becomes either
(test_a_page_runs_no_script_of_its_text)."""

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_PAGES: Final = Environment(
    loader=PackageLoader("railbird.pages", "templates"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_PAGES.filters["chips"] = lambda amount: f"{amount:,}"


class _OwnFiles(StaticFiles):
    """Files of the package; a browser asks each time whether they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def page_routes(lobby: LobbyPort) -> list[BaseRoute]:
    """`/`, `/tables/{table_id}`, `/tables/{table_id}/owner` and the files that they need, to be mounted under any prefix."""

    async def show_lobby(request: Request) -> Response:
        return _page(request, "lobby.html", tables=await lobby.tables(request))

    async def show_table(request: Request) -> Response:
        table = await lobby.table(request, request.path_params["table_id"])
        if table is None:
            return _page(request, "not_found.html", status=404)
        return _page(request, "table.html", table=table)

    async def show_owner(request: Request) -> Response:
        match await lobby.owned_table(request, request.path_params["table_id"]):
            case NoOwner.NOBODY:
                return _page(request, "no_owner.html", status=401, signed_in=False)
            case NoOwner.NOT_YOURS:
                return _page(request, "no_owner.html", status=403, signed_in=True)
            case table:
                return _page(request, "owner.html", table=table)

    return [
        Route("/", show_lobby, name="lobby", include_in_schema=False),
        Route("/tables/{table_id}", show_table, name="table", include_in_schema=False),
        Route("/tables/{table_id}/owner", show_owner, name="owner", include_in_schema=False),
        Mount("/static", _OwnFiles(directory=_STATIC), name="static"),
    ]


def _page(request: Request, name: str, *, status: int = 200, **content: Any) -> Response:
    prefix = str(request.scope.get("root_path", "")).rstrip("/")
    html = _PAGES.get_template(name).render(prefix=prefix, **content)
    return HTMLResponse(html, status, headers={**HEADERS, "Cache-Control": "no-store"})
