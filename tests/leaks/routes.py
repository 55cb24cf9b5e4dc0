"""Every route of the server and its lock. A route that is not here is a way out that nobody looked at, and a test says so."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from tests.leaks.callers import EventStream
from tests.leaks.world import TABLE, World


class Lock(enum.Enum):
    """Who gets through. What a route shows to whom beyond that is the twin worlds' matter."""

    ANYBODY = "anybody"
    """The same for all, or a page; a credential is not looked at, or one that is no good counts for none."""
    WATCHER = "whoever may know of the table"
    USER = "a signed-in user"
    OWNER = "the owner of an agent at the table"
    OPERATOR = "a signed-in operator"
    SERVICE = "the service key"
    SOCKET = "whoever may know of the table, by their own identity"


_TABLE: Final = "/games/poker/{table_id}"
LOCKS: Final[Mapping[tuple[str, str], Lock]] = {
    ("WS", f"{_TABLE}/ws"): Lock.SOCKET,
    ("GET", f"{_TABLE}/stream"): Lock.WATCHER,
    ("GET", f"{_TABLE}/owner-stream"): Lock.OWNER,
    ("GET", "/healthz"): Lock.ANYBODY,
    ("GET", "/readyz"): Lock.ANYBODY,
    ("GET", "/metrics"): Lock.SERVICE,
    ("POST", "/login"): Lock.USER,
    ("POST", "/logout"): Lock.USER,
    ("POST", "/stream-ticket"): Lock.USER,
    ("GET", "/signin/{code}"): Lock.SERVICE,  # by the code alone, which nobody here has
    ("GET", "/games/poker"): Lock.WATCHER,
    ("GET", _TABLE): Lock.WATCHER,
    ("POST", "/games/poker"): Lock.USER,
    ("PATCH", _TABLE): Lock.USER,
    ("POST", f"{_TABLE}/invites"): Lock.USER,
    ("POST", "/agents"): Lock.USER,
    ("GET", "/agents"): Lock.USER,
    ("GET", "/agents/{agent_id}"): Lock.USER,
    ("POST", "/agents/{agent_id}/versions"): Lock.USER,
    ("POST", "/agents/{agent_id}/tokens"): Lock.USER,
    ("POST", "/agents/{agent_id}/transfer"): Lock.USER,
    ("POST", "/agents/{agent_id}/notes"): Lock.USER,
    ("POST", "/agents/{agent_id}/deploy"): Lock.USER,
    ("POST", "/agents/{agent_id}/seat"): Lock.USER,
    ("POST", "/agents/{agent_id}/stop"): Lock.USER,
    ("GET", "/agents/{agent_id}/hands/{table_id}/{number}"): Lock.USER,
    ("POST", "/agents/{agent_id}/hands/{table_id}/{number}/keep"): Lock.USER,
    ("DELETE", "/agents/{agent_id}/hands/{table_id}/{number}"): Lock.USER,
    ("GET", "/agents/{agent_id}/hands"): Lock.USER,
    ("GET", "/agents/{agent_id}/hands.jsonl"): Lock.USER,
    ("DELETE", "/agents/{agent_id}/hands"): Lock.USER,
    ("GET", "/bankroll"): Lock.USER,
    ("POST", "/internal/bankroll"): Lock.SERVICE,
    ("POST", "/internal/tables/{table_id}/cancel-hand"): Lock.SERVICE,
    ("POST", "/internal/tables/{table_id}/remove"): Lock.SERVICE,
    ("POST", "/internal/revocations"): Lock.SERVICE,
    ("GET", "/internal/audit"): Lock.SERVICE,
    ("GET", "/internal/agent-capture/hand"): Lock.SERVICE,
    ("GET", "/internal/agent-capture/hand-all"): Lock.SERVICE,
    ("GET", "/internal/agent-capture/recent"): Lock.SERVICE,
    ("POST", "/internal/agent-capture/promote"): Lock.SERVICE,
    ("GET", "/api/hosted-agent/agent-capture/hand"): Lock.OPERATOR,
    ("GET", "/api/hosted-agent/agent-capture/hand-all"): Lock.OPERATOR,
    ("GET", "/api/hosted-agent/agent-capture/recent"): Lock.OPERATOR,
    ("POST", "/api/hosted-agent/agent-capture/promote"): Lock.OPERATOR,
    ("GET", f"{_TABLE}/hands"): Lock.WATCHER,
    ("GET", f"{_TABLE}/hands/{{number}}"): Lock.WATCHER,
    ("GET", f"{_TABLE}/hands/{{number}}.phh"): Lock.WATCHER,
    ("GET", f"{_TABLE}/hands/{{number}}.ohh.json"): Lock.WATCHER,
    ("GET", "/schemas/{name}.json"): Lock.ANYBODY,
    ("GET", "/openapi.json"): Lock.ANYBODY,
    ("GET", "/asyncapi.json"): Lock.ANYBODY,
    ("GET", "/llms.txt"): Lock.ANYBODY,
    ("GET", "/"): Lock.ANYBODY,
    ("GET", "/login"): Lock.ANYBODY,
    ("GET", "/tables/{table_id}"): Lock.ANYBODY,
    ("GET", "/tables/{table_id}/owner"): Lock.OWNER,
    ("MOUNT", "/static"): Lock.ANYBODY,
}
"""A line is added by hand, in the commit that adds the route; what the route answers is added to the matrix there too."""

_CALLERS: Final = ("crowd", "noone", "ada", "sid")
"""Nobody, a broken credential, an agent's token where a user's belongs, and a user who owns nothing here."""

MAY_ANSWER: Final[Mapping[Lock, tuple[frozenset[int], ...]]] = {
    Lock.ANYBODY: (frozenset({200, 404}),) * 4,
    Lock.WATCHER: (frozenset({200, 404}), frozenset({401}), frozenset({401}), frozenset({200, 404})),
    Lock.USER: (*(frozenset({401}),) * 3, frozenset({200, 201, 204, 400, 404, 422})),
    Lock.OWNER: (*(frozenset({401}),) * 3, frozenset({403})),
    Lock.OPERATOR: (*(frozenset({401}),) * 3, frozenset({403})),
    Lock.SERVICE: (frozenset({401}),) * 4,
}


def routes_of(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, str]]:
    """Method and path of each route; sockets and mounts included, HEAD beside GET left out."""
    for route in routes:
        match route:
            case WebSocketRoute():
                yield "WS", route.path
            case Route():
                yield from ((method, route.path) for method in sorted((route.methods or set()) - {"HEAD"}))
            case Mount():
                yield "MOUNT", route.path
            case _:
                yield "?", repr(route)


def answers(world: World, method: str, path: str) -> list[int]:
    """What each of the callers is answered."""
    filled = path.replace("{table_id}", TABLE).replace("{agent_id}", "ada").replace("{number}", "1")
    filled = filled.replace("{name}", "index").replace("{code}", "none")
    return [_status(world, who, method, filled) for who in _CALLERS]


def _status(world: World, who: str, method: str, path: str) -> int:
    call = EventStream(world.server.app, world.loop, path, world.headers(who), method).open()
    call.drop()
    return call.status
