"""Invitations, revocations, notes that wait, and the audit."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import DBAPIError

from gameserver.errors import ErrorCode, Refusal
from gameserver.store.audit import Audit
from gameserver.store.invitations import StoredInvitations
from gameserver.store.notes import MOST_WAITING, StoredNotes
from gameserver.store.revocations import StoredRevocation, StoredRevocations
from gameserver.store.stored import StoredAgent
from policy.ids import AgentId, AgentVersionId
from tests.store.conftest import Store
from tests.store.looking import meddle
from tests.store.stories import ALICE, BOB, TABLE, options

AGENT = AgentId("a_1")


async def test_an_invitation_stays_until_the_table_is_closed(store: Store) -> None:
    """Twice is once."""
    invitations = StoredInvitations(store.database)
    await store.tables.create_table(TABLE, options(), b"")
    for _ in range(2):
        await invitations.add(TABLE, ALICE, now_ms=1)
    await invitations.add(TABLE, BOB, now_ms=2)
    assert sorted(await invitations.all()) == [(TABLE, ALICE), (TABLE, BOB)]
    await store.tables.close_table(TABLE, [], b"")
    assert await invitations.all() == ()


async def test_the_later_of_two_revocations_counts(store: Store) -> None:
    """In whichever order they come; and a token that has run out is forgotten, an agent is not."""
    revocations = StoredRevocations(store.database)
    for until_ms in (5, 9, 7):
        await revocations.add(StoredRevocation("token", "jti", until_ms))
        await revocations.add(StoredRevocation("agent", AGENT, until_ms))
    assert set(await revocations.all()) == {StoredRevocation("token", "jti", 9), StoredRevocation("agent", AGENT, 9)}
    await revocations.forget(now_ms=8)
    assert len(await revocations.all()) == 2
    await revocations.forget(now_ms=9)
    assert await revocations.all() == (StoredRevocation("agent", AGENT, 9),)


async def test_notes_wait_in_order_and_not_without_end(store: Store) -> None:
    """Each agent has so many; what is dropped makes room."""
    notes = StoredNotes(store.database)
    for agent_id in (AGENT, AgentId("a_2")):
        await store.people.create_agent(agent_id, agent_id, ALICE)
    kept = [await notes.add(AGENT, f"note {n}", now_ms=n) for n in range(MOST_WAITING)]
    with pytest.raises(Refusal) as refused:
        await notes.add(AGENT, "one more", now_ms=99)
    assert refused.value.code is ErrorCode.RATE_LIMITED
    other = await notes.add(AgentId("a_2"), "other", now_ms=100)
    assert await notes.all() == (*kept, other)
    await notes.drop([kept[0].ordinal, kept[1].ordinal])
    again = await notes.add(AGENT, "fits", now_ms=101)
    assert await notes.all() == (*kept[2:], other, again)


async def test_the_audit_is_read_newest_first_and_in_pages(store: Store) -> None:
    """With what was asked, of what, by whom."""
    audit = Audit(store.database)
    for n in range(3):
        await audit.write(operator="service", action="remove", outcome="asked", about={"seat": n}, now_ms=n)
    await audit.write(operator="olga", action="remove", outcome="refused", about={"tableId": "t"}, now_ms=9)
    newest, *_ = rows = await audit.rows(limit=2)
    assert (newest.operator, newest.action, newest.outcome) == ("olga", "remove", "refused")
    assert (newest.about, newest.at_ms) == ({"tableId": "t"}, 9)
    rest = await audit.rows(limit=9, before=rows[-1].ordinal)
    assert [row.about["seat"] for row in (rows[-1], *rest)] == [2, 1, 0]


@pytest.mark.parametrize("statement", ["UPDATE railbird_audit SET operator = 'x'", "DELETE FROM railbird_audit"])
async def test_an_audit_row_is_not_changed(store: Store, statement: str) -> None:
    """The database refuses it, whoever asks."""
    await Audit(store.database).write(operator="service", action="remove", outcome="asked", about={}, now_ms=1)
    with pytest.raises(DBAPIError, match="this row is final"):
        await meddle(store.beside, statement)


async def test_an_agent_is_asked_for_with_one_of_its_versions(store: Store) -> None:
    """Another agent's version is none of its own."""
    made = await store.people.create_agent(AGENT, "First", ALICE)
    other = await store.people.create_agent(AgentId("a_2"), "Second", BOB)
    await store.people.publish_version(AGENT, AgentVersionId("v_1"), b"{}")
    assert isinstance(made, StoredAgent)
    assert await store.people.agent_with_version(AGENT, AgentVersionId("v_1")) == (made, True)
    assert await store.people.agent_with_version(AGENT, AgentVersionId("v_2")) == (made, False)
    assert await store.people.agent_with_version(other.agent_id, AgentVersionId("v_1")) == (other, False)
    assert await store.people.agent_with_version(AgentId("a_3"), AgentVersionId("v_1")) is None
