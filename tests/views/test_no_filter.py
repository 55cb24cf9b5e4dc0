"""Views build up from nothing: what was never put in cannot be forgotten to be taken out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import gameserver.views

FOLDER: Final = Path(gameserver.views.__file__).parent
TAKING_AWAY: Final = {
    "replace",
    "asdict",
    "astuple",
    "pop",
    "popitem",
    "deepcopy",
    "copy",
    "discard",
    "delattr",
    "to_builtins",
}


def test_no_view_filters_another() -> None:
    """No view copies a finished message to change it, and none takes a field or an entry away."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Delete)
        or (isinstance(node, ast.Name) and node.id in TAKING_AWAY)
        or (isinstance(node, ast.Attribute) and node.attr in TAKING_AWAY)
    ]
    assert found == []
    assert len(list(FOLDER.glob("*.py"))) > 5


def test_every_hole_card_of_a_view_comes_through_one_module() -> None:
    """`sight` asks the gate; no other view opens a seal, calls the gate or reads the sealed cards."""
    readers = {
        path.name
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"compute_revealed_hole_cards", "open_sealed"}
    }
    assert readers == {"sight.py"}
