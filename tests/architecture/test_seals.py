"""Seals are opened in a pinned list of functions."""

from __future__ import annotations

import pytest

from tests.architecture.conftest import Plant
from tests.architecture.pinned_seals import SEALS_ARE_OPENED_BY
from tests.architecture.seals import find_openings
from tests.conftest import ROOT


def test_seals_are_opened_by_the_pinned_functions_and_by_nobody_else() -> None:
    """Compared both ways: a function that no longer opens a seal leaves the list."""
    assert sorted(find_openings(ROOT)) == sorted(SEALS_ARE_OPENED_BY)


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("from policy.sealed import open_sealed\ndef peek(s):\n    return open_sealed(s)", "peek"),
        ("from policy.sealed import open_sealed as look\nclass A:\n    def f(self, s):\n        return look(s)", "A.f"),
        ("import policy.sealed\ndef peek(s):\n    return policy.sealed.open_sealed(s)", "peek"),
        ("from policy.sealed import open_sealed\ndef f(all):\n    return list(map(open_sealed, all))", "f"),
        ("from policy.sealed import open_sealed\nlook = open_sealed", "<module>"),
        ("from policy.sealed import *", "<module>"),
        ("import policy.sealed\ndef f(s):\n    return getattr(policy.sealed, 'open_sealed')(s)", "f"),
        ("def f(s):\n    def inner():\n        return s._give(0)\n    return inner", "f"),
        ("from policy.sealed import _KEY", "<module>"),
        ("from gameserver.hand import showdown\ndef f(s):\n    return showdown.face_up(s)", "f"),
        ("from gameserver.hand.showdown import face_up\ndef f(s):\n    return face_up(s)", "f"),
        ("from policy.sealed import open_sealed\nasync def f(s):\n    return (lambda: open_sealed(s))()", "f"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("file", ["gameserver/views/planted.py", "policy/planted.py", "railbird/studio/planted.py"])
def test_a_planted_opening_is_found(plant: Plant, file: str, source: str, function: str) -> None:
    """A call, an alias, a value handed on, a name in a string and the inner names all count."""
    module = file.removesuffix(".py").replace("/", ".")
    assert (module, function) in find_openings(plant(file, source))


def test_an_import_alone_opens_nothing(plant: Plant) -> None:
    """Naming the type, or importing the function, is no opening."""
    root = plant("gameserver/views/planted.py", "from policy.sealed import Sealed, open_sealed")
    assert not {entry for entry in find_openings(root) if entry[0] == "gameserver.views.planted"}
