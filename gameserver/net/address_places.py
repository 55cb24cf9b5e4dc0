"""How many connections each network address holds, sockets and event streams together, so that one cannot take all places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from gameserver.identity.addresses import Addresses

CONNECTIONS_PER_ADDRESS: Final = 500
"""Whole schools and companies come from one address."""


class AddressFull(Exception):
    """As many are open from this address as may be. Those that are stay open."""


class AddressPlaces:
    """`addresses`: which of them count. `most_each`: open connections of each."""

    def __init__(self, addresses: Addresses | None = None, most_each: int = CONNECTIONS_PER_ADDRESS) -> None:
        self._addresses = Addresses() if addresses is None else addresses
        self.most_each = most_each
        self._open: Counter[str] = Counter()
        self.refused_total = 0
        """Connections that found no place."""

    @contextmanager
    def taken(self, scope: Mapping[str, Any]) -> Iterator[None]:
        """A place for as long as the block lasts. Raises AddressFull."""
        address = self._addresses.counted(scope)
        if address is None:
            yield
            return
        if self._open[address] >= self.most_each:
            self.refused_total += 1
            raise AddressFull
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
