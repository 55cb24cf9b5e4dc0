"""A fault in a table, told to the log without a card: what kind it was and where, never a value."""

from __future__ import annotations

import traceback


def where(error: BaseException) -> list[str]:
    """File, line and function of each step of the traceback; no source line, no local, no message of the error."""
    steps = traceback.extract_tb(error.__traceback__)
    return [f"{step.filename.rsplit('/', 3)[-1]}:{step.lineno} {step.name}" for step in steps[-8:]]


def in_words(error: BaseException) -> str:
    """The kind of an error and where it was, on one line."""
    return f"{type(error).__name__} at {' > '.join(where(error)) or 'no place'}"
