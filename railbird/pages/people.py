"""Pages about oneself: signing in, a link that is used up, and one's own agents.

A browser gets them where the same address has JSON for programs: `Accept` decides, and the status is the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.http.accept import prefers_html
from gameserver.http.problems import headers_of
from railbird.pages.owners import OwnersPort
from railbird.pages.rendering import page

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


async def show_login(request: Request) -> Response:
    """Where somebody with a token signs in, and everybody reads how to get one."""
    return page(request, "login.html", reason="")


def dead_link(request: Request, status: int) -> Response:
    """In place of a sign-in link's refusal: why a link may be no good any more, which it does not say of this one."""
    answer = page(request, "dead_link.html", status=status, too_often=status == 429)
    answer.headers.update(headers_of(status))
    answer.headers.add_vary_header("Accept")
    return answer


def agents_page(owners: OwnersPort) -> Endpoint:
    """The page of one's own agents; who is not signed in is asked to, under the status that programs get."""

    async def show_agents(request: Request) -> Response:
        owner = await owners.owner(request)
        if owner is None:
            return page(request, "login.html", status=401, reason="Your agents are shown to you alone.")
        return page(request, "agents.html", owner=owner)

    return show_agents


def with_page(routes: Sequence[BaseRoute], name: str, shown: Endpoint) -> list[BaseRoute]:
    """The routes, of which the one of this name answers browsers with a page. Raises LookupError where none is called so."""
    named = [route for route in routes if isinstance(route, Route) and route.name == name]
    if not named:
        raise LookupError(f"no route is called {name}")
    json = named[0]

    async def either(request: Request) -> Response:
        answer = await (shown(request) if prefers_html(request) else json.endpoint(request))
        answer.headers.add_vary_header("Accept")
        return answer

    both = Route(json.path, either, methods=sorted(json.methods or ()), name=name)
    return [both if route is json else route for route in routes]
