"""How often one person may change something."""

from __future__ import annotations

from gameserver.errors import ErrorCode, Refusal
from gameserver.http.rates import Rates
from gameserver.token_bucket import NamedBuckets, Rate
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
    rates = Rates(lambda: now[0], Rate(per_second=2, burst=5))
    assert taken(rates, OLGA, 9) == 5
    assert taken(rates, OTTO, 9) == 5
    now[0] = 1_000
    assert taken(rates, OLGA, 9) == 2
    now[0] = 1_000_000
    assert taken(rates, OLGA, 9) == 5


def test_who_was_here_longest_ago_is_forgotten_first() -> None:
    """The number of people who are remembered has a bound."""
    buckets = NamedBuckets(Rate(per_second=1, burst=1), most=2)
    for user in (OLGA, OTTO, UserId("ines")):
        assert [buckets.take(user, 0), buckets.take(user, 0)] == [True, False]
    assert not buckets.take(OTTO, 0)
    assert buckets.take(OLGA, 0)
