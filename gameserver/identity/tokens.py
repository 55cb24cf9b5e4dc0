"""SECURITY: what a token proves, or that it proves nothing.

The rules, in order. The key is one that we have, found by name in memory, and is for this kind of token. The algorithm is the
key's own. The signature holds. Only then is the payload read: the issuer is the key's, the audience ours, and the times lie
within the leeway and the longest life. An agent's token names the agent, its owner and its version; `hosted` comes from the
hosting service's key and from no other, with the platform model that it speaks for. A claim of another name proves nothing.

Whether the agent exists and is that owner's is for `admission`, whether a token was revoked for `revocations`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import jwt

from gameserver.identity import ids
from gameserver.identity.compact import CompactToken, json_object, read_token
from gameserver.identity.keys import KeyRing, KeyUse, VerifyingKey
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.who import AgentIdentity, UserIdentity
from policy.ids import AgentVersionId, UserId

AGENT_AUDIENCE: Final = "railbird-agent"
USER_AUDIENCE: Final = "railbird-user"

_AGENT_KEYS: Final = frozenset({KeyUse.AGENT, KeyUse.HOSTING})
_USER_KEYS: Final = frozenset({KeyUse.USER})
_TOKEN_ID: Final = re.compile(ids.TOKEN)
_MODEL: Final = re.compile(ids.MODEL)
_MAX_AUDIENCES: Final = 8


@dataclass(frozen=True, slots=True)
class TokenRules:
    """Settings. `leeway_s`: by how much another clock may be off. Lives are from now on, in seconds."""

    user_audience: str = USER_AUDIENCE
    leeway_s: int = 30
    longest_agent_life_s: int = 90 * 86_400
    longest_hosted_life_s: int = 15 * 60
    longest_user_life_s: int = 30 * 86_400


def verify_agent_token(token: str, *, keys: KeyRing, rules: TokenRules, now_s: float) -> AgentIdentity:
    """Which agent this is, whose, and whether it is attested as hosted. `now_s`: Unix time. Raises `TokenRefused`."""
    key, claims = _proved(token, keys, _AGENT_KEYS)
    hosted = _hosted(claims, key)
    longest_life_s = rules.longest_hosted_life_s if hosted else rules.longest_agent_life_s
    expires_s = _judge(claims, key, AGENT_AUDIENCE, longest_life_s, rules.leeway_s, now_s)
    agent_id, owner, version_id = ids.agent_id(claims.get("sub")), _owner(claims), _version(claims)
    if agent_id is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return AgentIdentity(
        agent_id=agent_id,
        owner=owner,
        version_id=version_id,
        hosted=hosted,
        model=_model(claims, hosted),
        expires_at_ms=expires_s * 1_000,
        token_id=_token_id(claims),
        issued_at_ms=(_optional_time(claims, "iat") or 0) * 1_000,
    )


def verify_user_token(token: str, *, keys: KeyRing, rules: TokenRules, now_s: float) -> UserIdentity:
    """Which user this is. `now_s`: Unix time. Raises `TokenRefused`."""
    key, claims = _proved(token, keys, _USER_KEYS)
    audience = rules.user_audience if key.audience is None else key.audience
    expires_s = _judge(claims, key, audience, rules.longest_user_life_s, rules.leeway_s, now_s)
    user_id = ids.user_id(claims.get("sub"))
    if user_id is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return UserIdentity(user_id, expires_at_ms=expires_s * 1_000, token_id=_token_id(claims))


def _proved(token: str, keys: KeyRing, uses: frozenset[KeyUse]) -> tuple[VerifyingKey, Mapping[str, object]]:
    parts = read_token(token)
    key = keys.find(parts.key_id, uses)
    if key is None:
        raise TokenRefused(TokenReason.UNKNOWN_KEY)
    if parts.algorithm != key.algorithm:
        raise TokenRefused(TokenReason.WRONG_ALGORITHM)
    if not _signature_holds(parts, key):
        raise TokenRefused(TokenReason.BAD_SIGNATURE)
    return key, json_object(parts.payload, TokenReason.BAD_CLAIMS)


def _signature_holds(parts: CompactToken, key: VerifyingKey) -> bool:
    return jwt.get_algorithm_by_name(key.algorithm).verify(parts.signed, key.public, parts.signature)


def _judge(
    claims: Mapping[str, object],
    key: VerifyingKey,
    audience: str,
    longest_life_s: int,
    leeway_s: int,
    now_s: float,
) -> int:
    """Until when the token is good, leeway included, in Unix seconds."""
    if claims.get("iss") != key.issuer:
        raise TokenRefused(TokenReason.WRONG_ISSUER)
    if audience not in _audiences(claims):
        raise TokenRefused(TokenReason.WRONG_AUDIENCE)
    expires_s = _optional_time(claims, "exp")
    if expires_s is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    if expires_s + leeway_s <= now_s:
        raise TokenRefused(TokenReason.EXPIRED)
    if expires_s > now_s + longest_life_s + leeway_s:
        raise TokenRefused(TokenReason.LIVES_TOO_LONG)
    for begins in (_optional_time(claims, "iat"), _optional_time(claims, "nbf")):
        if begins is not None and begins > now_s + leeway_s:
            raise TokenRefused(TokenReason.NOT_YET_VALID)
    return expires_s + leeway_s


def _audiences(claims: Mapping[str, object]) -> list[str]:
    audience = claims.get("aud")
    listed = audience if isinstance(audience, list) else [audience]
    found = [one for one in listed if isinstance(one, str)]
    if len(found) != len(listed) or len(found) > _MAX_AUDIENCES:
        raise TokenRefused(TokenReason.WRONG_AUDIENCE)
    return found


def _optional_time(claims: Mapping[str, object], name: str) -> int | None:
    """A whole number of Unix seconds; `True` is none, and neither is 1.5."""
    if name not in claims:
        return None
    value = claims[name]
    if type(value) is not int or value < 0:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return value


def _hosted(claims: Mapping[str, object], key: VerifyingKey) -> bool:
    hosted = claims.get("hosted", False)
    if not isinstance(hosted, bool):
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    if hosted is not (key.use is KeyUse.HOSTING):
        raise TokenRefused(TokenReason.NOT_HOSTED_BY_THIS_KEY)
    return hosted


def _model(claims: Mapping[str, object], hosted: bool) -> str | None:
    model = claims.get("model")
    if not hosted and "model" not in claims:
        return None
    if not hosted or not isinstance(model, str) or _MODEL.fullmatch(model) is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return model


def _owner(claims: Mapping[str, object]) -> UserId:
    owner = ids.user_id(claims.get("owner"))
    if owner is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return owner


def _version(claims: Mapping[str, object]) -> AgentVersionId:
    version = ids.version_id(claims.get("ver"))
    if version is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return version


def _token_id(claims: Mapping[str, object]) -> str | None:
    if "jti" not in claims:
        return None
    token_id = claims["jti"]
    if not isinstance(token_id, str) or _TOKEN_ID.fullmatch(token_id) is None:
        raise TokenRefused(TokenReason.BAD_CLAIMS)
    return token_id
