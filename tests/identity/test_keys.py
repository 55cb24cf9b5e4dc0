"""Which keys are taken, and that each has one use, one algorithm and one issuer."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

from gameserver.identity.keys import (
    Algorithm,
    KeyRing,
    KeyUse,
    UnusableKey,
    algorithm_of,
    new_key,
    private_pem,
    public_pem,
    signing_key_from_pem,
    thumbprint,
    verifying_key_from_pem,
)
from tests.identity.people import KEYS


def pem(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def test_a_key_goes_through_its_files_unchanged() -> None:
    """Private and public half keep the name that tokens carry."""
    key = KEYS[KeyUse.HOSTING]
    assert signing_key_from_pem(private_pem(key), KeyUse.HOSTING).key_id == key.key_id
    assert verifying_key_from_pem(public_pem(key), KeyUse.HOSTING) == key.verifying()


def test_the_name_of_a_key_is_its_thumbprint() -> None:
    """The example of RFC 8037, appendix A.3."""
    public = Ed25519PublicKey.from_public_bytes(
        bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    )
    assert thumbprint(public) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_each_kind_of_key_has_one_algorithm() -> None:
    """What a token's header says about the algorithm decides nothing."""
    assert algorithm_of(KEYS[KeyUse.USER].private.public_key()) is Algorithm.EDDSA
    assert algorithm_of(ec.generate_private_key(ec.SECP256R1()).public_key()) is Algorithm.ES256
    assert algorithm_of(rsa.generate_private_key(65537, 2048).public_key()) is Algorithm.RS256


def test_a_users_key_may_be_named_and_issued_by_somebody_else() -> None:
    """An RSA key needs the name that its issuer gives it."""
    public = rsa.generate_private_key(65537, 2048).public_key()
    key = verifying_key_from_pem(pem(public), KeyUse.USER, key_id="r1", issuer="https://login.example/")
    assert (key.key_id, key.algorithm, key.issuer) == ("r1", Algorithm.RS256, "https://login.example/")


def test_weak_and_foreign_keys_are_refused() -> None:
    """Other curves, short RSA keys, secrets and texts are no keys of ours."""
    for key in (
        ec.generate_private_key(ec.SECP384R1()).public_key(),
        rsa.generate_private_key(65537, 1024).public_key(),
        ed448.Ed448PrivateKey.generate().public_key(),
        b"a secret",
    ):
        with pytest.raises(UnusableKey):
            algorithm_of(key)
    with pytest.raises(UnusableKey):
        signing_key_from_pem(b"no key", KeyUse.AGENT)
    with pytest.raises(UnusableKey):
        verifying_key_from_pem(b"no key", KeyUse.AGENT)
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(UnusableKey, match="Ed25519"):
        signing_key_from_pem(other, KeyUse.AGENT)
    with pytest.raises(UnusableKey, match="needs the name"):
        verifying_key_from_pem(pem(ec.generate_private_key(ec.SECP256R1()).public_key()), KeyUse.USER)


def test_a_ring_finds_a_key_for_its_use_only() -> None:
    """A user's key is no agent's, though its name is known."""
    key = new_key(KeyUse.USER).verifying()
    ring = KeyRing([key])
    assert ring.find(key.key_id, frozenset({KeyUse.USER})) is key
    assert ring.find(key.key_id, frozenset({KeyUse.AGENT, KeyUse.HOSTING})) is None
    assert ring.find("other", frozenset(KeyUse)) is None
    with pytest.raises(UnusableKey):
        KeyRing([key, key])
