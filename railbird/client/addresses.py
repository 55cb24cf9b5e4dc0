"""Where a table's WebSocket is."""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def table_url(server: str, table_id: str) -> str:
    """The WebSocket address of a table. `server`: as a browser opens it, `https://host[:port][/prefix]`."""
    parts = urlsplit(server)
    if parts.scheme not in _SCHEMES or not parts.netloc:
        raise ValueError("a server's address begins with http:// or https://, as in http://127.0.0.1:8000")
    path = f"{parts.path.rstrip('/')}/games/poker/{quote(table_id, safe='')}/ws"
    return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))
