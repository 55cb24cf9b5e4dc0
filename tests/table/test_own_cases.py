"""Stories for what the casebook leaves open: each rule of the decision on table policies that no case of the casebook speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.cases.casebook import TableCase, read_table_cases
from tests.table.story import Story

HERE: Final = Path(__file__).parent / "cases"
CASES: Final = read_table_cases(HERE)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_each_story_of_our_own_comes_out_as_written(case: TableCase) -> None:
    """A rule without a case is not done: these are the cases of the rules that the casebook is silent on."""
    Story(case).play()


def test_every_own_story_is_read() -> None:
    """A loader that finds none would let the test above pass."""
    assert len(CASES) == len(list(HERE.glob("*.json"))) > 20
