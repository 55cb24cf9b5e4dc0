"""Each gate is taken out in turn, and the attacks that it stands against notice. A gate whose removal nobody notices is no gate."""

from __future__ import annotations

import ast
import importlib
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


@pytest.mark.parametrize("gate", NOT_ASKED_YET)
def test_a_gate_without_a_sentinel_is_asked_by_nobody(gate: str) -> None:
    """The first caller brings its sentinel along."""
    module, _, name = gate.removeprefix("policy.").partition(".")
    calls = [
        source.name
        for source in read_modules(ROOT, ["gameserver", "capture", "railbird"])
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr == name and ast.unparse(node.value) == module
    ]
    assert [name for name in calls if name != "railbird.gates_document"] == []


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
