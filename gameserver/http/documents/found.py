"""The routes that an application has, as the documents name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
_NOT_DESCRIBED: Final = frozenset({"HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class FoundRoute:
    """`method`: of HTTP, or `WS`. `path`: its parameters are in camelCase, as in `/games/poker/{tableId}`."""

    method: str
    path: str
    name: str

    @property
    def key(self) -> str:
        """As `GET /games/poker/{tableId}`."""
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the path's parameters, in order."""
        return tuple(_PARAMETER.findall(self.path))


def found_routes(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[FoundRoute]:
    """Every route for programs, in order, those of mounted routers too.

    Left out are pages (`include_in_schema=False`) and mounted folders of files.
    """
    for route in routes:
        match route:
            case Route(include_in_schema=True):
                for method in sorted((route.methods or set()) - _NOT_DESCRIBED):
                    yield FoundRoute(method, _documented(prefix + route.path), route.name)
            case WebSocketRoute():
                yield FoundRoute("WS", _documented(prefix + route.path), route.name)
            case Mount():
                yield from found_routes(route.routes or (), prefix + route.path)
            case _:
                pass


def _documented(path: str) -> str:
    return _PARAMETER.sub(lambda found: "{" + _camel(found[1]) + "}", path)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
