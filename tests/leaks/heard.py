"""What a process says to its log, as it would be written: by either library, at every level."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from railbird.logs import OneLine


@dataclass
class Heard:
    """What the process said to its log."""

    lines: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        self.lines.append(line)


class _Listener(logging.Handler):
    def __init__(self, heard: Heard) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(OneLine("%(message)s"))
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("asyncio"):
            self._heard.take(f"{record.levelname} {self.format(record)}")


@contextmanager
def listening(heard: Heard) -> Iterator[None]:
    """Everything that is logged, at any level, by either library."""
    root, listener = logging.getLogger(), _Listener(heard)
    level = root.level
    root.addHandler(listener)
    root.setLevel(logging.DEBUG)
    try:
        with structlog.testing.capture_logs() as entries:
            yield
        heard.lines += [repr(sorted(entry.items(), key=lambda item: item[0])) for entry in entries]
    finally:
        root.setLevel(level)
        root.removeHandler(listener)
