"""How the processes log: one event a line, without control characters, and no request lines, which could hold a credential."""

from __future__ import annotations

import logging
import sys

import structlog


def configure_logs(*, level: int = logging.WARNING) -> None:
    """Log lines of key=value pairs to standard error. Values are written as their repr, so that one event stays one line."""
    logging.basicConfig(level=level, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
