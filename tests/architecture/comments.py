"""Comments that assert an invariant. A comment is no enforcement, so it names the test that is."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.architecture.names import TEST_NAME, find_unknown_tests
from tests.architecture.source import read_modules

ROOMS: Final = ("policy", "gameserver")
ABSOLUTE: Final = re.compile(r"\b(never|always|only)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """Comment lines that follow each other, as one text, and the first one's line."""

    line: int
    text: str


def find_unpinned_comments(root: Path, *, known: frozenset[str]) -> list[str]:
    """Comments that say never, always or only and name no test, or one that is not there."""
    return [
        f"{module.name}:{comment.line} {fault}"
        for module in read_modules(root, ROOMS)
        for comment in read_comments(module.text)
        if ABSOLUTE.search(comment.text)
        for fault in _faults(comment.text, known, root)
    ]


def _faults(text: str, known: frozenset[str], root: Path) -> Iterator[str]:
    if not TEST_NAME.search(text):
        yield "says never, always or only, and names no test"
    yield from (f"names {name}, which is no test" for name in find_unknown_tests(text, known=known, root=root))


def read_comments(source: str) -> list[Comment]:
    """The comments of a module; those on lines of their own that follow each other are one."""
    comments: list[Comment] = []
    last = (0, -1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start
        own_line = not token.line[:column].strip()
        text = token.string.lstrip("# ")
        if own_line and last == (line - 1, column):
            comments[-1] = Comment(comments[-1].line, f"{comments[-1].text} {text}")
        else:
            comments.append(Comment(line, text))
        last = (line, column) if own_line else (0, -1)
    return comments
