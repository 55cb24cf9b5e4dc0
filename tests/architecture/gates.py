"""The form of a gate and of the module that it is in, read from the source and independent of what registers it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from tests.architecture.source import Module, read_modules

OPENING: Final = "SECURITY: not display logic."
GATE_MODULES: Final = ("_policy", "capture_scope")
"""What the name of a module of gates ends with."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_form_faults(root: Path) -> list[str]:
    """Functions of gate modules that lack a gate's form, and gate modules that do not open as one."""
    faults = []
    for module in _gate_modules(root):
        if not (ast.get_docstring(module.tree) or "").startswith(OPENING):
            faults.append(f"{module.name} does not open with {OPENING!r}")
        faults += [f"{module.name}.{f.name} {fault}" for f in _public_functions(module) for fault in _faults(f)]
    return faults


def find_functions(root: Path) -> frozenset[str]:
    """Full names of the public functions of the gate modules: each one is a gate, or it is private."""
    return frozenset(f"{module.name}.{f.name}" for module in _gate_modules(root) for f in _public_functions(module))


def find_bare_imports(root: Path, gates: Collection[str]) -> list[str]:
    """Gates imported by their own name: they are called as `module.gate(...)`, so that a test can take one out."""
    return [
        f"{module.name}:{node.lineno} imports {node.module}.{alias.name}"
        for module in read_modules(root)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in gates
    ]


def _gate_modules(root: Path) -> list[Module]:
    return [module for module in read_modules(root, ["policy"]) if module.name.endswith(GATE_MODULES)]


def _public_functions(module: Module) -> list[Function]:
    return [node for node in module.tree.body if isinstance(node, Function) and not node.name.startswith("_")]


def _faults(function: Function) -> Iterator[str]:
    arguments = function.args
    if isinstance(function, ast.AsyncFunctionDef):
        yield "is asynchronous"
    if function.decorator_list:
        yield "is decorated, and mutation tools skip it"
    if arguments.args or arguments.posonlyargs or arguments.vararg or arguments.kwarg:
        yield "takes arguments by position, or any number of them"
    if not arguments.kwonlyargs:
        yield "is asked nothing"
    if any(default is not None for default in arguments.kw_defaults):
        yield "has a default"
    if function.returns is None or "bool" in _names(function.returns):
        yield "returns a bool that a caller may forget to look at"
    if not ast.get_docstring(function):
        yield "does not say what it withholds"


def _names(annotation: ast.expr) -> set[str]:
    parts = [*annotation.elts] if isinstance(annotation, ast.Tuple) else [annotation]
    while any(isinstance(part, ast.BinOp) for part in parts):
        parts = [side for p in parts for side in ([p.left, p.right] if isinstance(p, ast.BinOp) else [p])]
    return {part.id for part in parts if isinstance(part, ast.Name)}
