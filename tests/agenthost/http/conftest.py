"""A whole server of each test's own."""

from __future__ import annotations

from tests.http.conftest import world

__all__ = ["world"]
