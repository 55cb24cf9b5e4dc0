"""What a seat owes, and what it posts for it."""

from __future__ import annotations

import pytest

from gameserver.hand.facts import ForcedBet, ForcedKind
from gameserver.table import debts
from gameserver.table.debts import NEWCOMER, NONE, Debt
from gameserver.table.facts import Blind
from policy.ids import Seat

SEAT = Seat(3)
LIVE = ForcedBet(SEAT, ForcedKind.POST, 20)
DEAD = ForcedBet(SEAT, ForcedKind.DEAD_POST, 10)


@pytest.mark.parametrize(
    ("debt", "posted", "missed"),
    [
        (NONE, (), None),
        (NEWCOMER, (LIVE,), None),
        (Debt(small=True), (DEAD,), Blind.SMALL),
        (Debt(big=True), (LIVE,), Blind.BIG),
        (Debt(small=True, big=True), (LIVE, DEAD), Blind.BOTH),
    ],
)
def test_what_is_posted_for_a_debt(debt: Debt, posted: tuple[ForcedBet, ...], missed: Blind | None) -> None:
    """A live big blind for the big one or for coming new, a dead small blind after it for the small one."""
    assert debts.posts(SEAT, debt, small_blind_chips=10, big_blind_chips=20) == posted
    assert debt.missed is missed
    assert debt.owes == bool(posted)


def test_several_rounds_out_do_not_add_up() -> None:
    """A blind that is owed already is owed once."""
    once = debts.after_passing(Debt(big=True), small=True, big=True)
    assert once == debts.after_passing(once, small=True, big=True) == Debt(small=True, big=True)


def test_a_blind_that_does_not_pass_leaves_the_debt() -> None:
    """What was owed stays owed."""
    assert debts.after_passing(Debt(small=True), small=False, big=False) == Debt(small=True)


def test_a_newcomer_owes_no_more_for_waiting() -> None:
    """Blinds that pass before the first cards add nothing."""
    assert debts.after_passing(NEWCOMER, small=True, big=True) is NEWCOMER
