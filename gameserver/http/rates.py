"""How often one person may change something, sign in, or buy a ticket, and one address may try to come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection

from gameserver.errors import ErrorCode, Refusal
from gameserver.identity.addresses import Addresses
from gameserver.token_bucket import NamedBuckets, Rate
from policy.ids import UserId

CHANGES: Final = Rate(per_second=10, burst=60)
"""Of one person's tables and agents."""
ATTEMPTS: Final = Rate(per_second=2, burst=60)
"""To come in, of one address: a token, or a link, whoever's it is and whether it is good."""
SIGN_INS: Final = Rate(per_second=0.5, burst=30)
"""Of one person: each makes a session."""
TICKETS: Final = Rate(per_second=2, burst=60)
"""Of one person: each is for one stream."""


class Rates:
    """One rate, by name. `now_ms`: any clock that goes on."""

    def __init__(self, now_ms: Callable[[], int], rate: Rate = CHANGES) -> None:
        self._now_ms, self._buckets = now_ms, NamedBuckets(rate)

    def take(self, name: str) -> None:
        """One more of this name's. Raises Refusal `rate_limited`."""
        if not self._buckets.take(name, self._now_ms() / 1_000):
            raise Refusal(ErrorCode.RATE_LIMITED, "too many at once; wait a moment")


@dataclass(frozen=True, slots=True)
class SignInRates:
    """What is counted where people come in. `addresses`: which of them count."""

    addresses: Addresses
    attempts: Rates
    sign_ins: Rates
    tickets: Rates

    def attempt(self, connection: HTTPConnection) -> None:
        """Somebody shows something to come in by; before it is looked at. Raises Refusal `rate_limited`."""
        address = self.addresses.counted(connection.scope)
        if address is not None:
            self.attempts.take(address)

    def sign_in(self, user_id: UserId) -> None:
        """This person signs in. Raises Refusal `rate_limited`."""
        self.sign_ins.take(user_id)

    def ticket(self, user_id: UserId) -> None:
        """This person buys a ticket. Raises Refusal `rate_limited`."""
        self.tickets.take(user_id)


def sign_in_rates(addresses: Addresses, now_ms: Callable[[], int]) -> SignInRates:
    """The rates of a server. `now_ms`: any clock that goes on."""
    return SignInRates(addresses, Rates(now_ms, ATTEMPTS), Rates(now_ms, SIGN_INS), Rates(now_ms, TICKETS))
