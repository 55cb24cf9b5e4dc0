"""Reads the casebook: `hand_cases()` for the hand engine, `table_cases()` for the table room.

It only reads; what a step means is the business of the test that runs it. The fields are explained in README.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from policy.ids import Card, HoleCards, Seat

Json: TypeAlias = Any
"""What json.loads gives; the tests compare it with what the code under test says."""

CASES: Final = Path(__file__).parent
PHH: Final = CASES / "phh"
SHARED: Final = CASES.parents[1].parent / "shared"
"""Where the recorded hands that are not ours lie, beside the project's root; it may be absent."""


@dataclass(frozen=True, slots=True)
class HandCase:
    """One hand. `seats`: (seat, stack) in table order; `hole` and `board` are the cards that a scripted deck must deal."""

    id: str
    title: str
    button: Seat
    small_blind_chips: int
    big_blind_chips: int
    seats: tuple[tuple[Seat, int], ...]
    hole: dict[Seat, HoleCards]
    board: tuple[Card, ...]
    steps: tuple[dict[str, Json], ...]
    expect: dict[str, Json]

    def seats_from_left_of_button(self) -> tuple[tuple[Seat, int], ...]:
        """First left of the button first; the button last."""
        after = [pair for pair in self.seats if pair[0] > self.button]
        return (*after, *(pair for pair in self.seats if pair[0] <= self.button))


@dataclass(frozen=True, slots=True)
class TableCase:
    """Several hands at one table. `table`, `players` and `steps` are as in the file."""

    id: str
    title: str
    policies: tuple[str, ...]
    table: dict[str, Json]
    players: tuple[dict[str, Json], ...]
    steps: tuple[dict[str, Json], ...]


def hand_cases() -> tuple[HandCase, ...]:
    """The 20 cases of one hand, by name."""
    return tuple(_hand_case(data) for data in map(_read, sorted(CASES.glob("o*.json"))) if data["kind"] == "hand")


def table_cases() -> tuple[TableCase, ...]:
    """The 33 cases with a schema of their own, by name."""
    return read_table_cases(CASES)


def read_table_cases(folder: Path) -> tuple[TableCase, ...]:
    """The table cases of a folder, by name."""
    return tuple(_table_case(_read(path)) for path in sorted(folder.glob("table-*.json")))


def table_situation(case_id: str) -> dict[str, Json]:
    """The raw file of one case, for what has no schema (o21: `variants`)."""
    return _read(CASES / f"{case_id}.json")


def split_cards(text: str) -> tuple[Card, ...]:
    """`AsKd` as two cards."""
    return tuple(Card(text[i : i + 2]) for i in range(0, len(text), 2))


def hole_by_seat(hole: dict[str, str]) -> dict[Seat, HoleCards]:
    """The `hole` of a case: seat numbers and two cards each."""
    return {Seat(int(seat)): _two(split_cards(text)) for seat, text in hole.items()}


def _two(cards: tuple[Card, ...]) -> HoleCards:
    first, second = cards
    return first, second


def _read(path: Path) -> dict[str, Json]:
    data: dict[str, Json] = json.loads(path.read_text(encoding="utf-8"))
    return data


def _hand_case(data: dict[str, Json]) -> HandCase:
    table = data["table"]
    return HandCase(
        id=data["id"],
        title=data["title"],
        button=Seat(table["button"]),
        small_blind_chips=table["small_blind"],
        big_blind_chips=table["big_blind"],
        seats=tuple((Seat(player["seat"]), player["stack"]) for player in table["players"]),
        hole=hole_by_seat(data["cards"]["hole"]),
        board=split_cards(data["cards"]["board"]),
        steps=tuple(data["steps"]),
        expect=data["expect"],
    )


def _table_case(data: dict[str, Json]) -> TableCase:
    return TableCase(
        id=data["id"],
        title=data["title"],
        policies=tuple(data["policies"]),
        table=data["table"],
        players=tuple(data["players"]),
        steps=tuple(data["steps"]),
    )
