"""The writer of a finished hand: everything comes back, sealed; and nothing but a hand that is over is written."""

from __future__ import annotations

import ast
import json
from dataclasses import fields
from pathlib import Path

import pytest

from gameserver.errors import Bug
from gameserver.store import hand_record
from gameserver.store.disclosure import UNKNOWN, Disclosure
from gameserver.store.hand_record import read_hand, write_hand
from gameserver.table.facts import HandResult
from policy.ids import Seat
from policy.reveal_policy import Stage
from policy.sealed import SealedError, open_sealed
from policy.spectator_policy import RevealOptions
from tests.store.stories import FOLDED, MUCKED, WINNING, result

LONG_AGO = Path(__file__).parent / "hand-schema-1.json"
SCHEMA_2 = Path(__file__).parent / "hand-schema-2.json"
STREAMED = Disclosure(RevealOptions(show_hands=True, show_thoughts=False), ((Seat(2), 1_700_000_000_000),))


def assert_same(found: HandResult, expected: HandResult) -> None:
    """Two results field by field; sealed cards refuse to be compared, so they are opened here."""
    plain = [field.name for field in fields(HandResult) if field.name != "cards"]
    assert {name: getattr(found, name) for name in plain} == {name: getattr(expected, name) for name in plain}
    assert (found.cards.stage, found.cards.peeks) == (expected.cards.stage, expected.cards.peeks)
    assert cards_of(found) == cards_of(expected)


def cards_of(hand: HandResult) -> list[tuple[object, ...]]:
    return [(entry.seat, open_sealed(entry.cards), entry.standing) for entry in hand.cards.seats]


def test_everything_of_a_hand_comes_back() -> None:
    """Players and owners, moves with their causes, pots, what was returned, and the cards that nobody showed."""
    assert_same(read_hand(write_hand(result()))[0], result())


def test_the_cards_are_sealed_again() -> None:
    """What was read prints no card that was not shown, and goes through no comparison."""
    found, _ = read_hand(write_hand(result()))
    assert "7h" not in repr(found) and "<sealed>" in repr(found)
    with pytest.raises(SealedError):
        assert found.cards == result().cards


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage is not Stage.OVER])
def test_a_hand_that_is_not_over_is_not_written(stage: Stage) -> None:
    """It is a Bug, and the error holds no card."""
    with pytest.raises(Bug) as refused:
        write_hand(result(stage=stage))
    assert not any(card in str(refused.value) for card in (*WINNING, *MUCKED, *FOLDED))


def test_cards_come_last() -> None:
    """Whoever prints the beginning of a row prints none: first the players and what they did."""
    written = write_hand(result()).decode()
    first = min(written.index(f'"{card}"') for card in (*WINNING, *MUCKED, *FOLDED, *result().board))
    assert first > written.index('"board"') > len(written) / 2


def test_the_same_hand_gives_the_same_bytes() -> None:
    """So two records can be compared byte for byte."""
    assert write_hand(result()) == write_hand(result())


def test_a_hand_that_was_written_long_ago_is_read() -> None:
    """The files are schemas 1 and 2 for good: where one does not fit any more, the schema has to have another number."""
    assert_same(read_hand(LONG_AGO.read_bytes())[0], result())
    assert_same(read_hand(SCHEMA_2.read_bytes())[0], result())
    assert json.loads(write_hand(result(), STREAMED)) == json.loads(SCHEMA_2.read_bytes())


def test_what_was_streamed_comes_back() -> None:
    """Of a hand from before it was written down, nothing was."""
    assert read_hand(write_hand(result(), STREAMED))[1] == STREAMED
    assert read_hand(SCHEMA_2.read_bytes())[1] == STREAMED
    assert read_hand(LONG_AGO.read_bytes())[1] == UNKNOWN
    assert UNKNOWN.streamed == ()


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"null",
        b"\xff",
        b'{"schema":1}',
        b'{"cards":"7h"',
        LONG_AGO.read_bytes().replace(b'"schema": 1', b'"schema": 2'),
        LONG_AGO.read_bytes().replace(b'"schema": 1', b'"schema": 3'),
        SCHEMA_2.read_bytes().replace(b'"schema": 2', b'"schema": 1'),
    ],
)
def test_other_bytes_are_a_bug(record: bytes) -> None:
    """The error tells none of them, nor has it a cause that does."""
    with pytest.raises(Bug) as refused:
        read_hand(record)
    assert str(refused.value) == "a stored hand cannot be read"
    assert refused.value.__suppress_context__


def test_one_function_opens_seals() -> None:
    """`write_hand`, and no other here."""
    tree = ast.parse(Path(hand_record.__file__).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    opening = [
        function.name
        for function in functions
        if any(isinstance(node, ast.Name) and node.id == "open_sealed" for node in ast.walk(function))
    ]
    assert opening == ["write_hand"]
