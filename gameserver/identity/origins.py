"""Which web pages may open a socket or send a form: a browser says from where, and it is this list or nothing.

A program that is no browser sends no `Origin`, and proves itself in full all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from gameserver.errors import RailbirdError

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_WRITTEN: Final = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


class NotAnOrigin(RailbirdError):
    """A setting is not scheme, host and port."""


class AllowedOrigins:
    """The origins of our own pages, each as scheme, host and port; compared whole, never by a part of the text.

    That no prefix, suffix or other port passes is pinned by test_an_origin_is_compared_whole.
    """

    def __init__(self, origins: Iterable[str]) -> None:
        self._allowed: Final = frozenset(_required(origin) for origin in origins)

    def allows(self, headers: Sequence[str]) -> bool:
        """`headers`: every `Origin` header of the request. None at all is a program; two are refused."""
        if not headers:
            return True
        return len(headers) == 1 and parsed(headers[0]) in self._allowed

    def allows_a_page(self, headers: Sequence[str]) -> bool:
        """As `allows`, for what browsers do and programs do not: an `Origin` must be there."""
        return bool(headers) and self.allows(headers)


def parsed(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None for what is no web origin, `null` among them."""
    if _WRITTEN.fullmatch(origin) is None:
        return None
    parts = urlsplit(origin)
    try:
        port = parts.port
    except ValueError:
        return None
    assert parts.hostname is not None
    return parts.scheme, parts.hostname, _DEFAULT_PORTS[parts.scheme] if port is None else port


def _required(origin: str) -> tuple[str, str, int]:
    found = parsed(origin)
    if found is None:
        raise NotAnOrigin("an origin is written as scheme://host or scheme://host:port, without a path")
    return found
