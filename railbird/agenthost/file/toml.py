"""Reads TOML strictly, and says all that is wrong at once: the file, the line, the field, a code, and what it has to be.

No problem repeats a value: it may be a secret that somebody wrote where it does not belong
(test_no_problem_repeats_a_value).
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

Parse: TypeAlias = Callable[[object], T]
"""A value of a field. Raises Bad."""

_MOST_FILE_BYTES: Final = 8 * 1024 * 1024
_NEAR: Final = 0.75
_LIKE_A_FIELD: Final = re.compile("[a-z_]{1,24}")
"""Any other name may be a secret that was written where it does not belong (test_no_problem_repeats_a_value)."""
_AT_LINE: Final = re.compile(r"\(at line (\d+)")


class Bad(Exception):
    """A value cannot be. `code`: as on the wire. `why`: what it has to be; for people."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `field`: as `agents[2].seat`; empty for the file as a whole. `line`: from 1, `None` where unknown."""

    field: str
    code: str
    why: str
    line: int | None = None

    def in_words(self, file: str) -> str:
        """One line for people."""
        where = file if self.line is None else f"{file}:{self.line}"
        return ": ".join(part for part in (where, self.field, self.code, self.why) if part)


class Wrong(Exception):
    """A file cannot be used."""

    def __init__(self, file: str, problems: Collection[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.line or 0, problem.field)))
        super().__init__("\n".join(problem.in_words(file) for problem in self.problems))


class Reader:
    """One file's text while it is read; problems are gathered here."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._lines = text.splitlines()

    def table(
        self, place: str, values: object, known: Collection[str], elsewhere: Mapping[str, Collection[str]]
    ) -> Fields:
        """One table of it, of which only these fields are known. `elsewhere`: those of other tables, by where they stand."""
        if not isinstance(values, dict):
            self.report(place, "bad_type", "has to be a table")
            return Fields(self, place, {})
        for name in values.keys() - set(known):
            meant = _meant(name, known, elsewhere)
            shown = name if meant is not None or _LIKE_A_FIELD.fullmatch(name) else "(another field)"
            why = meant or f"there are {', '.join(sorted(known))}"
            self.report(_join(place, shown), "unknown_field", why, self._line(place, name))
        return Fields(self, place, values)

    def report(self, field: str, code: str, why: str, line: int | None = None) -> None:
        """Something is wrong."""
        table, _, name = field.rpartition(".")
        self.problems.append(Problem(field, code, why, line or self._line(table, name) or self._header(field)))

    def _line(self, table: str, field: str) -> int | None:
        """Where a field stands, or else where its table begins."""
        begins = self._header(table)
        if begins is None:
            return None
        name = re.compile(rf"\s*(?:{re.escape(field)}|\"{re.escape(field)}\"|'{re.escape(field)}')\s*[.=]")
        for number in range(begins, len(self._lines)):
            line = self._lines[number]
            if number > begins and line.lstrip().startswith("["):
                break
            if name.match(line):
                return number + 1
        return begins or None

    def _header(self, table: str) -> int | None:
        """The number of lines up to a table's own header, it included; 0 for what stands before the first."""
        if not table:
            return 0
        counted = re.fullmatch(r"(\w+)\[(\d+)\]", table)
        wanted = f"[[{counted[1]}]]" if counted else f"[{table}]"
        nth = int(counted[2]) if counted else 1
        for number, line in enumerate(self._lines, start=1):
            header = line.split("#")[0].replace(" ", "").replace('"', "").strip()
            if header == wanted:
                nth -= 1
                if nth == 0:
                    return number
        return None


@dataclass(frozen=True, slots=True)
class Fields:
    """One table's fields."""

    reader: Reader
    place: str
    values: Mapping[str, Any]

    def optional(self, name: str, parse: Parse[T], default: T) -> T:
        """A field that may be missing."""
        if name not in self.values:
            return default
        try:
            return parse(self.values[name])
        except Bad as bad:
            self.report(name, bad.code, bad.why)
            return default

    def required(self, name: str, parse: Parse[T], stand_in: T) -> T:
        """A field that has to be there. `stand_in`: with what reading goes on where it is not."""
        if name not in self.values:
            self.report(name, "missing_field", "has to be there")
            return stand_in
        return self.optional(name, parse, stand_in)

    def report(self, name: str, code: str, why: str) -> None:
        """Something is wrong with a field."""
        self.reader.report(_join(self.place, name), code, why)


def _meant(name: str, known: Collection[str], elsewhere: Mapping[str, Collection[str]]) -> str | None:
    """What somebody meant, in words; None where nothing is near."""
    if near := difflib.get_close_matches(name, known, n=1, cutoff=_NEAR):
        return f"did you mean {near[0]}?"
    for where, fields in elsewhere.items():
        if near := difflib.get_close_matches(name, fields, n=1, cutoff=_NEAR):
            return f"did you mean {near[0]}? It stands in {where}"
    return None


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def parsed(file: Path) -> tuple[Reader, Mapping[str, Any]]:
    """A file's text and tables. Raises Wrong."""
    name = file.name
    try:
        data = file.read_bytes()
    except OSError as failed:
        raise Wrong(name, [Problem("", "unreadable", failed.strerror or "cannot be read")]) from None
    if len(data) > _MOST_FILE_BYTES:
        raise Wrong(name, [Problem("", "too_large", f"a file has at most {_MOST_FILE_BYTES} bytes")])
    try:
        text = data.decode("utf-8-sig")
        return Reader(text), tomllib.loads(text)
    except UnicodeDecodeError:
        raise Wrong(name, [Problem("", "bad_text", "has to be UTF-8")]) from None
    except (tomllib.TOMLDecodeError, RecursionError) as broken:
        line = _AT_LINE.search(str(broken))
        where = int(line[1]) if line else len(text.splitlines())
        raise Wrong(name, [Problem("", "bad_toml", "is no TOML", where)]) from None


# --- kinds of value -----------------------------------------------------------------------------------------------------


def text(least: int = 0, most: int = 40_000) -> Parse[str]:
    """A text of so many characters, without NUL."""

    def parse(value: object) -> str:
        if not isinstance(value, str):
            raise Bad("bad_type", "has to be a text")
        if "\0" in value:
            raise Bad("bad_text", "holds a NUL")
        if not least <= len(value) <= most:
            raise Bad(
                "bad_value" if len(value) < least else "text_too_long", f"has to have {least} to {most} characters"
            )
        return value

    return parse


def word(form: str, in_words: str) -> Parse[str]:
    """A text of a form."""
    pattern = re.compile(form)

    def parse(value: object) -> str:
        if not isinstance(value, str):
            raise Bad("bad_type", "has to be a text")
        if pattern.fullmatch(value) is None:
            raise Bad("bad_value", f"has to be {in_words}")
        return value

    return parse


def whole(least: int, most: int) -> Parse[int]:
    """A whole number."""

    def parse(value: object) -> int:
        if type(value) is not int:
            raise Bad("bad_type", "has to be a whole number")
        if not least <= value <= most:
            raise Bad("out_of_range", f"has to be from {least} to {most}")
        return value

    return parse


def number(least: float, most: float) -> Parse[float]:
    """A number."""

    def parse(value: object) -> float:
        if type(value) not in (int, float):
            raise Bad("bad_type", "has to be a number")
        assert isinstance(value, int | float)
        if not least <= value <= most:  # not a number is in no range
            raise Bad("out_of_range", f"has to be from {least:g} to {most:g}")
        return float(value)

    return parse


def dollars(value: object) -> Decimal:
    """An exact amount: a whole number, or a text such as "0.15". A float is not exact."""
    written = str(value) if type(value) is int else value
    if not isinstance(written, str) or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", written):
        raise Bad("bad_value", 'has to be a whole number or an exact amount as a text, "0.15"')
    return Decimal(written)


def flag(value: object) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise Bad("bad_type", "has to be true or false")
    return value


def one_of(*names: str) -> Parse[str]:
    """One of these texts."""

    def parse(value: object) -> str:
        if not isinstance(value, str):
            raise Bad("bad_type", "has to be a text")
        if value not in names:
            raise Bad("bad_value", f"has to be one of {', '.join(names)}")
        return value

    return parse


def list_of(parse_one: Parse[T], most: int) -> Parse[tuple[T, ...]]:
    """A list."""

    def parse(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Bad("bad_type", "has to be a list")
        if len(value) > most:
            raise Bad("out_of_range", f"has to have at most {most} entries")
        return tuple(map(parse_one, value))

    return parse


def optional(parse_one: Parse[T]) -> Parse[T | None]:
    """The same value, for a field whose default is `None`."""
    return parse_one
