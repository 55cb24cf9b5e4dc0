"""The host in a server's own process: it plays the house agents of its tables, and what owners deploy with the house model.

It connects to its own server like any other host, by an address and over sockets.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from gameserver.floor.clock import SystemClock
from gameserver.http.metrics import Metric
from gameserver.identity.keys import KeyUse
from railbird.agenthost.catalogue import Catalogue
from railbird.agenthost.seats.follower import Follower, FollowerPorts
from railbird.agenthost.seats.places import Place
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.visit import VisitPorts
from railbird.agenthost.turns.pace import Pace
from railbird.app import Server
from railbird.hosting.catalogue import house_only
from railbird.hosting.house_agents import HouseAgents, HousePorts
from railbird.hosting.observing import TurnCounts, host_metrics, observers_of
from railbird.wiring.hosting import StoredSeats

_STOPS_WITHIN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Beside:
    """`url`: where the server is, as a browser opens it. `platform_models`: address by name. `min_turn_ms`: the agents' pace."""

    url: str
    platform_models: Mapping[str, str]
    min_turn_ms: int


class HostBeside:
    """`start` once the server answers; use it as `async with`, around the server, so that hands in play end before it ends."""

    def __init__(self, server: Server, wanted: Beside) -> None:
        hosting = server.hosting
        catalogue = house_only(wanted.platform_models, signs=hosting.attest.signs(KeyUse.HOSTING))
        self.counts = TurnCounts()
        self.observers = observers_of(self.counts, server.record.ledger.charge, server.record.listeners)
        ports = VisitPorts(self.observers, Pace(least_ms=wanted.min_turn_ms), _dice)
        self._follower = Follower(_follower_ports(server, wanted.url, catalogue))
        self.url = wanted.url
        self.deployed, self.of_the_house = Service(ports, self._follower.ended), Service(ports)
        self._others = Service(ports)
        self._house = HouseAgents(_house_ports(server, wanted.url, catalogue))
        self._working: list[asyncio.Task[None]] = []
        hosting.metrics = self._metrics

    def start(self) -> None:
        """Play from now on."""
        self._working = [
            asyncio.create_task(self._follower.follow(self.deployed), name="follower"),
            asyncio.create_task(self._house.keep(self.of_the_house), name="house agents"),
        ]

    def play(self, place: Place) -> None:
        """One seat more, of whoever runs this process."""
        self._others.play(place)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)
        await asyncio.gather(*(each.stop(_STOPS_WITHIN_S) for each in self._services))
        if self._working:
            await self._follower.release()

    def _metrics(self) -> Sequence[Metric]:
        return host_metrics(self._services, self.counts, self.observers)

    @property
    def _services(self) -> Sequence[Service]:
        return self.deployed, self.of_the_house, self._others


def _follower_ports(server: Server, url: str, catalogue: Catalogue) -> FollowerPorts:
    hosting = server.hosting
    return FollowerPorts(
        host=f"beside-{secrets.token_hex(8)}",
        server=url,
        registry=hosting.registry,
        register=hosting.register,
        seated_version=StoredSeats(server.store),
        catalogue=catalogue,
        attest=hosting.attest,
        now_ms=SystemClock().wall_ms,
        wake=hosting.wake,
    )


def _house_ports(server: Server, url: str, catalogue: Catalogue) -> HousePorts:
    return HousePorts(
        url=url,
        floor=server.floor,
        people=server.people,
        ledger=server.ledger,
        hosting=server.hosting,
        catalogue=catalogue,
        new_name=lambda: secrets.token_hex(16),
    )


def _dice(place: Place) -> random.Random:
    """Of pauses only."""
    return random.Random(secrets.randbits(64))
