"""The register and the revocations: a good signature is not all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gameserver.identity.admission import AgentAdmission, RegisteredAgent, Revocations, admit_agent
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.who import AgentIdentity, Nobody, UserIdentity
from policy.ids import AgentId, AgentVersionId, UserId
from tests.identity.people import AGENT, OTHER_AGENT, OTHER_OWNER, OWNER, VERSION

WHO = AgentIdentity(AGENT, OWNER, VERSION, False, None, 2_000, "j1", 1_000)
KNOWN = RegisteredAgent(AGENT, OWNER, has_version=True)


def test_a_registered_agent_comes_in() -> None:
    """The identity is handed through unchanged."""
    assert admit_agent(WHO, KNOWN) is WHO


@pytest.mark.parametrize(
    "registered",
    [
        None,
        replace(KNOWN, owner=OTHER_OWNER),
        replace(KNOWN, has_version=False),
        replace(KNOWN, agent_id=OTHER_AGENT),
    ],
)
def test_what_the_register_does_not_bear_out_is_refused(registered: RegisteredAgent | None) -> None:
    """Unknown, another owner's, without that version, or another agent's record by mistake."""
    with pytest.raises(TokenRefused) as refused:
        admit_agent(WHO, registered)
    assert refused.value.reason is TokenReason.NOT_REGISTERED


def is_revoked(revocations: Revocations, who: AgentIdentity | UserIdentity) -> bool:
    try:
        revocations.refuse_revoked(who)
    except TokenRefused as refused:
        assert refused.reason is TokenReason.REVOKED
        return True
    return False


def test_a_revoked_token_is_refused_and_its_agent_is_not() -> None:
    """`jti` names one token, of an agent or of a user."""
    revocations = Revocations()
    revocations.revoke_token("j1", until_ms=2_000)
    assert is_revoked(revocations, WHO)
    assert is_revoked(revocations, UserIdentity(UserId("u"), 2_000, "j1"))
    assert not is_revoked(revocations, replace(WHO, token_id="j2"))
    assert not is_revoked(revocations, replace(WHO, token_id=None))


def test_a_revoked_agent_needs_a_token_from_after_it() -> None:
    """All tokens issued until then are void, and those that do not say when."""
    revocations = Revocations()
    revocations.revoke_agent(AGENT, issued_until_ms=1_000)
    revocations.revoke_agent(AGENT, issued_until_ms=500)
    assert is_revoked(revocations, WHO)
    assert is_revoked(revocations, replace(WHO, issued_at_ms=0))
    assert not is_revoked(revocations, replace(WHO, issued_at_ms=1_001))
    assert not is_revoked(revocations, replace(WHO, agent_id=OTHER_AGENT))


def test_a_token_that_ran_out_may_be_forgotten() -> None:
    """The list does not grow for ever, and nothing is let in by that."""
    revocations = Revocations()
    revocations.revoke_token("j1", until_ms=2_000)
    revocations.forget(now_ms=1_999)
    assert is_revoked(revocations, WHO)
    revocations.forget(now_ms=2_000)
    assert not is_revoked(revocations, WHO)


def admission(
    revocations: Revocations, meanwhile: Callable[[], None] = lambda: None
) -> tuple[AgentAdmission, list[TokenReason]]:
    counted: list[TokenReason] = []

    async def register(agent_id: AgentId, version_id: AgentVersionId) -> RegisteredAgent | None:
        meanwhile()
        return KNOWN if agent_id == AGENT else None

    def verify(token: str) -> AgentIdentity:
        return replace(WHO, agent_id=AgentId(token))

    return AgentAdmission(verify=verify, register=register, revocations=revocations, count=counted.append), counted


async def test_the_register_is_asked_after_the_signature() -> None:
    """Whom it does not know is refused, and counted."""
    door, counted = admission(Revocations())
    assert await door.agent(AGENT) == WHO
    with pytest.raises(TokenRefused):
        await door.agent(OTHER_AGENT)
    assert counted == [TokenReason.NOT_REGISTERED]


async def test_a_token_that_is_revoked_meanwhile_is_refused() -> None:
    """Between the signature and the register's answer there is time."""
    revocations = Revocations()
    door, counted = admission(revocations, lambda: revocations.revoke_token("j1", until_ms=9_000))
    with pytest.raises(TokenRefused):
        await door.agent(AGENT)
    assert counted == [TokenReason.REVOKED]


@pytest.mark.parametrize("revoked_ms", [1_000_000, 1_000_001, 1_000_999])
def test_a_token_issued_right_after_a_revocation_is_good(revoked_ms: int) -> None:
    """Tokens say when they were issued in whole seconds, so the next one says the next second."""
    revocations = Revocations()
    assert revocations.first_good_second(AGENT, now_s=1_000) == 1_000
    revocations.revoke_agent(AGENT, issued_until_ms=revoked_ms)
    assert revocations.is_revoked(replace(WHO, issued_at_ms=1_000_000))
    fresh = revocations.first_good_second(AGENT, now_s=1_000)
    assert fresh == 1_001
    assert not revocations.is_revoked(replace(WHO, issued_at_ms=fresh * 1_000))
    assert not revocations.is_revoked(Nobody())
