"""The strings of `tests/hostile/text.json`; a skip that says so in a copy of the gates and their tests alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[1] / "hostile" / "text.json"


def hostile_strings(*, where: str) -> list[dict[str, Any]]:
    """Each string for that place, as the file has it."""
    if not PATH.exists():
        pytest.skip("the hostile strings are not in this copy (tests/hostile/text.json)")
    return [entry for entry in json.loads(PATH.read_text("utf-8"))["strings"] if where in entry["where"]]


def text_of(entry: dict[str, Any]) -> str:
    """The text of an entry that has one."""
    if "repeat" in entry:
        return str(entry["repeat"]["unit"]) * int(entry["repeat"]["times"])
    if "bytes_hex" in entry:
        return bytes.fromhex(entry["bytes_hex"]).decode("utf-8", "surrogateescape")
    return str(json.loads(entry["json"]))
