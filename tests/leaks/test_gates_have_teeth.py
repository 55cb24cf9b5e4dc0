"""Each gate is taken out in turn, and the attacks that it stands against notice. A gate whose removal nobody notices is no gate."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from policy.gates import GATES
from tests.architecture.source import read_modules
from tests.conftest import ROOT
from tests.leaks.sentinels import LETS_ALL_THROUGH, NOT_ASKED_YET, SENTINELS, Attack

NAMES: Final = [f"{gate.module}.{gate.name}" for gate in GATES]
PAIRS: Final = [(gate, attack) for gate, attacks in SENTINELS.items() for attack in attacks]
IDS: Final = [f"{gate.rpartition('.')[2]}-{attack.__name__}" for gate, attack in PAIRS]


def test_every_gate_has_one_to_three_sentinels() -> None:
    """Or stands among those that nobody asks yet."""
    assert sorted([*SENTINELS, *NOT_ASKED_YET]) == sorted(NAMES)
    assert SENTINELS.keys() == LETS_ALL_THROUGH.keys()
    assert all(1 <= len(attacks) <= 3 for attacks in SENTINELS.values())


def test_a_gate_without_a_sentinel_is_asked_by_nobody() -> None:
    """The first caller brings its sentinel along."""
    callers = dict(_calls())
    assert [(gate, callers[gate]) for gate in NOT_ASKED_YET if gate in callers] == []
    assert [gate for gate in SENTINELS if gate not in callers] == [], "and each of the others is asked"


def _calls() -> Iterator[tuple[str, str]]:
    """What is asked by its full name, and where."""
    for source in read_modules(ROOT, ["gameserver", "capture", "railbird"]):
        if source.name != "railbird.gates_document":
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    yield f"policy.{node.value.id}.{node.attr}", source.name


@pytest.mark.parametrize(("gate", "attack"), PAIRS, ids=IDS)
def test_an_attack_fails(gate: str, attack: Attack, template: Path) -> None:
    """With the gates as they are."""
    attack(template)


@pytest.mark.parametrize(("gate", "attack"), PAIRS, ids=IDS)
def test_without_its_gate_an_attack_succeeds(
    gate: str, attack: Attack, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate lets everything through: the attack finds the leak, and says so."""
    module, _, name = gate.rpartition(".")
    monkeypatch.setattr(importlib.import_module(module), name, LETS_ALL_THROUGH[gate])
    with pytest.raises(AssertionError):
        attack(template)
