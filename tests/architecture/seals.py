"""Who opens a seal: every place that could, by module and function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.architecture.source import Module, read_modules, walk_with_scope

HOME: Final = "policy.sealed"
OPENERS: Final = frozenset({"open_sealed", "_give", "_KEY"})
"""The one function, and the two names inside its module that would do the same."""

OPENS_FOR_OTHERS: Final = ("showdown", "face_up")
"""Module and function that hands on what it opened: who calls it opens too."""


def find_openings(root: Path) -> frozenset[tuple[str, str]]:
    """(module, function) of everything that names an opener, be it a call, an argument, an alias or a string."""
    return frozenset(
        (module.name, scope)
        for module in read_modules(root)
        if module.name != HOME
        for scope in _scopes_with_an_opener(module)
    )


def _scopes_with_an_opener(module: Module) -> Iterator[str]:
    aliases = _aliases(module.tree)
    for scope, node in walk_with_scope(module.tree):
        match node:
            case ast.Name(id=name) if name in aliases:
                yield scope
            case ast.Attribute(attr=name) if name in OPENERS:
                yield scope
            case ast.Attribute(value=ast.Name(id=module_name), attr=name) if (module_name, name) == OPENS_FOR_OTHERS:
                yield scope
            case ast.Constant(value=str(name)) if name in OPENERS:
                yield scope
            case ast.ImportFrom(module="policy.sealed", names=names) if _brings_more_than_a_name(names):
                yield scope


def _aliases(tree: ast.Module) -> frozenset[str]:
    """The names that an opener goes by in this module."""
    imported = (alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    openers = {*OPENERS, OPENS_FOR_OTHERS[1]}
    return OPENERS | {alias.asname or alias.name for alias in imported if alias.name in openers}


def _brings_more_than_a_name(names: list[ast.alias]) -> bool:
    return any(alias.name == "*" or alias.name.startswith("_") for alias in names)
