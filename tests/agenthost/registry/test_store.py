"""The registry's rows: what is deployed, what is wanted, and who plays it; on SQLite and on Postgres."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from policy.ids import AgentId, AgentVersionId, Seat, TableId
from railbird.agenthost.registry.store import LEASE_MS, Deployment, Registry, WantedSeat
from tests.store.conftest import Store

ANN: Final = AgentId("ann")
ONE, TWO = AgentVersionId("ann-v1"), AgentVersionId("ann-v2")
KITCHEN: Final = TableId("kitchen")
HERE: Final = (ANN, KITCHEN)
HOUSE: Final = ["house"]


def wanted(agent_id: AgentId = ANN, table_id: TableId = KITCHEN, seat: int | None = 2, at_ms: int = 1) -> WantedSeat:
    return WantedSeat(agent_id, table_id, None if seat is None else Seat(seat), 400, at_ms)


async def test_the_last_deployment_counts(registry: Registry) -> None:
    """Until the agent is withdrawn; nothing of another agent's is seen."""
    assert await registry.deployed(ANN) is None
    await registry.deploy(ANN, ONE, now_ms=1)
    await registry.deploy(AgentId("bob"), AgentVersionId("bob-v1"), now_ms=2)
    await registry.deploy(ANN, TWO, now_ms=2)
    assert await registry.deployed(ANN) == Deployment(TWO, 2)
    await registry.withdraw(ANN, now_ms=3)
    assert await registry.deployed(ANN) is None
    assert await registry.deployed(AgentId("bob")) == Deployment(AgentVersionId("bob-v1"), 2)


@pytest.mark.parametrize(
    "change", ["update railbird_agent_deployments set version_id = 'x'", "delete from railbird_agent_deployments"]
)
async def test_a_deployment_is_never_changed(registry: Registry, store: Store, change: str) -> None:
    """The database itself refuses it."""
    await registry.deploy(ANN, ONE, now_ms=1)
    with pytest.raises(DBAPIError, match="this row is final"):
        await store.beside.write(lambda connection: connection.execute(text(change)))
    assert await registry.deployed(ANN) == Deployment(ONE, 1)


async def test_the_last_wish_counts(registry: Registry) -> None:
    """One seat at a table; a problem of before is forgotten."""
    await registry.want(wanted())
    await registry.give_up(ANN, KITCHEN, "table_full")
    assert [each.problem for each in await registry.seats_of(ANN)] == ["table_full"]
    await registry.want(wanted(seat=None, at_ms=5))
    assert list(await registry.seats_of(ANN)) == [wanted(seat=None, at_ms=5)]


async def test_a_stopped_agent_is_wanted_nowhere(registry: Registry) -> None:
    """It says where it was; a closed table is forgotten for everybody."""
    bob = AgentId("bob")
    for agent_id in (ANN, bob):
        await registry.want(wanted(agent_id))
        await registry.want(wanted(agent_id, TableId("parlour"), at_ms=2))
    assert sorted(await registry.stop(ANN)) == ["kitchen", "parlour"]
    assert await registry.stop(ANN) == []
    await registry.forget_table(KITCHEN)
    assert [each.table_id for each in await registry.seats_of(bob)] == ["parlour"]


async def test_a_host_sees_what_is_deployed(registry: Registry) -> None:
    """A wish without a deployment is nothing to play, and one with a problem is not tried again."""
    await registry.want(wanted())
    assert await registry.open_seats("h1", now_ms=1) == []
    await registry.deploy(ANN, ONE, now_ms=1)
    await registry.deploy(ANN, TWO, now_ms=2)
    assert await registry.open_seats("h1", now_ms=2) == [(wanted(), Deployment(TWO, 2))]
    await registry.give_up(ANN, KITCHEN, "seat_taken")
    assert await registry.open_seats("h1", now_ms=2) == []
    await registry.withdraw(ANN, now_ms=3)
    assert await registry.seats_of(ANN) == []


async def test_two_hosts_never_play_one_seat(registry: Registry) -> None:
    """Who has the lease keeps it by its word; when it is silent, or goes, somebody else gets it."""
    await registry.deploy(ANN, ONE, now_ms=1)
    await registry.want(wanted())
    got = await asyncio.gather(*(registry.take(host, HOUSE, [HERE], now_ms=10) for host in ("h1", "h2")))
    assert sorted(map(len, got)) == [0, 1]
    first, second = ("h1", "h2") if got[0] else ("h2", "h1")
    assert await registry.open_seats(second, now_ms=10) == []
    assert [seat.leased_until_ms for seat, _ in await registry.open_seats(first, now_ms=10)] == [10 + LEASE_MS]
    assert await registry.take(first, HOUSE, [HERE], now_ms=10 + LEASE_MS) == {HERE}
    assert await registry.take(second, HOUSE, [HERE], now_ms=11 + LEASE_MS) == set()
    assert await registry.take(second, HOUSE, [HERE], now_ms=11 + 2 * LEASE_MS) == {HERE}
    await registry.release(second)
    assert await registry.take(first, HOUSE, [HERE], now_ms=12 + 2 * LEASE_MS) == {HERE}


async def test_a_seat_that_is_not_wanted_is_nobodys(registry: Registry) -> None:
    """What was stopped while its host thought of it is not got."""
    assert await registry.take("h1", HOUSE, [HERE], now_ms=1) == set()


async def test_a_host_runs_as_long_as_it_says_so(registry: Registry) -> None:
    """With the models that it can ask, all hosts' together."""
    assert await registry.models_running(now_ms=1) == set()
    await registry.take("h1", ["house"], [], now_ms=1)
    await registry.take("h2", ["house", "small"], [], now_ms=1_000)
    assert await registry.models_running(now_ms=1_000) == {"house", "small"}
    await registry.release("h2")
    assert await registry.models_running(now_ms=1_000) == {"house"}
    assert await registry.models_running(now_ms=1 + LEASE_MS) == set()
