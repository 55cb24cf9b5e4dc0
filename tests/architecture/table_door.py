"""Who in the agent host could say something to a table: every place, by module and function.

A hosted agent speaks through `railbird.agenthost.outbound`, so that what it says is in its record. What counts as another way is a
connection of one's own (the client or a socket library, imported), and a request of the client's, named on anything.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from railbird.client.client import Client
from tests.architecture.source import is_in, read_modules, walk_with_scope
from tests.architecture.walls import imports_of

ROOM: Final = "railbird.agenthost"
DOOR: Final = "railbird.agenthost.outbound"
CONNECTIONS: Final = (
    "websockets",
    "wsproto",
    "socket",
    "railbird.client.connect",
    "railbird.client.Client",
    "railbird.client.client",
)
"""Imports that a connection to a table can be made with."""
REQUESTS: Final = frozenset(
    name for name, _ in inspect.getmembers(Client, inspect.iscoroutinefunction) if not name.startswith("_")
) - {"close"}  # fmt: skip
"""What a client can be asked to send."""


def find_ways_to_a_table(root: Path) -> frozenset[tuple[str, str]]:
    """(module, function or import) of everything in the agent host that could send to a table, but for the door."""
    return frozenset(
        found
        for module in read_modules(root)
        if is_in(module.name, ROOM) and not is_in(module.name, DOOR)
        for found in (
            *_connections(module.name, (name for _, name in imports_of(module))),
            *((module.name, scope) for scope, node in walk_with_scope(module.tree) if _is_request(node)),
        )
    )


def _connections(module: str, names: Iterator[str]) -> Iterator[tuple[str, str]]:
    return ((module, f"import {name}") for name in names if any(is_in(name, each) for each in CONNECTIONS))


def _is_request(node: ast.AST) -> bool:
    """A request that is handed on to be called elsewhere counts, too; but `request` alone is a word of many rooms."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) if name in REQUESTS:
            return True
        case ast.Attribute(attr=name) if name in REQUESTS and name != "request":
            return True
        case _:
            return False
