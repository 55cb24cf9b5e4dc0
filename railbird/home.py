"""The folder of the embedded default: for its user alone, and for one server at a time.

Two servers on one folder would deal the same tables twice. The lock is the kernel's, so none is left behind by a server that was
killed.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LOCK: Final = "server.lock"


class HomeTaken(RuntimeError):
    """Another server runs on this folder."""


@contextmanager
def claimed(home: Path) -> Iterator[None]:
    """The folder is this process's within the block; what is made in it meanwhile is readable by its user alone.

    Raises HomeTaken. A folder that is there already keeps its mode; the files of finished hands in it do not depend on it.
    """
    before = os.umask(0o077)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(home / LOCK, "ab") as lock:
            _lock(lock.fileno(), home)
            yield
    finally:
        os.umask(before)


def _lock(descriptor: int, home: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise HomeTaken(
            f"Another server runs on the folder {home}: stop it, or give this one a folder of its own (RAILBIRD_HOME=...)."
        ) from None
