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


def test_states_are_built_in_one_place() -> None:
    """The encoder takes states with the same `seats` for states of one change: `TableView` builds each of them, with new seats."""
    root = FOLDER.parent
    builders = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "GameState"
    }
    makers = [
        node.name
        for node in ast.walk(ast.parse((FOLDER / "table_view.py").read_text()))
        if isinstance(node, ast.FunctionDef) and any(_builds(call, "TableView") for call in ast.walk(node))
    ]
    assert (builders, makers) == ({"views/table_view.py"}, ["table_view"])


def _builds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
