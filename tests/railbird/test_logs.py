"""Lines of the log: one an event, and of an error its kind and its place."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import suppress

import pytest
import structlog

from railbird.logs import OneLine, configure_logs

TEXT = "the row: As Kd"


def record_of_an_error(message: str, *given: object) -> logging.LogRecord:
    try:
        try:
            raise ValueError(TEXT)
        except ValueError as error:
            raise RuntimeError(f"again, {TEXT}") from error
    except RuntimeError:
        return logging.LogRecord("somebody", logging.ERROR, __file__, 1, message, given, sys.exc_info())


def test_an_error_is_its_kind_and_its_place() -> None:
    """Not its text, nor that of what caused it."""
    line = OneLine("%(levelname)s %(message)s").format(record_of_an_error("it failed"))
    assert line.startswith("ERROR it failed\\nRuntimeError at ")
    assert "record_of_an_error" in line
    assert TEXT not in line


def test_what_asyncio_says_of_a_lost_task_is_one_sentence() -> None:
    """Its further lines show the task, and the task its error."""
    line = OneLine("%(message)s").format(
        record_of_an_error("Task exception was never retrieved\nfuture: %r", ValueError(TEXT))
    )
    assert line.startswith("Task exception was never retrieved\\nRuntimeError at ")
    assert TEXT not in line


def test_handlers_of_a_host_are_left_as_they_are() -> None:
    """What another formatter made of an error is neither shown here nor taken from it."""
    record = record_of_an_error("it failed")
    whole = logging.Formatter().format(record)
    assert TEXT in whole
    assert TEXT not in OneLine().format(record)
    assert logging.Formatter().format(record) == whole


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed stream and a broken pipe take nothing, and whoever logs goes on."""
    closed = io.StringIO()
    closed.close()
    read, write = os.pipe()
    os.close(read)
    broken = open(write, "w")  # noqa: SIM115 - its end fails, too
    for stream in (closed, broken):
        monkeypatch.setattr(sys, "stderr", stream)
        configure_logs()
        structlog.get_logger().error("table_fault", table="t-1")
    with suppress(BrokenPipeError):
        broken.close()
