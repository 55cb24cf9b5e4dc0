"""Who may import whom, as allow-lists: a package or a room that nobody has named yet is not let through.

The order of the rooms inside `gameserver` and the indirect imports are import-linter's (pyproject.toml); `run_import_linter`
runs its contracts. Here are the rules that a deny-list cannot hold.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.architecture.source import Module, is_in, read_modules

OURS: Final = frozenset({"policy", "gameserver", "capture", "railbird", "tests", "benchmarks", "scripts"})

POLICY_STANDARD_LIBRARY: Final = frozenset(
    {
        "__future__", "abc", "base64", "binascii", "collections", "dataclasses", "enum", "functools", "hashlib", "hmac",
        "inspect", "itertools", "json", "math", "operator", "re", "string", "types", "typing", "unicodedata",
    }
)  # fmt: skip
"""What is pure. No os, io, pathlib, socket, time, datetime, random, secrets, logging, asyncio: a gate's answer depends on
its arguments alone."""

IMPURE_BUILTINS: Final = frozenset(
    {"__import__", "breakpoint", "compile", "eval", "exec", "globals", "input", "open", "print"}
)

FRAMES: Final = ("gameserver.wire", "gameserver.errors", "gameserver.words")
"""All that a player's side has of the table server: the messages, and the codes and words in them."""

MAY_IMPORT: Final[Mapping[str, frozenset[str]]] = {
    "policy": frozenset({"policy"}),
    "capture": frozenset({"capture", "policy"}),
    "gameserver": frozenset({"gameserver", "policy"}),
    "railbird.agenthost": frozenset(
        {"railbird.agenthost", "railbird.client", "capture", "policy", *FRAMES}
    ),
    "railbird.client": frozenset({"railbird.client", "policy", *FRAMES}),
    "railbird.embedded": frozenset({"railbird.embedded"}),
    "railbird.studio": frozenset(
        {
            "railbird.studio", "railbird.agenthost", "capture", "policy",
            "gameserver.hand", "gameserver.table", "gameserver.errors", "gameserver.words",
        }
    ),
    "railbird": frozenset({"railbird", "gameserver", "capture", "policy"}),
}  # fmt: skip
"""What of our own a room may import: the longest name that a module's name starts with decides. A hosted agent learns by
frames only, so of the table server it has FRAMES and nothing else."""


def find_forbidden_imports(root: Path) -> list[str]:
    """Imports that cross a wall, wherever in a module they stand (in a function, for type checking only)."""
    return [
        f"{module.name}:{line} imports {name}"
        for module in read_modules(root)
        for line, name in imports_of(module)
        if not _may_import(module, name)
    ]


def find_impure_policy(root: Path) -> list[str]:
    """Built-in functions in `policy` that read, write, or run what an argument says."""
    return [
        f"{module.name}:{node.lineno} uses {node.id}"
        for module in read_modules(root, ["policy"])
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and node.id in IMPURE_BUILTINS
    ]


def imports_of(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full name of each import; `from a import b` is `a.b`, so that rooms imported from a package are seen."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                base = _absolute(module, origin, level)
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _imports_by_name(func):
                yield node.lineno, name


def _absolute(module: Module, origin: str | None, level: int) -> str:
    if level == 0:
        return origin or ""
    package = module.name.split(".") if module.path.name == "__init__.py" else module.name.split(".")[:-1]
    return ".".join([*package[: len(package) - level + 1], *([origin] if origin else [])])


def _imports_by_name(func: ast.expr) -> bool:
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    return name in ("import_module", "__import__", "find_spec")


def _may_import(module: Module, name: str) -> bool:
    top = name.partition(".")[0]
    if top in OURS:
        room = max((room for room in MAY_IMPORT if is_in(module.name, room)), key=len)
        return any(is_in(name, allowed) for allowed in MAY_IMPORT[room])
    return module.package != "policy" or top in POLICY_STANDARD_LIBRARY


def run_import_linter(root: Path) -> str:
    """What import-linter says of the contracts in `root`'s pyproject.toml when one is broken; empty when all are kept."""
    done = subprocess.run(
        [sys.executable, "-c", "import importlinter.cli; importlinter.cli.lint_imports_command()", "--no-cache"],
        cwd=root, env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return ""
    said = done.stdout + done.stderr
    return said[max(0, said.find("Contracts\n")) :]  # without the banner
