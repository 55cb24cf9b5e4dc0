"""How the processes log: one event a line, without control characters, and no request lines, which could hold a credential.

However talkative the log is, the libraries that would print requests, rows or messages say no more than their warnings
(test_f05_a_credential_is_in_no_log_line).
"""

from __future__ import annotations

import io
import logging
import sys
from contextlib import suppress
from types import TracebackType
from typing import Final, TextIO, TypeAlias, cast

import structlog

from gameserver.floor import faults

ErrorInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
QUIET: Final = (
    "uvicorn",
    "uvicorn.error",
    "uvicorn.access",
    "uvicorn.asgi",
    "websockets",
    "sqlalchemy",
    "sse_starlette",
    "asyncpg",
    "alembic",
    "asyncio",
    "urllib3",
    "openai",
    "anthropic",
    "httpx2",
    "httpcore2",
)
"""Loggers of libraries, whose finer lines show what they carry."""


class OneLine(logging.Formatter):
    """Every event is one line: what would break it, or what a terminal would act on, is written as its escape.

    Of an error it says the kind and the place. Its text may hold what it was about, and is not said
    (test_a_store_that_breaks_tells_nobody_what_it_held).
    """

    def format(self, record: logging.LogRecord) -> str:
        others, record.exc_text = record.exc_text, None  # what another handler made of the error
        try:
            return on_one_line(super().format(record))
        finally:
            record.exc_text = others

    def formatMessage(self, record: logging.LogRecord) -> str:
        if record.exc_info:
            # Behind the first line asyncio shows the task, and with it the error.
            record.message = record.message.partition("\n")[0]
        return super().formatMessage(record)

    def formatException(self, ei: ErrorInfo) -> str:
        return faults.in_words(ei[1]) if ei[1] is not None else "no error"


class Unfailing(io.TextIOBase):
    """Writes to another stream. One that is closed or broken takes nothing, and whoever logged goes on: a fault of the log is no
    fault of a table (test_a_log_that_cannot_be_written_stops_nobody).
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def on_one_line(text: str) -> str:
    """The text with every character that does not print escaped, spaces aside (`a\\nb` as `a\\\\nb`)."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)


def configure_logs(*, level: str = "warning") -> None:
    """Log lines of key=value pairs to standard error. Values are written as their repr, so that one event stays one line."""
    least = logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=least, handlers=[handler])
    for name in QUIET:
        logging.getLogger(name).setLevel(max(least, logging.WARNING))
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.PrintLoggerFactory(file=cast("TextIO", Unfailing(sys.stderr))),
    )
