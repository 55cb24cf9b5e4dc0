"""The commit that once leaked, made again: the call of the gate is taken out of a view. Three kinds of test see it, each by itself."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Final

import pytest

from gameserver.views import sight
from tests.architecture.pinned_seals import SEALS_ARE_OPENED_BY
from tests.architecture.seals import find_openings
from tests.leaks import sentinels
from tests.leaks.mutants import MUTANTS, Mutant, Patch, planted
from tests.leaks.script import Act, Action, Sit, Wait, Watch
from tests.leaks.stage import CLOSED
from tests.leaks.twins import Tally, Twins, WorldsDiffer
from tests.views import test_change

DROPPED: Final = Patch(
    "gameserver.views.sight:Sight._seen",
    "return reveal_policy.compute_revealed_hole_cards(viewer=as_dealt, hand=self.cards, options=self.options)",
    "from policy.sealed import open_sealed\n"
    "    return {entry.seat: open_sealed(entry.cards) for entry in self.cards.seats}",
)
"""All cards, "since the page turns them face down"."""
SCRIPT: Final[tuple[Action, ...]] = (Sit("ada"), Sit("ben"), Watch("crowd"), Wait(300), Act(1))
_DOOR_AJAR: Final = MUTANTS["first_snapshot_unfiltered"].patches[0]


def _leak(*, tripwire: bool) -> Mutant:
    return Mutant("a dropped gate call", "", [DROPPED] if tripwire else [_DOOR_AJAR, DROPPED])


def test_the_walls_see_it(tmp_path: Path) -> None:
    """Who opens a seal is a pinned list: the view is not on it."""
    source = inspect.getsource(sight).replace(DROPPED.old, DROPPED.new.replace("\n    ", "\n        "))
    assert source != inspect.getsource(sight)
    for folder in ("gameserver", "gameserver/views"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "gameserver/views/sight.py").write_text(source, encoding="utf-8")
    opened = find_openings(tmp_path)
    assert ("gameserver.views.sight", "Sight._seen") in opened - SEALS_ARE_OPENED_BY


def test_the_views_own_tests_see_it() -> None:
    """The table of audiences and cards: every row in which somebody knows less than all of it."""
    _views_own_table()
    with planted(_leak(tripwire=True)), pytest.raises(AssertionError):
        _views_own_table()


def _views_own_table() -> None:
    for _, state, table in test_change.KNOWS:
        for view, known in table.items():
            test_change.test_each_audience_gets_the_hole_cards_that_are_its_own_and_no_other(view, state, known)


def test_twin_worlds_see_it(template: Path) -> None:
    """With the tripwire out of the way: bytes differ."""
    with planted(_leak(tripwire=False)), pytest.raises(WorldsDiffer, match="tells the worlds apart"):
        Twins(CLOSED, 1, Tally(), template).check(SCRIPT, ["crowd"])


def test_the_tripwire_sees_it(template: Path) -> None:
    """Nobody gets such a frame, and the suite is not content with that."""
    with planted(_leak(tripwire=True)), pytest.raises(WorldsDiffer, match="held something back"):
        Twins(CLOSED, 1, Tally(), template).check(SCRIPT, ["crowd"])


def test_the_gates_sentinel_sees_it(template: Path) -> None:
    """A live card at somebody else's line."""
    with planted(_leak(tripwire=False)), pytest.raises(AssertionError, match="has the"):
        sentinels.live_cards_of_an_opponent(template)
