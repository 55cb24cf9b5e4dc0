"""Plays what owners wish: looks at the registry again and again, and lets the service begin, go on or end.

It plays no seat that it has no lease of (test_two_hosts_never_play_one_seat). What it cannot play it says in the registry, where
the owner sees it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlalchemy.exc import SQLAlchemyError

from policy.ids import AgentId, AgentVersionId, TableId, UserId
from railbird.agenthost.catalogue import Catalogue
from railbird.agenthost.mind import Mind
from railbird.agenthost.registry.ports import Register, SeatedVersion
from railbird.agenthost.registry.store import LEASE_MS, Deployment, Registry, WantedSeat
from railbird.agenthost.registry.versions import UnreadableVersion, Version, read_version
from railbird.agenthost.seats.places import Place, PlaceKey
from railbird.agenthost.seats.seating import Seating
from railbird.agenthost.seats.service import Service
from railbird.agenthost.seats.tokens import Attest, tokens_of
from railbird.client import table_url

_LOG: Final = logging.getLogger(__name__)
LOOK_EVERY_S: Final = 1.0
_SAY_EVERY_MS: Final = LEASE_MS // 4
_FOR_GOOD: Final = frozenset({"table_closed", "no_such_table"})


_Wish: TypeAlias = tuple[AgentId, TableId, int, Deployment]


@dataclass(frozen=True, slots=True)
class FollowerPorts:
    """`host`: this host's own name, no other's. `server`: where the tables are, as a browser opens it.

    `wake`: set by whoever has changed the registry in this process. `now_ms`: Unix time.
    """

    host: str
    server: str
    registry: Registry
    register: Register
    seated_version: SeatedVersion
    catalogue: Catalogue
    attest: Attest
    now_ms: Callable[[], int]
    wake: asyncio.Event


class Follower:
    """One host's. Give `ended` to its service."""

    def __init__(self, ports: FollowerPorts) -> None:
        self._ports = ports
        self._versions: dict[AgentVersionId, Version | None] = {}
        self._owners: dict[tuple[AgentId, int], UserId] = {}
        self._given_up: list[tuple[PlaceKey, str]] = []
        self._holding: frozenset[PlaceKey] = frozenset()
        self._said_ms = 0
        self._known: dict[_Wish, Place] = {}

    def ended(self, key: PlaceKey, problem: str) -> None:
        """A seat ended by itself."""
        self._given_up.append((key, problem))
        self._ports.wake.set()

    async def follow(self, service: Service) -> None:
        """Until cancelled. A database that is away leaves everything as it is."""
        while True:
            try:
                await self._look(service)
            except (SQLAlchemyError, OSError) as away:
                _LOG.warning("the registry does not answer: %s", type(away).__name__)
            self._ports.wake.clear()
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._ports.wake.wait()
            except TimeoutError:
                pass

    async def release(self) -> None:
        """This host goes: its seats are anybody's."""
        await self._ports.registry.release(self._ports.host)

    async def _look(self, service: Service) -> None:
        await self._say_what_ended()
        places = await self._places()
        await self._hold(places)
        mine = {key: place for key, place in places.items() if key in self._holding}
        for place in mine.values():
            service.play(place)
        for key in [key for key in service.keys if key not in mine]:
            service.retire(key)

    async def _say_what_ended(self) -> None:
        while self._given_up:
            (agent_id, table_id), problem = self._given_up[0]
            if problem in _FOR_GOOD:
                await self._ports.registry.forget_table(table_id)
            else:
                await self._ports.registry.give_up(agent_id, table_id, problem)
            self._given_up.pop(0)

    async def _places(self) -> Mapping[PlaceKey, Place]:
        """What this host could play now."""
        wanted = await self._ports.registry.open_seats(self._ports.host, now_ms=self._ports.now_ms())
        self._known = {key: place for key, place in [await self._wish(*each) for each in wanted] if place is not None}
        return {place.key: place for place in self._known.values()}

    async def _wish(self, seat: WantedSeat, deployed: Deployment) -> tuple[_Wish, Place | None]:
        """One that was seen before is the same place still."""
        wish = (seat.agent_id, seat.table_id, seat.asked_ms, deployed)
        return wish, self._known.get(wish) or await self._place(seat, deployed)

    async def _place(self, seat: WantedSeat, deployed: Deployment) -> Place | None:
        version = await self._version(deployed.version_id)
        owner = await self._owner(seat.agent_id, deployed)
        if version is None or owner is None or version.model not in self._ports.catalogue.names:
            return None
        return Place(
            agent_id=seat.agent_id,
            table_id=seat.table_id,
            url=table_url(self._ports.server, seat.table_id),
            mind=self._ports.catalogue.mind(seat.agent_id, version),
            seating=Seating(seat.buy_in_chips, seat.seat),
            tokens=tokens_of(self._ports.attest, seat.agent_id, owner, self._attested_as),
            seated_as=await self._seated_as(seat),
        )

    async def _seated_as(self, seat: WantedSeat) -> Mind | None:
        """What has the seat already, as after another host's end; None where this host cannot play it."""
        version_id = await self._ports.seated_version(seat.agent_id, seat.table_id)
        version = None if version_id is None else await self._version(version_id)
        if version is None or version.model not in self._ports.catalogue.names:
            return None
        return self._ports.catalogue.mind(seat.agent_id, version)

    def _attested_as(self, version_id: AgentVersionId) -> str | None:
        version = self._versions.get(version_id)
        return None if version is None else self._ports.catalogue.attested_as(version.model)

    async def _hold(self, places: Mapping[PlaceKey, Place]) -> None:
        """Renew the leases in time, and at once where there is something new."""
        now_ms = self._ports.now_ms()
        if not places.keys() <= self._holding or now_ms - self._said_ms >= _SAY_EVERY_MS:
            models: Sequence[str] = sorted(self._ports.catalogue.names)
            self._holding = await self._ports.registry.take(self._ports.host, models, list(places), now_ms=now_ms)
            self._said_ms = now_ms

    async def _version(self, version_id: AgentVersionId) -> Version | None:
        """Read once, since its bytes do not change; one that cannot be read is nothing to play."""
        if version_id not in self._versions:
            published = await self._ports.register.version(version_id)
            try:
                self._versions[version_id] = None if published is None else read_version(version_id, published.content)
            except UnreadableVersion:
                self._versions[version_id] = None
        return self._versions[version_id]

    async def _owner(self, agent_id: AgentId, deployed: Deployment) -> UserId | None:
        """Asked once a deployment: who buys an agent has to deploy it anew."""
        key = (agent_id, deployed.deployed_ms)
        if key not in self._owners:
            agent = await self._ports.register.agent(agent_id)
            if agent is None:
                return None
            self._owners[key] = agent.owner
        return self._owners[key]
