"""The folder of the embedded default: for its user alone, and for one server at a time.

Two servers on one folder would deal the same tables twice. The lock is the kernel's, so none is left behind by a server that was
killed.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LOCK: Final = "server.lock"
_LOOKING_TAKES_S: Final = 0.25
"""Who looks whether a server runs holds the lock for a moment; so long a server that starts tries again."""


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


def is_claimed(home: Path) -> bool:
    """Whether a server runs on the folder at this moment."""
    try:
        with open(home / LOCK, "rb") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _lock(descriptor: int, home: Path) -> None:
    until = time.monotonic() + _LOOKING_TAKES_S
    while not _is_locked(descriptor):
        if time.monotonic() < until:
            time.sleep(0.01)
            continue
        raise HomeTaken(
            f"Another server runs on the folder {home}: stop it, or give this one a folder of its own (RAILBIRD_HOME=...)."
        )


def _is_locked(descriptor: int) -> bool:
    """Whether it could be had."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
