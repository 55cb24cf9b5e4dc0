"""People, agents, versions: who there is, and who owned what when."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import DBAPIError

from gameserver.errors import Bug, ErrorCode, Refusal
from gameserver.store.stored import StoredAgent, StoredVersion
from policy.ids import AgentId, AgentVersionId, HandNumber
from tests.store.conftest import STARTING_CHIPS, Store
from tests.store.looking import meddle
from tests.store.stories import ALICE, ALICES, BOB, BOBS, TABLE, buy_in, options, result, settled

AGENT = AgentId("a_1")


async def test_an_agent_is_read_back_as_it_was_registered(store: Store) -> None:
    """By its id, and among its owner's agents, oldest first."""
    first = await store.people.create_agent(AGENT, "First", ALICE)
    second = await store.people.create_agent(AgentId("a_0"), "Second", ALICE)
    await store.people.create_agent(AgentId("a_2"), "Bob's", BOB)
    assert first == StoredAgent(AGENT, "First", ALICE, first.created_ms)
    assert await store.people.agent(AGENT) == first
    assert await store.people.agents_of(ALICE) == (first, second)
    assert await store.people.agent(AgentId("a_unknown")) is None


async def test_an_agents_id_is_taken_once(store: Store) -> None:
    """The first one stays, and the second owner is not noted."""
    first = await store.people.create_agent(AGENT, "First", ALICE)
    with pytest.raises(Bug, match="id is taken"):
        await store.people.create_agent(AGENT, "Second", BOB)
    assert await store.people.agent(AGENT) == first
    assert await store.people.user_name(BOB) is None


async def test_an_owner_who_was_not_seen_before_gets_the_starting_chips(store: Store) -> None:
    """Who owns an agent can buy it in."""
    await store.people.create_agent(AGENT, "First", ALICE)
    assert await store.ledger.bankroll_chips(ALICE) == STARTING_CHIPS


async def test_people_have_a_name(store: Store) -> None:
    """Their id until somebody says another."""
    await store.ledger.bankroll_chips(ALICE)
    assert await store.people.user_name(ALICE) == ALICE
    await store.people.name_user(ALICE, "Alice")
    await store.people.name_user(BOB, "Bob")
    assert [await store.people.user_name(person) for person in (ALICE, BOB)] == ["Alice", "Bob"]


async def test_the_owner_at_the_time_of_a_hand(store: Store) -> None:
    """A transfer counts from its moment on; what was before stays with who owned the agent then."""
    made = (await store.people.create_agent(AGENT, "First", ALICE)).created_ms
    await store.people.transfer_agent(AGENT, BOB)
    transferred = store.clock.now_ms
    await store.people.transfer_agent(AGENT, ALICE)
    assert await store.people.owner_at(AGENT, made - 1) is None
    assert await store.people.owner_at(AGENT, transferred - 1) == ALICE
    assert await store.people.owner_at(AGENT, transferred) == BOB
    assert await store.people.owner_at(AGENT, store.clock.now_ms) == ALICE
    assert await store.people.agents_of(BOB) == ()


async def test_the_latest_of_two_transfers_in_one_moment_counts(store: Store) -> None:
    """The clock may stand still."""
    await store.people.create_agent(AGENT, "First", ALICE)
    store.clock.step_ms = 0
    await store.people.transfer_agent(AGENT, BOB)
    await store.people.transfer_agent(AGENT, ALICE)
    assert await store.people.owner_at(AGENT, store.clock.now_ms) == ALICE


async def test_versions_are_numbered_per_agent_and_keep_their_bytes(store: Store) -> None:
    """Whatever the bytes are."""
    await store.people.create_agent(AGENT, "First", ALICE)
    await store.people.create_agent(AgentId("a_2"), "Second", ALICE)
    content = b'{"b": 1, "a":2}\x00\xff'
    one = await store.people.publish_version(AGENT, AgentVersionId("v_z"), content)
    other = await store.people.publish_version(AgentId("a_2"), AgentVersionId("v_y"), b"")
    two = await store.people.publish_version(AGENT, AgentVersionId("v_x"), b"2")
    assert one == StoredVersion(AgentVersionId("v_z"), AGENT, 1, content, one.created_ms)
    assert (other.number, two.number) == (1, 2)
    assert await store.people.version(AgentVersionId("v_z")) == one
    assert await store.people.versions_of(AGENT) == (one, two)
    assert await store.people.version(AgentVersionId("v_unknown")) is None


async def test_versions_that_are_published_at_once_get_numbers_of_their_own(store: Store) -> None:
    """Ten at a time."""
    await store.people.create_agent(AGENT, "First", ALICE)
    publish = (store.people.publish_version(AGENT, AgentVersionId(f"v_{n}"), b"") for n in range(10))
    assert sorted(version.number for version in await asyncio.gather(*publish)) == list(range(1, 11))


async def test_a_versions_id_is_taken_once(store: Store) -> None:
    """The first one's bytes stay."""
    await store.people.create_agent(AGENT, "First", ALICE)
    first = await store.people.publish_version(AGENT, AgentVersionId("v"), b"first")
    with pytest.raises(Bug, match="id is taken"):
        await store.people.publish_version(AGENT, AgentVersionId("v"), b"second")
    assert await store.people.versions_of(AGENT) == (first,)


async def test_an_unknown_agent_is_not_found(store: Store) -> None:
    """Neither transferred nor published for; the person it was to go to is not noted."""
    with pytest.raises(Refusal) as refused:
        await store.people.transfer_agent(AGENT, BOB)
    assert refused.value.code is ErrorCode.NOT_FOUND
    with pytest.raises(Refusal) as refused:
        await store.people.publish_version(AGENT, AgentVersionId("v"), b"")
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert await store.people.user_name(BOB) is None


CHANGES = [
    "UPDATE railbird_agent_versions SET content = content",
    "DELETE FROM railbird_agent_versions",
    "UPDATE railbird_agent_owners SET since_ms = 0",
    "DELETE FROM railbird_agent_owners",
    "UPDATE railbird_entries SET reason = 'grant'",
    "DELETE FROM railbird_entries",
    "UPDATE railbird_transactions SET at_ms = 0",
    "DELETE FROM railbird_transactions WHERE transaction_id = 0 OR 1 = 1",
    "UPDATE railbird_hands SET status = 'cancelled', record = NULL",
    "UPDATE railbird_hands SET hand_number = 9",
]


@pytest.mark.parametrize("statement", CHANGES)
async def test_what_was_written_once_is_not_changed(store: Store, statement: str) -> None:
    """The database refuses it, whoever writes: versions, past owners, the ledger's lines, a hand that is over."""
    await store.people.create_agent(AGENT, "First", ALICE)
    await store.people.publish_version(AGENT, AgentVersionId("v"), b"first")
    await store.tables.create_table(TABLE, options(), b"")
    await store.tables.change_table(TABLE, [buy_in(ALICES, 100), buy_in(BOBS, 100)], b"")
    await store.tables.begin_hand(TABLE, HandNumber(1), b"")
    await store.tables.finish_hand(TABLE, result(), settled(1), b"")
    with pytest.raises(DBAPIError, match="this row is final"):
        await meddle(store.beside, statement)
