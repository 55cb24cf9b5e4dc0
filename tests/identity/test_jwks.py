"""Key sets: ours for others, and others' for us."""

from __future__ import annotations

import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from gameserver.identity.jwks import public_jwks, user_keys
from gameserver.identity.keys import Algorithm, KeyRing, KeyUse, UnusableKey
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.tokens import TokenRules, verify_user_token
from tests.identity.people import KEYS, NOW_S, RING

ISSUER = "https://login.example/"
RULES = TokenRules(user_audience="poker")


def rsa_member(private: rsa.RSAPrivateKey, **members: object) -> dict[str, Any]:
    return {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key())), "kid": "r1", **members}


RSA = rsa.generate_private_key(65537, 2048)


def token(private: Any, algorithm: str, kid: str, **claims: object) -> str:
    whole = {
        "sub": "google-oauth2|10",
        "aud": ["poker", "x"],
        "iss": ISSUER,
        "exp": NOW_S + 60,
        "email": "a@b",
    } | claims
    return jwt.encode(whole, private, algorithm=algorithm, headers={"kid": kid})


def test_our_own_set_verifies_our_tokens() -> None:
    """What we publish is public, and another library reads it."""
    document = public_jwks(RING)
    assert "d" not in {name for key in jwt.PyJWKSet.from_dict(document).keys for name in key._jwk_data}
    assert {key.key_id for key in jwt.PyJWKSet.from_dict(document).keys} == {key.key_id for key in KEYS.values()}
    assert json.dumps(document).isascii()


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_tokens_of_a_foreign_issuer_are_verified_with_its_set(algorithm: str) -> None:
    """A user may be signed in by somebody else, with the algorithm of the key and with no other."""
    if algorithm == "RS256":
        private: Any = RSA
        members = rsa_member(RSA, use="sig", alg="RS256")
    else:
        private = ec.generate_private_key(ec.SECP256R1())
        members = {**json.loads(jwt.algorithms.ECAlgorithm.to_jwk(private.public_key())), "kid": "r1"}
    ring = KeyRing([*RING, *user_keys({"keys": [members]}, issuer=ISSUER)])
    good = token(private, algorithm, "r1")
    assert verify_user_token(good, keys=ring, rules=RULES, now_s=NOW_S).user_id == "google-oauth2|10"
    for bad, why in (
        (token(private, algorithm, "r1", iss="railbird"), TokenReason.WRONG_ISSUER),
        (token(KEYS[KeyUse.USER].private, "EdDSA", "r1"), TokenReason.WRONG_ALGORITHM),
        (token(KEYS[KeyUse.USER].private, "EdDSA", KEYS[KeyUse.USER].key_id), TokenReason.WRONG_ISSUER),
    ):
        with pytest.raises(TokenRefused) as refused:
            verify_user_token(bad, keys=ring, rules=RULES, now_s=NOW_S)
        assert refused.value.reason is why


def test_only_keys_that_verify_are_taken_from_a_set() -> None:
    """Secrets, keys for encryption, weak keys and keys without a name are left out."""
    weak = rsa.generate_private_key(65537, 1024)
    members = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "o"},
        rsa_member(RSA, use="enc", kid="e"),
        rsa_member(weak, kid="w"),
        rsa_member(RSA, alg="RS512", kid="a"),
        rsa_member(RSA, alg="HS256", kid="h"),
        rsa_member(RSA, kid=None),
        rsa_member(RSA, kid="k" * 129),
        {"kty": "RSA", "kid": "broken"},
        "text",
        None,
    ]
    keys = user_keys({"keys": [*members, rsa_member(RSA, kid="good")]}, issuer=ISSUER)
    assert [(key.key_id, key.use, key.algorithm, key.issuer) for key in keys] == [
        ("good", KeyUse.USER, Algorithm.RS256, ISSUER)
    ]
    with pytest.raises(UnusableKey):
        user_keys({"keys": members}, issuer=ISSUER)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"keys": {}},
        {"keys": []},
        {"keys": [rsa_member(RSA), rsa_member(RSA)]},
        {"keys": [rsa_member(RSA, kid=str(n)) for n in range(33)]},
    ],
)
def test_what_is_no_set_is_refused(document: object) -> None:
    """A broken answer of the issuer is told apart from a set without news."""
    with pytest.raises(UnusableKey):
        user_keys(document, issuer=ISSUER)
