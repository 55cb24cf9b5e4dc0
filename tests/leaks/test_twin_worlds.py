"""Nobody can tell two worlds apart that differ in what they may not see: by tours, by recorded hands, and by chance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from policy.ids import Seat
from tests.leaks import machine, matrix, recorded, tours
from tests.leaks.deals import shuffled
from tests.leaks.matrix import NO_WAY
from tests.leaks.play import Play
from tests.leaks.twins import Cell, Tally, Twins
from tests.leaks.world import Chance, Setting, World

SETTINGS: Final = {setting.name: setting for setting in tours.SETTINGS}
FOCUS: Final = {
    "closed": tours.focus_of(SETTINGS["closed"]),
    "revealing": tours.focus_of(SETTINGS["revealing"]),
    "mixed": ("crowd", "pat", "owner-ada"),
    "late": ("crowd", "owner-ada"),
    "private": ("crowd", "eve"),
}
"""For whom twins are made here; `make leaks` makes them for everybody at each table."""
EXAMPLES: Final = 8
EVERY: Final = 120


@pytest.fixture(scope="module")
def tally() -> Tally:
    """What the tours of this module compared."""
    return Tally()


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_a_tour_of_every_way_out_tells_nobody_anything(setting: Setting, tally: Tally, template: Path) -> None:
    """Every kind of viewer, every way out, at each kind of table."""
    Twins(setting, 1, tally, template).check(tours.tour(setting), FOCUS[setting.name])


def test_every_cell_of_the_matrix_is_filled_or_has_its_reason(tally: Tally) -> None:
    """After the tours above: no viewer and no way out was left out."""
    assert tally.deals and tally.other_deals == tally.deals
    assert matrix.empty_cells(tally) == []


def test_chance_plays_tell_nobody_anything(template: Path) -> None:
    """Seating, moves, thoughts, chat, notes, peeks, lost lines, streams, sales, time and crashes in any order."""
    machine.run(Tally(), template, examples=EXAMPLES, seed=0)


def test_recorded_hands_tell_nobody_anything(shared: Path, template: Path) -> None:
    """A few hands here, all of them in `make leaks`."""
    hands = list(recorded.recorded_hands(shared / "data/phh"))
    assert len(hands) > 500
    for number, hand in enumerate(hands[::EVERY]):
        recorded.check(hand, Tally(), template, seats=[number % len(hand.stacks)], show_hands=bool(number % 2))


def test_two_plays_of_one_world_are_the_same_bytes(template: Path) -> None:
    """Else a comparison would find chance, or would have to look away from it."""
    setting = SETTINGS["closed"]
    twins = Twins(setting, 5, Tally(), template)
    orders = [shuffled(5, hand) for hand in range(1, 30)]
    one, other = (twins.play(tours.tour(setting)[:45], orders) for _ in range(2))
    assert {key: len(frames) for key, frames in one.files.items()} == {k: len(f) for k, f in other.files.items()}
    sockets = [key for key in one.files if key[1].startswith("WS")]
    assert sockets and all(one.files[key] == other.files[key] for key in sockets)


@pytest.fixture(scope="module")
def played(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world in which a hand was played."""
    setting = SETTINGS["closed"]
    world = World(setting, Chance(lambda hand: shuffled(1, hand), Seat(0)), tmp_path_factory.mktemp("world"), template)
    Play(world).run(tours.tour(setting)[:12])
    yield world
    world.close()


@pytest.mark.parametrize("cell", NO_WAY, ids=[f"{viewer}-{way}" for viewer, way in NO_WAY])
def test_what_cannot_be_is_refused(cell: Cell, played: World) -> None:
    """Each cell without a way: whoever tries it all the same is turned away."""
    answers = list(matrix.refusals(played, cell))
    assert answers and all(status == NO_WAY[cell].status for _, status in answers), answers
