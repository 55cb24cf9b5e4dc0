"""How often one person may change something."""

from __future__ import annotations

import pytest

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.rates import Rates
from policy.ids import UserId

OLGA, OTTO = UserId("olga"), UserId("otto")


def taken(rates: Rates, user: UserId, wanted: int) -> int:
    """How many of so many were let through."""
    count = 0
    for _ in range(wanted):
        try:
            rates.take(user)
        except Refusal as refused:
            assert refused.code is ErrorCode.RATE_LIMITED
        else:
            count += 1
    return count


def test_a_burst_and_then_a_rate_for_each() -> None:
    """One person's changes are nobody else's."""
    now = [0]
    rates = Rates(lambda: now[0], per_second=2, burst=5)
    assert taken(rates, OLGA, 9) == 5
    assert taken(rates, OTTO, 9) == 5
    now[0] = 1_000
    assert taken(rates, OLGA, 9) == 2
    now[0] = 1_000_000
    assert taken(rates, OLGA, 9) == 5


def test_who_was_here_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of people who are remembered has a bound."""
    monkeypatch.setattr("gameserver.http.rates._MOST_PEOPLE", 2)
    rates = Rates(lambda: 0, per_second=1, burst=1)
    for user in (OLGA, OTTO):
        assert taken(rates, user, 2) == 1
    assert taken(rates, UserId("ines"), 2) == 1
    assert taken(rates, OTTO, 1) == 0
    assert taken(rates, OLGA, 1) == 1
