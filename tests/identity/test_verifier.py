"""Keys, rules, clock and revocations put together."""

from __future__ import annotations

import pytest

from gameserver.identity.admission import Revocations
from gameserver.identity.issue import issue_agent_token, issue_user_token
from gameserver.identity.keys import KeyRing, KeyUse
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.tokens import TokenRules
from gameserver.identity.verifier import TokenVerifier
from policy.ids import UserId
from tests.identity.people import AGENT, KEYS, NOW_S, OWNER, RING, VERSION


def agent_token(token_id: str) -> str:
    return issue_agent_token(
        KEYS[KeyUse.AGENT],
        agent_id=AGENT,
        owner=OWNER,
        version_id=VERSION,
        token_id=token_id,
        now_s=NOW_S,
        life_s=60,
    )


def test_it_asks_keys_clock_and_revocations_each_time() -> None:
    """A rotation, a revocation and the passing of time count at once; each refusal is counted by its reason."""
    ring, now_s = [RING], [float(NOW_S)]
    counted: list[TokenReason] = []
    revocations = Revocations()
    verifier = TokenVerifier(
        keys=lambda: ring[0],
        rules=TokenRules(),
        revocations=revocations,
        now_s=lambda: now_s[0],
        count=counted.append,
    )
    person = issue_user_token(KEYS[KeyUse.USER], user_id=UserId("u"), token_id="j9", now_s=NOW_S, life_s=60)
    assert verifier.agent(agent_token("j1")).agent_id == AGENT
    assert verifier.user(person).user_id == "u"
    revocations.revoke_token("j1", until_ms=(NOW_S + 90) * 1_000)
    for token in (agent_token("j1"), person):
        with pytest.raises(TokenRefused):
            verifier.agent(token)
    now_s[0] = NOW_S + 100
    with pytest.raises(TokenRefused):
        verifier.user(person)
    now_s[0], ring[0] = NOW_S, KeyRing([])
    with pytest.raises(TokenRefused):
        verifier.agent(agent_token("j2"))
    assert counted == [TokenReason.REVOKED, TokenReason.UNKNOWN_KEY, TokenReason.EXPIRED, TokenReason.UNKNOWN_KEY]
