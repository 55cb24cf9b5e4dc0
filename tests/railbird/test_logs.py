"""Lines of the log: one an event, and of an error its kind and its place."""

from __future__ import annotations

import logging
import sys

from railbird.logs import OneLine

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
