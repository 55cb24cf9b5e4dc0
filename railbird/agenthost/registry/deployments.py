"""What an owner does with an agent that is hosted: deploy a version, send it to a table, stop it.

Each of them is a way to the agent, so each passes `whisper_policy`; where an agent is sent, `seating_policy` says first whether it
may sit there at all, as the table will ask again. What is refused changes nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from gameserver.errors import ErrorCode, Refusal
from policy import seating_policy, whisper_policy
from policy.ids import AgentId, AgentVersionId, Seat, TableId
from policy.seating_policy import HostedAgent, OutsideAgent, Sitter
from policy.whisper_policy import Arrival, Way
from railbird.agenthost.registry.ports import OpenTable, OwnedAgent, PublishedVersion, Register, Tables, Unseat
from railbird.agenthost.registry.store import Deployment, Registry, WantedSeat
from railbird.agenthost.registry.versions import UnreadableVersion, Version, read_version

MOST_SEATS_EACH = 20
"""So many tables at once for one agent."""
MOST_SEATS_OF_AN_OWNER = 50
"""So many seats at once for all agents of one owner: a host holds a connection for each, also while a table is full."""


class Hosting(enum.StrEnum):
    """Whether a host runs that can play a version."""

    RUNNING = "running"
    NO_HOST = "no_host"
    """None runs: a seat waits until one does."""
    NO_HOST_HAS_THE_MODEL = "no_host_has_the_model"


@dataclass(frozen=True, slots=True)
class Sent:
    """An agent was sent to a table: it is on its way, or waits for a host."""

    seat: WantedSeat
    version_id: AgentVersionId
    hosting: Hosting


@dataclass(frozen=True, slots=True)
class Hosted:
    """What is to be seen of an agent that is hosted. `hosting`: of the deployed version; None where none is deployed."""

    deployment: Deployment | None
    seats: Sequence[WantedSeat]
    hosting: Hosting | None


@dataclass(frozen=True, slots=True)
class DeploymentPorts:
    """`platform_models`: what may play where anything is revealed. `changed`: told that a host has something to look at."""

    registry: Registry
    register: Register
    tables: Tables
    unseat: Unseat
    platform_models: AbstractSet[str]
    now_ms: Callable[[], int]
    changed: Callable[[], None]


class Deployments:
    """The wishes of owners. That the agent is the asker's was seen before."""

    def __init__(self, ports: DeploymentPorts) -> None:
        self._ports = ports

    async def deploy(self, agent_id: AgentId, version_id: AgentVersionId) -> tuple[Deployment, Arrival]:
        """Play this version from the next hand on. Raises Refusal `not_found`, PolicyRefusal `whisper_refused`."""
        await self._version(agent_id, version_id)
        now = await self._ports.registry.deployed(agent_id)
        if now is not None and now.version_id == version_id:
            return now, Arrival.NOW  # it is so already: nothing is moved towards the agent
        arrival = await self._admit(Way.VERSION, agent_id)
        deployed = await self._ports.registry.deploy(agent_id, version_id, now_ms=self._ports.now_ms())
        self._ports.changed()
        return deployed, arrival

    async def seat(self, agent: OwnedAgent, table_id: TableId, seat: Seat | None, buy_in_chips: int) -> Sent:
        """Go and play there. Without a deployment its newest version is deployed.

        Raises Refusal `not_found`, `bad_value` without any version, `rate_limited`, `already_seated`, `no_such_seat`,
        `buy_in_below_min`; PolicyRefusal `whisper_refused`, `table_kind`, `seat_needs_...`.
        """
        table = self._ports.tables.table(table_id, agent)
        await self._refuse_too_many(agent, table_id)
        version = await self._deployed_or_newest(agent.agent_id)
        self._check_seat(agent.agent_id, table, version, seat, buy_in_chips)
        await self._admit(Way.SEAT, agent.agent_id, on_its_way_to=table_id)
        await self.deploy(agent.agent_id, version.version_id)
        wanted = WantedSeat(agent.agent_id, table_id, seat, buy_in_chips, self._ports.now_ms())
        await self._ports.registry.want(wanted)
        self._ports.changed()
        return Sent(wanted, version.version_id, await self._hosting(version))

    async def stop(self, agent_id: AgentId) -> tuple[Sequence[TableId], bool]:
        """Play nowhere any more: the tables that it was sent to, and whether it has no seat left. Its hands are played out."""
        await self._admit(Way.STOP, agent_id)
        stopped = await self._ports.registry.stop(agent_id)
        self._ports.changed()
        return stopped, await self._ports.unseat(agent_id)

    async def withdraw(self, agent_id: AgentId) -> None:
        """The agent changes hands: what its last owner deployed and wished is void. Its seats are the sale's own matter."""
        await self._ports.registry.withdraw(agent_id, now_ms=self._ports.now_ms())
        self._ports.changed()

    async def hosted(self, agent_id: AgentId) -> Hosted:
        """What an owner sees of it."""
        deployment = await self._ports.registry.deployed(agent_id)
        seats = await self._ports.registry.seats_of(agent_id)
        if deployment is None:
            return Hosted(None, seats, None)
        return Hosted(deployment, seats, await self._hosting(await self._version(agent_id, deployment.version_id)))

    # --- what has to hold first -----------------------------------------------------------------------------------------

    async def _admit(self, way: Way, agent_id: AgentId, on_its_way_to: TableId | None = None) -> Arrival:
        """Whom a host is about to seat counts as seated: between the wish and the seat nothing is told to it either
        (test_who_is_on_its_way_to_a_revealing_table_is_told_nothing).
        """
        wished = [each for each in await self._ports.registry.seats_of(agent_id) if each.problem is None]
        ways_there = [each.table_id for each in wished if each.table_id != on_its_way_to]
        reveals = [*self._ports.tables.sits_at(agent_id), *self._ports.tables.reveals_of(ways_there)]
        return whisper_policy.admit_whisper(way=way, sits_at=reveals)

    async def _refuse_too_many(self, agent: OwnedAgent, table_id: TableId) -> None:
        registry = self._ports.registry
        own = await self._ports.register.agents_of(agent.owner)
        wanted = {(each.agent_id, each.table_id) for each in await registry.seats_of_all(own)}
        elsewhere = wanted - {(agent.agent_id, table_id)}
        if sum(agent_id == agent.agent_id for agent_id, _ in elsewhere) >= MOST_SEATS_EACH:
            raise Refusal(ErrorCode.RATE_LIMITED, f"an agent plays at {MOST_SEATS_EACH} tables at most")
        if len(elsewhere) >= MOST_SEATS_OF_AN_OWNER:
            raise Refusal(ErrorCode.RATE_LIMITED, f"one owner's agents have {MOST_SEATS_OF_AN_OWNER} seats at most")

    def _check_seat(
        self, agent_id: AgentId, table: OpenTable, version: Version, seat: Seat | None, buy_in_chips: int
    ) -> None:
        seating_policy.check_seating(
            table_kind=table.kind,
            options=table.reveal,
            sitter=self._sitter(version),
            platform_models=self._ports.platform_models,
        )
        if agent_id in table.seated:
            raise Refusal(ErrorCode.ALREADY_SEATED, "it has a seat there")
        if seat is not None and not 0 <= seat < table.max_seats:
            raise Refusal(ErrorCode.NO_SUCH_SEAT, "this table has no such seat")
        if buy_in_chips < table.min_buy_in_chips:
            raise Refusal(ErrorCode.BUY_IN_BELOW_MIN, "less than the least buy-in")

    def _sitter(self, version: Version) -> Sitter:
        """As the host will attest it: a model that is not on the operator's list is attested as nothing."""
        return HostedAgent(version.model) if version.model in self._ports.platform_models else OutsideAgent()

    async def _deployed_or_newest(self, agent_id: AgentId) -> Version:
        now = await self._ports.registry.deployed(agent_id)
        if now is not None:
            return await self._version(agent_id, now.version_id)
        published = await self._ports.register.versions_of(agent_id)
        if not published:
            raise Refusal(ErrorCode.BAD_VALUE, "publish a version first: it says how the agent is to play")
        return _read(published[-1])

    async def _version(self, agent_id: AgentId, version_id: AgentVersionId) -> Version:
        for each in await self._ports.register.versions_of(agent_id):
            if each.version_id == version_id:
                return _read(each)
        raise Refusal(ErrorCode.NOT_FOUND)

    async def _hosting(self, version: Version) -> Hosting:
        models = await self._ports.registry.models_running(now_ms=self._ports.now_ms())
        if not models:
            return Hosting.NO_HOST
        return Hosting.RUNNING if version.model in models else Hosting.NO_HOST_HAS_THE_MODEL


def _read(published: PublishedVersion) -> Version:
    try:
        return read_version(published.version_id, published.content)
    except UnreadableVersion as unreadable:
        raise Refusal(ErrorCode.BAD_VALUE, str(unreadable)) from None
