"""Public keys as a JWK set (RFC 7517): ours for others, and those of whoever signs users in for us.

It takes a document and fetches none: when to fetch is decided by a clock and the configuration, and no token can cause it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from gameserver.identity.compact import MAX_KEY_ID_CHARACTERS
from gameserver.identity.keys import Algorithm, KeyUse, UnusableKey, VerifyingKey, algorithm_of

_MAX_KEYS: Final = 32
_READERS: Final = {
    "OKP": jwt.algorithms.OKPAlgorithm,
    "EC": jwt.algorithms.ECAlgorithm,
    "RSA": jwt.algorithms.RSAAlgorithm,
}


def public_jwks(keys: Iterable[VerifyingKey]) -> dict[str, object]:
    """The set that others verify our tokens with. Our keys are Ed25519."""
    return {"keys": [_jwk(key, key.public) for key in keys if isinstance(key.public, Ed25519PublicKey)]}


def _jwk(key: VerifyingKey, public: Ed25519PublicKey) -> dict[str, object]:
    members: dict[str, object] = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(public))
    return {**members, "kid": key.key_id, "alg": str(key.algorithm), "use": "sig"}


def user_keys(document: object, *, issuer: str, audience: str | None = None) -> list[VerifyingKey]:
    """The keys of a set that may verify users' tokens of this issuer; others in the set are left out.

    Left out: keys without a name, for encryption, of a symmetric or weak kind, or whose `alg` is not the one of their kind.
    Raises `UnusableKey` for what is no set, for a name twice, and for a set without any key for us.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list) or len(listed) > _MAX_KEYS:
        raise UnusableKey("not a set of keys")
    found = [key for key in (_user_key(member, issuer, audience) for member in listed) if key is not None]
    if not found:
        raise UnusableKey("the set has no key that verifies")
    if len({key.key_id for key in found}) != len(found):
        raise UnusableKey("two keys of the set have the same name")
    return found


def _user_key(member: object, issuer: str, audience: str | None) -> VerifyingKey | None:
    if not isinstance(member, dict) or member.get("use", "sig") != "sig" or "d" in member:
        return None
    key_id, reader = member.get("kid"), _READERS.get(str(member.get("kty")))
    if not isinstance(key_id, str) or not 0 < len(key_id) <= MAX_KEY_ID_CHARACTERS or reader is None:
        return None
    key = _verifying(member, reader, key_id, issuer)
    return None if key is None else replace(key, audience=audience)


def _verifying(member: Mapping[str, Any], reader: Any, key_id: str, issuer: str) -> VerifyingKey | None:
    try:
        public = reader.from_jwk(json.dumps(member))
        algorithm = algorithm_of(public)
    except (jwt.InvalidKeyError, UnusableKey, ValueError):
        return None
    if member.get("alg", algorithm) != algorithm:
        return None
    assert isinstance(public, Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey)
    return VerifyingKey(key_id, KeyUse.USER, Algorithm(algorithm), issuer, public)
