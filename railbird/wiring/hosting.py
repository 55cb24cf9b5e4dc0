"""The registry of hosted agents over this server's database, people and tables. It holds no rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Container, Sequence
from collections.abc import Set as AbstractSet

from starlette.requests import Request
from starlette.routing import BaseRoute

from gameserver.errors import ErrorCode
from gameserver.floor.floor import Floor
from gameserver.floor.ports import Clock
from gameserver.http.agent_answers import HostedSeat, Hosting
from gameserver.http.body import read_body
from gameserver.http.metrics import Metric
from gameserver.http.own_agents import OwnAgents
from gameserver.http.tables import json_answer
from gameserver.identity.who import AgentIdentity
from gameserver.store.engine import Database
from gameserver.store.people import People
from gameserver.store.tables import SqlTableStore
from gameserver.table import memory
from gameserver.table.commands import AgentPlayer, agent_player_id
from gameserver.table.state import SeatState
from policy.ids import AgentId, AgentVersionId, TableId, UserId
from policy.spectator_policy import RevealOptions
from railbird.agenthost.http.routes import HostingPorts, hosting_routes
from railbird.agenthost.registry.deployments import DeploymentPorts, Deployments
from railbird.agenthost.registry.ports import OpenTable, OwnedAgent, PublishedVersion
from railbird.agenthost.registry.store import Registry, WantedSeat
from railbird.wiring.signing import HostSigning


class HouseAgentIds:
    """The operator's own agents: those that were configured, and those that a host of this process has made."""

    def __init__(self, configured: Container[AgentId]) -> None:
        self._configured = configured
        self._made: set[AgentId] = set()

    def add(self, agent_id: AgentId) -> None:
        """One more."""
        self._made.add(agent_id)

    def __contains__(self, agent_id: object) -> bool:
        return agent_id in self._made or agent_id in self._configured


class RegisteredAgents:
    """`railbird.agenthost.registry.ports.Register` from the register of people."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def agent(self, agent_id: AgentId) -> OwnedAgent | None:
        """Who owns it now."""
        found = await self._people.agent(agent_id)
        return None if found is None else OwnedAgent(found.agent_id, found.owner)

    async def agents_of(self, owner: UserId) -> Sequence[AgentId]:
        """Oldest first."""
        return [each.agent_id for each in await self._people.agents_of(owner)]

    async def versions_of(self, agent_id: AgentId) -> Sequence[PublishedVersion]:
        """Oldest first."""
        return [PublishedVersion(each.version_id, each.content) for each in await self._people.versions_of(agent_id)]

    async def version(self, version_id: AgentVersionId) -> PublishedVersion | None:
        """One, or None."""
        found = await self._people.version(version_id)
        return None if found is None else PublishedVersion(found.version_id, found.content)


class StoredSeats:
    """`railbird.agenthost.registry.ports.SeatedVersion` from the stored tables."""

    def __init__(self, tables: SqlTableStore) -> None:
        self._tables = tables

    async def __call__(self, agent_id: AgentId, table_id: TableId, /) -> AgentVersionId | None:
        """As of the last change of seats that was stored."""
        stored = await self._tables.table(table_id)
        players = [] if stored is None else [chair.player for chair in memory.decode(stored.memory).chairs]
        seated = (player for player in players if isinstance(player, AgentPlayer) and player.agent_id == agent_id)
        return next((player.version_id for player in seated), None)


class OpenTables:
    """`railbird.agenthost.registry.ports.Tables` from the floor."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def table(self, table_id: TableId, agent: OwnedAgent) -> OpenTable:
        """As the agent may know of it when it comes."""
        self._floor.visible_state(table_id, _coming(agent))
        state = self._floor.state(table_id)
        players = [seat.player for seat in state.seats]
        return OpenTable(
            kind=state.options.kind,
            reveal=state.options.reveal,
            max_seats=state.options.max_seats,
            min_buy_in_chips=state.options.min_buy_in_chips,
            seated=frozenset(player.agent_id for player in players if isinstance(player, AgentPlayer)),
        )

    def sits_at(self, agent_id: AgentId) -> Collection[RevealOptions]:
        """What every table reveals where it sits."""
        return self._floor.sits_at(agent_player_id(agent_id))

    def reveals_of(self, tables: Collection[TableId]) -> Collection[RevealOptions]:
        """Of those that are open."""
        return [self._floor.state(each).options.reveal for each in tables if self._floor.has(each)]

    def waits_for(self, wanted: WantedSeat) -> ErrorCode | None:
        """What keeps whom a host plays from sitting down, for now: `table_full` or `seat_taken`."""
        if not self._floor.has(wanted.table_id):
            return None
        state = self._floor.state(wanted.table_id)
        if any(_sits(wanted.agent_id, seat) for seat in state.seats):
            return None
        if len(state.seats) >= state.options.max_seats:
            return ErrorCode.TABLE_FULL
        is_taken = any(seat.seat == wanted.seat for seat in state.seats)
        return ErrorCode.SEAT_TAKEN if is_taken else None


def _sits(agent_id: AgentId, seat: SeatState) -> bool:
    return isinstance(seat.player, AgentPlayer) and seat.player.agent_id == agent_id and not seat.paid_out


def _coming(agent: OwnedAgent) -> AgentIdentity:
    """The least that the agent's token will prove."""
    version = AgentVersionId("")
    return AgentIdentity(agent.agent_id, agent.owner, version, False, None, expires_at_ms=0, token_id=None)


class AgentHosting:
    """What the routes of hosted agents stand on, and a host that runs in this process.

    `unseat`: see `gameserver.http.departures`. `house_agents`: the operator's own ones of this process; a host adds to them.
    `wake`: set when a host has something to look at.
    """

    def __init__(
        self,
        *,
        database: Database,
        people: People,
        floor: Floor,
        platform_models: AbstractSet[str],
        unseat: Callable[[AgentId], Awaitable[bool]],
        clock: Clock,
        attest: HostSigning,
        house_agents: HouseAgentIds,
    ) -> None:
        self._clock = clock
        self.attest = attest
        self.house_agents = house_agents
        self.wake = asyncio.Event()
        self.metrics: Callable[[], Sequence[Metric]] = lambda: ()
        """Of a host in this process, which puts its own here."""
        self.registry = Registry(database)
        self.register = RegisteredAgents(people)
        self._tables = OpenTables(floor)
        self.deployments = Deployments(
            DeploymentPorts(
                registry=self.registry,
                register=self.register,
                tables=self._tables,
                unseat=unseat,
                platform_models=platform_models,
                now_ms=clock.wall_ms,
                changed=self.wake.set,
            )
        )

    def routes(self, own: OwnAgents) -> list[BaseRoute]:
        """The routes of deployments."""

        async def own_agent(request: Request) -> OwnedAgent:
            agent = await own.agent(request)
            return OwnedAgent(agent.agent_id, agent.owner)

        return hosting_routes(
            HostingPorts(deployments=self.deployments, own_agent=own_agent, read=read_body, answer=json_answer)
        )

    async def shown(self, agent_id: AgentId) -> Hosting:
        """What its owner is shown of it."""
        hosted, now_ms = await self.deployments.hosted(agent_id), self._clock.wall_ms()
        deployed = hosted.deployment
        return Hosting(
            agent_version_id=None if deployed is None else deployed.version_id,
            deployed_at=None if deployed is None else deployed.deployed_ms,
            host=None if hosted.hosting is None else hosted.hosting.value,
            seats=[self._shown_seat(seat, is_hosted=seat.leased_until_ms >= now_ms) for seat in hosted.seats],
        )

    def _shown_seat(self, seat: WantedSeat, *, is_hosted: bool) -> HostedSeat:
        waits_for = self._tables.waits_for(seat) if is_hosted else None
        return HostedSeat(
            table_id=seat.table_id,
            buy_in=seat.buy_in_chips,
            asked_at=seat.asked_ms,
            hosted=is_hosted,
            seat=seat.seat,
            problem=seat.problem or waits_for,
        )
