"""Twenty kills of the real server; `make crash` makes more of them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gameserver.store.engine import Database, database_url
from gameserver.store.stored import HandStatus
from policy.ids import HandNumber, TableId
from tests.crash import harness
from tests.crash.__main__ import problems, summary
from tests.crash.books import Books
from tests.crash.marks import Mark, Phase, Step

KILLS = 20


async def test_nothing_is_lost_or_doubled_by_kills(tmp_path: Path) -> None:
    """Hands are whole or cancelled, numbers and buttons go on, and every chip is where the books say, after each of them."""
    url = f"sqlite:///{tmp_path / 'railbird.sqlite'}"
    report = await harness.run(url, tmp_path / "keys", KILLS, seed=7, told=lambda number, report: None)
    print(summary(report, KILLS))
    assert problems(report, KILLS) == []
    assert report.kills == KILLS == sum(report.phases.values())
    assert all(report.phases[phase] > 0 for phase in Phase)
    assert report.hands[HandStatus.FINISHED] > 0 and report.hands[HandStatus.CANCELLED] > 0
    assert report.chips > 0
    await _check_that_damage_is_found(tmp_path / "railbird.sqlite")


DAMAGE = {
    "UPDATE railbird_accounts SET balance_chips = balance_chips + 1 WHERE account = 'bankroll:house-1-0-owner'": "chips",
    "DELETE FROM railbird_hands WHERE status = 'cancelled'": "is gone",
    "INSERT INTO railbird_hands (table_id, hand_number, status, began_ms) "
    "SELECT table_id, max(hand_number) + 1, 'began', 0 FROM railbird_hands": "is open still",
    "UPDATE railbird_tables SET memory = CAST(replace(CAST(memory AS TEXT), '\"hand_number\":', '\"hand_number\":9') AS BLOB)": (
        "goes on from hand"
    ),
    "UPDATE railbird_tables SET memory = CAST(replace(CAST(memory AS TEXT), '\"button\":', '\"button\":1') AS BLOB)": (
        "has its button at"
    ),
    "UPDATE railbird_tables SET memory = CAST(replace(CAST(memory AS TEXT), '\"stack_chips\":', '\"stack_chips\":1') AS BLOB)": (
        "the ledger has"
    ),
}
"""What is done to the books, and what has to be said of it."""


async def _check_that_damage_is_found(path: Path) -> None:
    """The same look sees each kind of damage: a harness that finds nothing could be blind."""
    database = Database(database_url(f"sqlite:///{path}"))
    books = Books(database)
    assert await books.look([]) == []
    table, number = max(books.seen)
    lost = Mark(TableId(table), HandNumber(number + 1), Step.ENDED)
    assert any("was stored as finished" in each for each in await books.look([lost]))
    await database.dispose()
    for damage, words in DAMAGE.items():
        damaged = path.with_name("damaged.sqlite")
        shutil.copy(path, damaged)
        with closing(sqlite3.connect(damaged)) as connection:
            assert connection.execute(damage).rowcount > 0, damage
            connection.commit()
        again = Database(database_url(f"sqlite:///{damaged}"))
        found = await Books(again, seen=dict(books.seen)).look([])
        assert any(words in each for each in found), (damage, found)
        await again.dispose()


@pytest.mark.parametrize("step", Step)
def test_a_mark_is_read_as_it_was_written(step: Step) -> None:
    """One line each."""
    mark = Mark(TableId("t-1"), HandNumber(7), step)
    assert Mark.read(f"{mark.table_id} {mark.hand_number} {mark.step}") == mark
