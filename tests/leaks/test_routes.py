"""Every route has its lock: it stands in the list, and the list is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from policy.ids import Seat
from tests.leaks.deals import shuffled
from tests.leaks.routes import LOCKS, MAY_ANSWER, Lock, answers, routes_of
from tests.leaks.tours import SETTINGS
from tests.leaks.world import Chance, World


@pytest.fixture(scope="module")
def world(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A table that nobody sits at."""
    world = World(
        SETTINGS[0], Chance(lambda hand: shuffled(1, hand), Seat(0)), tmp_path_factory.mktemp("routes"), template
    )
    yield world
    world.close()


def test_every_route_stands_in_the_list(world: World) -> None:
    """Compared both ways: a new way out is looked at before it is there, and a list has no dead line."""
    assert sorted(routes_of(world.server.app.routes)) == sorted(LOCKS)


@pytest.mark.parametrize(
    ("method", "path"), [key for key, lock in LOCKS.items() if lock in MAY_ANSWER and key[0] != "MOUNT"]
)
def test_a_route_opens_to_whom_its_lock_says(world: World, method: str, path: str) -> None:
    """Asked by nobody, with a broken credential, with an agent's token, and by a user who owns nothing here."""
    got = answers(world, method, path)
    assert all(status in may for status, may in zip(got, MAY_ANSWER[LOCKS[method, path]], strict=True)), got


def test_a_socket_is_refused_with_a_broken_credential(world: World) -> None:
    """And opened for whoever shows none."""
    assert [LOCKS[key] for key in LOCKS if key[0] == "WS"] == [Lock.SOCKET]
    assert not world.new_socket("noone").is_open
    assert world.new_socket("crowd").is_open
