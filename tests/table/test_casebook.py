"""The casebook's stories of one table, each played against a real room, each key of each expectation compared."""

from __future__ import annotations

import pytest

from tests.cases.casebook import TableCase, table_cases
from tests.table.story import Story

CASES = table_cases()


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_each_story_of_the_casebook_comes_out_as_written(case: TableCase) -> None:
    """Button, blinds, debts, clocks, chips and refusals are as the case says, after every step."""
    Story(case).play()


def test_the_casebook_is_whole() -> None:
    """33 stories; a loader that finds none would let the test above pass."""
    assert len(CASES) == 33
