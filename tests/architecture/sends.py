"""Who sends a byte to a connection: every place that could, by module and function."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

from tests.architecture.source import read_modules, walk_with_scope

SENDS: Final = frozenset(
    {
        "send", "send_text", "send_json", "send_bytes", "send_str", "send_denial_response", "sendall", "sendmsg", "sendto",
        "sendfile",
    }
)  # fmt: skip
WRITES: Final = frozenset({"write", "writelines", "insist"})
"""Files are written too; these count where what is written to is a transport, a stream's writer, or an outlet or a connection of
the net room."""


def find_sends(root: Path) -> frozenset[tuple[str, str]]:
    """(module, function) of everything that names a way to send: as a call, or handed on to be called elsewhere."""
    return frozenset(
        (module.name, scope)
        for module in read_modules(root)
        for scope, node in walk_with_scope(module.tree)
        if _is_send(node)
    )


def _is_send(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in SENDS:
            return True
        case ast.Attribute(attr=name, value=target) if name in WRITES:
            return _is_connection(target)
        case ast.Call(func=ast.Name(id="send")):  # ASGI's own, as an argument
            return True
        case _:
            return False


def _is_connection(target: ast.expr) -> bool:
    name = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
    return any(part in name.lower() for part in ("connection", "outlet", "transport", "writer"))
