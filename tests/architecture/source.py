"""Reading a source tree: its modules, and in which function a piece of code is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("policy", "gameserver", "capture", "railbird")
OUTSIDE_FUNCTIONS: Final = "<module>"


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file by the full name that it is imported by."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The top of its full name."""
        return self.name.partition(".")[0]


def read_modules(root: Path, packages: Sequence[str] = PACKAGES) -> list[Module]:
    """Every module of `packages` below `root`, in the order of their names."""
    files = sorted(file for package in packages for file in (root / package).rglob("*.py"))
    return [read_module(root, file) for file in files]


def read_module(root: Path, file: Path) -> Module:
    parts = file.relative_to(root).with_suffix("").parts
    text = file.read_text(encoding="utf-8")
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, file, text, ast.parse(text, filename=str(file)))


def is_in(name: str, room: str) -> bool:
    """Whether a full name is the room's, or of something inside it."""
    return name == room or name.startswith(f"{room}.")


def walk_with_scope(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Each node with the function that it is in, as `Class.method`, or OUTSIDE_FUNCTIONS.

    What is inside a nested function or a lambda belongs to the outermost function: that is what a reader looks for.
    """
    yield from _walk(tree, scope=(), inside_function=False)


def _walk(node: ast.AST, *, scope: tuple[str, ...], inside_function: bool) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield (".".join(scope) if inside_function else OUTSIDE_FUNCTIONS), child
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not inside_function:
                yield from _walk(child, scope=(*scope, child.name), inside_function=True)
            case ast.ClassDef() if not inside_function:
                yield from _walk(child, scope=(*scope, child.name), inside_function=False)
            case _:
                yield from _walk(child, scope=scope, inside_function=inside_function)
