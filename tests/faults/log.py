"""Everything that is logged while a block runs, as one text: the standard library's loggers and structlog alike."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from railbird.logs import QUIET, OneLine, configure_logs


class Log(logging.Handler):
    """The log as text. `faults`: what was logged as an error, or with a traceback."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.setFormatter(OneLine("%(levelname)s %(name)s %(message)s"))
        self.events = io.StringIO()
        self.lines: list[str] = []
        self.faults: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        self.lines.append(line)
        if record.levelno >= logging.ERROR or record.exc_info:
            self.faults.append(line)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + self.events.getvalue()

    def all_faults(self) -> list[str]:
        """Errors of both kinds of logger."""
        return self.faults + [line for line in self.events.getvalue().splitlines() if "level='error'" in line]


@contextmanager
def logged(level: str = "warning") -> Iterator[Log]:
    """Log from this level on, as the commands set it up, into a text."""
    log, root = Log(), logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in (root.name, *QUIET)}
    events = structlog.get_config()
    root.addHandler(log)
    root.setLevel(level.upper())
    configure_logs(level=level)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(file=log.events))
    try:
        yield log
    finally:
        root.removeHandler(log)
        for name, before in levels.items():
            logging.getLogger(name).setLevel(before)
        structlog.configure(**events)
