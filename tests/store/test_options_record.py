"""A table's options, written and read: the same, but for what the gate folds."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from gameserver.errors import Bug
from gameserver.store.options_record import read_options, write_options
from gameserver.table.options import AnteKind, Clocks, TableOptions
from policy.spectator_policy import CLOSED, RevealOptions
from policy.table_kind import TableKind
from tests.store.stories import options

UNUSUAL = replace(
    options(TableKind.AGENT, name="Ünï"),
    ante_chips=3,
    ante_kind=AnteKind.BIG_BLIND,
    straddle=True,
    clocks=Clocks(1, 2, 3, 4, 5, 6, 7, 8),
    reveal=RevealOptions(show_hands=True, show_thoughts=True),
    spectator_delay_ms=9,
    agent_chat=True,
    house_agents=2,
    practice=True,
    private=True,
)


def stored(**changes: Any) -> bytes:
    row = json.loads(write_options(UNUSUAL))
    return json.dumps({**row, **changes}).encode()


def test_every_option_comes_back() -> None:
    """No field has its default here, so none can be forgotten."""
    assert read_options(write_options(UNUSUAL)) == UNUSUAL
    usual = TableOptions("n", TableKind.HUMAN, 2, 1, 2, 3, 4, UNUSUAL.created_by)
    same = [f.name for f in fields(TableOptions) if getattr(UNUSUAL, f.name) == getattr(usual, f.name)]
    assert same == ["small_blind_chips", "big_blind_chips", "created_by"]


def test_powers_cannot_be_changed_after_reading() -> None:
    """As those of a new table."""
    with pytest.raises(TypeError):
        read_options(write_options(UNUSUAL)).powers["dealer_peek"] = 99  # type: ignore[index]


@pytest.mark.parametrize("kind", ["human", "mixed"])
def test_no_row_reveals_where_people_can_sit(kind: str) -> None:
    """The second layer: whoever wrote the row."""
    assert read_options(stored(kind=kind)).reveal == CLOSED


@pytest.mark.parametrize("strange", [1, "true", [True], None, {"a": 1}])
def test_only_a_plain_true_reveals(strange: object) -> None:
    """A strange row loads, and opens nothing."""
    row = stored(reveal={"show_hands": strange, "show_thoughts": True})
    assert read_options(row).reveal == RevealOptions(show_hands=False, show_thoughts=True)
    assert read_options(stored(reveal=strange)).reveal == CLOSED


def test_a_field_that_a_row_lacks_has_its_default() -> None:
    """A row that was written before there was such an option."""
    row = json.loads(write_options(UNUSUAL))
    del row["private"], row["clocks"]["turn_ms"], row["reveal"]
    found = read_options(json.dumps(row).encode())
    assert (found.private, found.clocks.turn_ms, found.reveal) == (False, 15_000, CLOSED)


@pytest.mark.parametrize("row", [b"", b"[]", b"\xff", b'{"schema": 1}', stored(kind="dogs"), stored(max_seats="6")])
def test_another_row_is_a_bug(row: bytes) -> None:
    """It is not read in part."""
    with pytest.raises(Bug, match="stored options cannot be read"):
        read_options(row)


@pytest.mark.parametrize("schema", [2, None, "1"])
def test_a_schema_from_the_future_is_a_bug(schema: object) -> None:
    """It is not read as if it were this one."""
    with pytest.raises(Bug, match="schema that is not known"):
        read_options(stored(schema=schema))
