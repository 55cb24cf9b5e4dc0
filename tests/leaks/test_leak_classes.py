"""Known ways to leak: none of them is here, and each of them would be noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.leaks.attacks import ATTACKS
from tests.leaks.mutants import MUTANTS, Mutant, Patch, StalePatch, planted


def test_each_class_has_its_attack_and_its_mutant() -> None:
    """Sixteen of them that are known from public systems, and three that were found here."""
    assert ATTACKS.keys() == MUTANTS.keys() and len(MUTANTS) == 16 + 3


@pytest.mark.parametrize("name", ATTACKS)
def test_the_attack_finds_nothing(name: str, template: Path) -> None:
    """In the code as it is."""
    ATTACKS[name](template)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_attack_finds_the_planted_leak(name: str, template: Path) -> None:
    """With the leak in the code, and the tripwire out of the way."""
    with planted(MUTANTS[name]), pytest.raises(AssertionError) as found:
        ATTACKS[name](template)
    # Not by a fault that the leak caused, which would be found whatever it showed.
    assert "held something back" not in str(found.value)


@pytest.mark.parametrize(
    "patch",
    [
        Patch("gameserver.views.snapshot:snapshot", "a text that is not there", "x"),
        Patch("gameserver.views.snapshot:snapshot", "on_table", "on_table"),
        Patch("gameserver.net.streams:Stream._keep", "self.seq += 1", "self.seq += 1  # the same"),
        Patch("gameserver.net.streams:Stream", "class", "x"),
    ],
)
def test_a_patch_that_no_longer_applies_is_told(patch: Patch) -> None:
    """A mutant that changes nothing would be found by no attack, or by chance."""
    with pytest.raises(StalePatch), planted(Mutant("stale", "", [patch])):
        pass
