"""A comment that says never, always or only names the test that pins it."""

from __future__ import annotations

import pytest

from tests.architecture.comments import Comment, find_unpinned_comments, read_comments
from tests.architecture.conftest import Plant
from tests.architecture.names import find_test_names
from tests.conftest import ROOT


def test_comments_of_the_gates_and_the_table_server_name_their_tests() -> None:
    """And the tests that they name are there."""
    assert find_unpinned_comments(ROOT, known=find_test_names(ROOT)) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("# Never shown.", "says never, always or only, and names no test"),
        ("x = 1  # always one", "says never, always or only, and names no test"),
        ("# Cards are\n# sent to owners only.", "says never, always or only, and names no test"),
        ("# Never shown (test_that_went_away).", "names test_that_went_away, which is no test"),
        ("# Never shown (tests/gone/test_x.py).", "names tests/gone/test_x.py, which is no test"),
    ],
)
def test_a_planted_comment_is_found(plant: Plant, source: str, fault: str) -> None:
    """Beside code, over several lines, and with the name of a test that is not there."""
    found = find_unpinned_comments(plant("policy/planted.py", source), known=frozenset({"test_shown"}))
    assert f"policy.planted:2 {fault}" in found


@pytest.mark.parametrize(
    "source", ["# Never shown (test_shown).", "# Shown.", "# Never (test_sho*).", 'x = "never"', '"""Only here."""']
)
def test_other_comments_are_let_through(plant: Plant, source: str) -> None:
    """A named test, a star at its end, a comment that asserts nothing, and what is no comment."""
    assert find_unpinned_comments(plant("policy/planted.py", source), known=frozenset({"test_shown"})) == []


def test_lines_that_follow_each_other_are_one_comment() -> None:
    """A comment beside code stands alone."""
    source = "# a\n# b\nx = 1  # c\n# d\n\n# e\n"
    assert read_comments(source) == [Comment(1, "a b"), Comment(3, "c"), Comment(4, "d"), Comment(6, "e")]
