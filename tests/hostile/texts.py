"""Reads `text.json`: strings for names, chat, reasoning and notes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class HostileText:
    """One string that can be written as one (README.md: bytes and pairs are not here). `at_input` as in the file."""

    id: str
    where: tuple[str, ...]
    text: str
    at_input: str
    must: tuple[str, ...]
    why: str


def hostile_texts(where: str) -> Sequence[HostileText]:
    """All strings for a place: `name`, `chat`, `reasoning` or `note`."""
    cases = json.loads((FOLDER / "text.json").read_text(encoding="utf-8"))["strings"]
    found = []
    for case in cases:
        if where not in case["where"] or ("json" not in case and "repeat" not in case):
            continue
        text = json.loads(case["json"]) if "json" in case else case["repeat"]["unit"] * case["repeat"]["times"]
        found.append(
            HostileText(
                case["id"], tuple(case["where"]), text, case["at_input"], tuple(case.get("must", ())), case["why"]
            )
        )
    return found
