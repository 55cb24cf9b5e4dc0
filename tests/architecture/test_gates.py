"""Every gate is known by name, has a gate's form, and is called by its full name."""

from __future__ import annotations

import pytest

from policy.gates import GATES
from tests.architecture.conftest import Plant
from tests.architecture.gates import find_bare_imports, find_form_faults, find_functions
from tests.architecture.pinned_gates import GATES_BY_NAME
from tests.conftest import ROOT

OPENING = '"""SECURITY: not display logic. Planted."""\n'


def test_the_register_is_the_pinned_list() -> None:
    """No gate comes or goes without a line in a list that says so."""
    assert tuple(f"{gate.module}.{gate.name}" for gate in GATES) == GATES_BY_NAME


def test_every_public_function_of_a_gate_module_is_registered() -> None:
    """A gate that nobody registered would have no mutants, and no test that takes it out."""
    assert find_functions(ROOT) == set(GATES_BY_NAME)


def test_every_gate_has_a_gates_form() -> None:
    """Keyword-only, no defaults, no bool, a docstring; its module opens as a gate's."""
    assert find_form_faults(ROOT) == []


def test_every_gate_is_called_by_its_full_name() -> None:
    """One place to take a gate out, and one thing to search for."""
    assert find_bare_imports(ROOT, GATES_BY_NAME) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ('def gate(viewer: int) -> int:\n    """W."""', "takes arguments by position"),
        ('def gate(*, viewer: int = 0) -> int:\n    """W."""', "has a default"),
        ('def gate(*, viewer: int, **rest: int) -> int:\n    """W."""', "any number of them"),
        ('def gate() -> int:\n    """W."""', "is asked nothing"),
        ('def gate(*, viewer: int) -> bool:\n    """W."""', "returns a bool"),
        ('def gate(*, viewer: int) -> bool | None:\n    """W."""', "returns a bool"),
        ('def gate(*, viewer: int):\n    """W."""', "returns a bool"),
        ("def gate(*, viewer: int) -> int:\n    return viewer", "does not say what it withholds"),
        ('@cache\ndef gate(*, viewer: int) -> int:\n    """W."""', "is decorated"),
        ('async def gate(*, viewer: int) -> int:\n    """W."""', "is asynchronous"),
    ],
)
def test_a_planted_gate_without_a_gates_form_is_found(plant: Plant, source: str, fault: str) -> None:
    """Each part of the form is missed by itself."""
    faults = find_form_faults(plant("policy/planted_policy.py", OPENING + source))
    assert [line for line in faults if line.startswith("policy.planted_policy.gate ") and fault in line]


def test_a_planted_gate_that_nobody_registered_is_found(plant: Plant) -> None:
    """It is public in a gate module, so it is found, registered or not."""
    root = plant("policy/planted_policy.py", OPENING + 'def gate(*, viewer: int) -> int:\n    """W."""')
    assert find_functions(root) - set(GATES_BY_NAME) == {"policy.planted_policy.gate"}
    assert not [line for line in find_form_faults(root) if "planted" in line]


def test_a_gate_module_that_does_not_say_so_is_found(plant: Plant) -> None:
    """Who edits it for a page's sake reads the first line at least."""
    root = plant("policy/planted_policy.py", '"""Helps to show cards."""')
    assert "policy.planted_policy does not open with 'SECURITY: not display logic.'" in find_form_faults(root)


def test_a_planted_bare_import_is_found(plant: Plant) -> None:
    """Under any name, and inside a function too."""
    source = "def view():\n    from policy.reveal_policy import compute_revealed_hole_cards as cards"
    found = find_bare_imports(plant("gameserver/views/planted.py", source), GATES_BY_NAME)
    assert found == ["gameserver.views.planted:3 imports policy.reveal_policy.compute_revealed_hole_cards"]
