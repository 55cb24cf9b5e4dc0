"""The registry's rows: the only reader and writer of its tables. Each method is one transaction.

A seat is wanted until it is withdrawn. One host at a time plays it: it takes a lease, and renews it as long as it lives
(test_two_hosts_never_play_one_seat).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from policy.ids import AgentId, AgentVersionId, Seat, TableId
from railbird.agenthost.registry import schema
from railbird.agenthost.registry.ports import Database

LEASE_MS: Final = 30_000
"""So long after its last word a host counts as running, and its seats as played."""

_deployment: Final = schema.deployments.c
_seat: Final = schema.seats.c
_host: Final = schema.hosts.c


SeatKey: TypeAlias = tuple[AgentId, TableId]
"""Which seat: an agent has one at a table."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Which version an agent plays from a time on."""

    version_id: AgentVersionId
    deployed_ms: int


@dataclass(frozen=True, slots=True)
class WantedSeat:
    """Where an agent is to play. `seat`: `None` takes whichever is free. `problem`: why no host goes on trying.

    `leased_until_ms`: until when a host has said that it plays it; 0 for none.
    """

    agent_id: AgentId
    table_id: TableId
    seat: Seat | None
    buy_in_chips: int
    asked_ms: int
    problem: str | None = None
    leased_until_ms: int = 0


class Registry:
    """The rows, on the application's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # --- deployments ----------------------------------------------------------------------------------------------------

    async def deploy(self, agent_id: AgentId, version_id: AgentVersionId, *, now_ms: int) -> Deployment:
        """From now on the agent plays this version; what was deployed before stays on record."""
        await self._append(agent_id, version_id, now_ms)
        return Deployment(version_id, now_ms)

    async def deployed(self, agent_id: AgentId) -> Deployment | None:
        """What is deployed now."""
        return await self._database.read(lambda connection: _deployed(connection, agent_id))

    async def withdraw(self, agent_id: AgentId, *, now_ms: int) -> None:
        """Nothing is deployed any more, and no seat is wanted."""

        def work(connection: Connection) -> None:
            connection.execute(delete(schema.seats).where(_seat.agent_id == agent_id))
            if _deployed(connection, agent_id) is not None:
                row = {"agent_id": agent_id, "version_id": None, "deployed_ms": now_ms}
                connection.execute(insert(schema.deployments).values(row))

        await self._database.write(work)

    async def _append(self, agent_id: AgentId, version_id: AgentVersionId, now_ms: int) -> None:
        row = {"agent_id": agent_id, "version_id": version_id, "deployed_ms": now_ms}

        def work(connection: Connection) -> None:
            connection.execute(insert(schema.deployments).values(row))

        await self._database.write(work)

    # --- seats ----------------------------------------------------------------------------------------------------------

    async def want(self, wanted: WantedSeat) -> None:
        """Send an agent to a table; asked again, the last wish counts, and a problem of before is forgotten."""
        here = (_seat.agent_id == wanted.agent_id, _seat.table_id == wanted.table_id)
        wish = {"seat": wanted.seat, "buy_in_chips": wanted.buy_in_chips, "asked_ms": wanted.asked_ms, "problem": None}

        def work(connection: Connection) -> None:
            changed = update(schema.seats).where(*here).values(wish).returning(_seat.agent_id)
            if connection.execute(changed).one_or_none() is None:
                row = {"agent_id": wanted.agent_id, "table_id": wanted.table_id, **wish}
                connection.execute(insert(schema.seats).values(row))

        await self._database.write(work)

    async def seats_of(self, agent_id: AgentId) -> Sequence[WantedSeat]:
        """Where an agent is to play, oldest wish first."""
        return await self.seats_of_all([agent_id])

    async def seats_of_all(self, agents: Collection[AgentId]) -> Sequence[WantedSeat]:
        """Where any of these agents is to play, oldest wish first."""
        wanted = _SEATS.where(_seat.agent_id.in_(agents)).order_by(_seat.asked_ms, _seat.table_id)
        return await self._database.read(lambda connection: [_wanted(*row) for row in connection.execute(wanted)])

    async def stop(self, agent_id: AgentId) -> Sequence[TableId]:
        """No seat is wanted any more; where some were."""
        gone = delete(schema.seats).where(_seat.agent_id == agent_id).returning(_seat.table_id)
        return await self._database.write(lambda connection: [TableId(row[0]) for row in connection.execute(gone)])

    async def forget_table(self, table_id: TableId) -> None:
        """A table is closed for good: nobody is to play there."""
        gone = delete(schema.seats).where(_seat.table_id == table_id)
        await self._database.write(lambda connection: _run(connection, gone))

    async def give_up(self, agent_id: AgentId, table_id: TableId, problem: str) -> None:
        """No host goes on trying, for this reason, until its owner asks again."""
        here = (_seat.agent_id == agent_id, _seat.table_id == table_id)
        change = update(schema.seats).where(*here).values(problem=problem[:64], host=None, leased_until_ms=0)
        await self._database.write(lambda connection: _run(connection, change))

    # --- hosts ----------------------------------------------------------------------------------------------------------

    async def open_seats(self, host: str, *, now_ms: int) -> Sequence[tuple[WantedSeat, Deployment]]:
        """Every wanted seat that this host plays or nobody plays, with what is deployed; oldest wish first."""
        wanted = _DEPLOYED.where(_may_take(host, now_ms))
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [(_wanted(*row[:7]), Deployment(AgentVersionId(row[7]), row[8])) for row in rows]

    async def take(
        self, host: str, models: Sequence[str], seats: Collection[SeatKey], *, now_ms: int
    ) -> frozenset[SeatKey]:
        """A host's word that it lives, and that it plays these seats for the next `LEASE_MS`; which of them it got."""

        def work(connection: Connection) -> frozenset[SeatKey]:
            _note_host(connection, host, models, now_ms)
            return frozenset(key for key in sorted(seats) if _lease(connection, key, host, now_ms))

        return await self._database.write(work)

    async def release(self, host: str) -> None:
        """A host goes: its seats are anybody's, and it runs no more."""

        def work(connection: Connection) -> None:
            connection.execute(update(schema.seats).where(_seat.host == host).values(host=None, leased_until_ms=0))
            connection.execute(delete(schema.hosts).where(_host.host == host))

        await self._database.write(work)

    async def models_running(self, *, now_ms: int) -> frozenset[str]:
        """The models that the hosts which run now can ask; empty where none runs."""
        alive = select(_host.models).where(_host.seen_ms > now_ms - LEASE_MS)
        rows = await self._database.read(lambda connection: connection.execute(alive).scalars().all())
        return frozenset[str]().union(*(msgspec.json.decode(models, type=list[str]) for models in rows))


_SEATS: Final = select(
    _seat.agent_id,
    _seat.table_id,
    _seat.seat,
    _seat.buy_in_chips,
    _seat.asked_ms,
    _seat.problem,
    _seat.leased_until_ms,
)
_latest: Final = (
    select(func.max(_deployment.ordinal).label("ordinal")).group_by(_deployment.agent_id).subquery("latest")
)
_DEPLOYED: Final = (
    _SEATS.add_columns(_deployment.version_id, _deployment.deployed_ms)
    .join(schema.deployments, _deployment.agent_id == _seat.agent_id)
    .join(_latest, _latest.c.ordinal == _deployment.ordinal)
    .where(_deployment.version_id.is_not(None), _seat.problem.is_(None))
    .order_by(_seat.asked_ms, _seat.agent_id)
)


def _deployed(connection: Connection, agent_id: AgentId) -> Deployment | None:
    latest = (
        select(_deployment.version_id, _deployment.deployed_ms)
        .where(_deployment.agent_id == agent_id)
        .order_by(_deployment.ordinal.desc())
        .limit(1)
    )
    row = connection.execute(latest).one_or_none()
    return None if row is None or row[0] is None else Deployment(AgentVersionId(row[0]), row[1])


def _may_take(host: str, now_ms: int) -> ColumnElement[bool]:
    return or_(_seat.host == host, _seat.host.is_(None), _seat.leased_until_ms < now_ms)


def _lease(connection: Connection, key: SeatKey, host: str, now_ms: int) -> bool:
    agent_id, table_id = key
    here = (_seat.agent_id == agent_id, _seat.table_id == table_id, _seat.problem.is_(None))
    lease = update(schema.seats).where(*here, _may_take(host, now_ms))
    taken = lease.values(host=host, leased_until_ms=now_ms + LEASE_MS).returning(_seat.agent_id)
    return connection.execute(taken).one_or_none() is not None


def _wanted(
    agent_id: str, table_id: str, seat: int | None, buy_in: int, asked_ms: int, problem: str | None, leased_ms: int
) -> WantedSeat:
    where = None if seat is None else Seat(seat)
    return WantedSeat(AgentId(agent_id), TableId(table_id), where, buy_in, asked_ms, problem, leased_ms)


def _note_host(connection: Connection, host: str, models: Sequence[str], now_ms: int) -> None:
    said = {"models": msgspec.json.encode(sorted(models)).decode(), "seen_ms": now_ms}
    known = update(schema.hosts).where(_host.host == host).values(said).returning(_host.host)
    if connection.execute(known).one_or_none() is None:
        connection.execute(insert(schema.hosts).values(host=host, **said))
        connection.execute(delete(schema.hosts).where(_host.seen_ms <= now_ms - 100 * LEASE_MS))


def _run(connection: Connection, statement: Any) -> None:
    connection.execute(statement)
