"""Signs tokens with our own keys. What may be signed for whom is the caller's to know."""

from __future__ import annotations

import jwt

from gameserver.errors import Bug
from gameserver.identity.keys import Algorithm, KeyUse, SigningKey
from gameserver.identity.tokens import AGENT_AUDIENCE, USER_AUDIENCE
from policy.ids import AgentId, AgentVersionId, UserId


def issue_agent_token(
    key: SigningKey,
    *,
    agent_id: AgentId,
    owner: UserId,
    version_id: AgentVersionId,
    token_id: str,
    now_s: int,
    life_s: int,
) -> str:
    """A token for an agent that somebody hosts themselves. Times in seconds, `now_s` since the Unix epoch."""
    _require(key, KeyUse.AGENT)
    return _signed(key, AGENT_AUDIENCE, _agent_claims(agent_id, owner, version_id), token_id, now_s, life_s)


def issue_hosted_token(
    key: SigningKey,
    *,
    agent_id: AgentId,
    owner: UserId,
    version_id: AgentVersionId,
    model: str,
    token_id: str,
    now_s: int,
    life_s: int,
) -> str:
    """The hosting service's attestation that it runs this agent on the platform model `model`; minutes long."""
    _require(key, KeyUse.HOSTING)
    claims = {**_agent_claims(agent_id, owner, version_id), "hosted": True, "model": model}
    return _signed(key, AGENT_AUDIENCE, claims, token_id, now_s, life_s)


def issue_user_token(
    key: SigningKey, *, user_id: UserId, token_id: str, now_s: int, life_s: int, audience: str = USER_AUDIENCE
) -> str:
    """A token for a person."""
    _require(key, KeyUse.USER)
    return _signed(key, audience, {"sub": user_id}, token_id, now_s, life_s)


def _agent_claims(agent_id: AgentId, owner: UserId, version_id: AgentVersionId) -> dict[str, object]:
    return {"sub": agent_id, "owner": owner, "ver": version_id}


def _signed(key: SigningKey, audience: str, claims: dict[str, object], token_id: str, now_s: int, life_s: int) -> str:
    whole = {
        **claims,
        "aud": audience,
        "iss": key.issuer,
        "iat": now_s,
        "exp": now_s + life_s,
        "jti": token_id,
    }
    return jwt.encode(whole, key.private, algorithm=Algorithm.EDDSA, headers={"kid": key.key_id})


def _require(key: SigningKey, use: KeyUse) -> None:
    if key.use is not use:
        raise Bug(f"a key for {key.use} signs no token for {use}")
