"""What an asker would rather have, where a route has both: a page, or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from starlette.requests import HTTPConnection

_MOST_RANGES: Final = 32


def prefers_html(connection: HTTPConnection) -> bool:
    """Whether `Accept` (RFC 9110, 12.5.1) names HTML, and neither JSON nor anything else above it. Programs name none, and get JSON."""
    wanted = dict(_ranges(",".join(connection.headers.getlist("accept"))))
    html = max(wanted.get("text/html", 0.0), wanted.get("application/xhtml+xml", 0.0))
    if html == 0:
        return False
    json = wanted.get("application/json")
    return html >= wanted.get("*/*", 0.0) if json is None else html > json


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for each in accept.split(",", _MOST_RANGES)[:_MOST_RANGES]:
        name, *parameters = (part.strip().lower() for part in each.split(";"))
        yield name, _quality(parameters)


def _quality(parameters: list[str]) -> float:
    """From 0 to 1; what is no number is nothing wanted."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
