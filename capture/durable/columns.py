"""Types of columns that are alike on SQLite and Postgres: exact money, and text that a database would refuse."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from sqlalchemy import BigInteger, Dialect, Numeric, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

PICO_DIGITS: Final = 12
"""Money is kept to a millionth of a millionth of a dollar: a token of a price by the million has no finer one."""

_PICO: Final = Decimal(1).scaleb(-PICO_DIGITS)
_MOST_USD: Final = Decimal(1_000_000)
"""So much and no more in one row, so that nine million rows of it have an exact sum in 64 bits."""
_ODD: Final = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED: Final = re.compile(r"\\(\\|u[0-9a-f]{4})")


class ExactUsd(TypeDecorator[Decimal]):
    """Dollars without rounding: NUMERIC on Postgres, whole millionths of millionths on SQLite, which has no decimals.

    A sum in SQL is exact on both. Raises ValueError for what is no amount (an infinity, or more than a million).
    """

    impl = Numeric(38, PICO_DIGITS)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(BigInteger() if dialect.name == "sqlite" else Numeric(38, PICO_DIGITS))

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        exact = exact_usd(value)
        return int(exact.scaleb(PICO_DIGITS)) if dialect.name == "sqlite" else exact

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        if value is None:
            return None
        amount = Decimal(value)
        return amount.scaleb(-PICO_DIGITS) if dialect.name == "sqlite" else amount


def exact_usd(value: Decimal) -> Decimal:
    """The amount as it is kept. Raises ValueError for what is no amount."""
    if not value.is_finite() or abs(value) > _MOST_USD:
        raise ValueError("no amount of money")
    return value.quantize(_PICO, ROUND_HALF_EVEN)


class AnyText(TypeDecorator[str]):
    r"""Text with NUL and lone surrogates, which databases refuse: these are kept as `\u0000`, and a backslash as two."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else _ODD.sub(_escape, value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else _ESCAPED.sub(_unescape, value)


def _escape(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _unescape(found: re.Match[str]) -> str:
    return "\\" if found[1] == "\\" else chr(int(found[1][1:], 16))
