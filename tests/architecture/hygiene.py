"""What belongs to a machine or a registry and to no project: registries' addresses, file addresses, absolute places."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

UNTRACKED: Final = frozenset(
    {
        ".git",
        ".venv",
        ".venv-real-model",
        ".railbird",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        "mutants",
    }
)
"""Folders to leave out where git cannot be asked: in an unpacked archive, or as another user."""

# Written so that no pattern matches itself.
UNWANTED: Final = {
    "a registry's address": re.compile(
        r"(py[p]i\.org|python[h]osted|registry\.npm[j]s|deb\.debian\.or[g]|:/{2}\S*/simple\b)"
    ),
    "a pip setting of a machine": re.compile(r"(find[-]links|index[-]url)\b"),
    "a file address": re.compile(r"\bfile:/{2,3}\w"),
    "an absolute place": re.compile(r"(?<![\w.~}])/(work|root|home|Users|tmp/[a-z]+)(?=/\w)"),
}
"""What is found, and how."""

EXCEPTIONS: Final = frozenset({("scripts/lock.sh", "a pip setting of a machine")})
"""scripts/lock.sh turns these settings off, and refuses a lock that holds one."""


def list_tracked_files(root: Path) -> list[Path]:
    """What git tracks below `root`, else all files outside UNTRACKED folders; paths relative to `root`."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return _walk(root)
    files = [Path(name) for name in listed.stdout.split("\0") if name]
    return [file for file in files if (root / file).is_file()] or _walk(root)


def _walk(root: Path) -> list[Path]:
    files = (file.relative_to(root) for file in sorted(root.rglob("*")) if file.is_file())
    return [file for file in files if not UNTRACKED.intersection(file.parts)]


def find_unwanted(root: Path) -> list[str]:
    """File, line and kind of all that is unwanted; never the text itself is repeated but its place."""
    return [
        f"{file}:{number} holds {kind}"
        for file in list_tracked_files(root)
        for number, line in _lines(root / file)
        for kind, pattern in UNWANTED.items()
        if pattern.search(line) and (file.as_posix(), kind) not in EXCEPTIONS
    ]


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        return enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    except UnicodeDecodeError:  # a picture
        return enumerate(())
