"""Keys that sign and verify tokens, in memory. It reads no file and fetches nothing.

A key has one use, one algorithm and one issuer, fixed when it is taken in: what a token says about its key can only pick
one of these by name (test_the_header_picks_a_key_and_nothing_else). There is no symmetric key.
"""

from __future__ import annotations

import base64
import enum
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from gameserver.errors import RailbirdError

PublicKey: TypeAlias = Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey

ISSUER: Final = "railbird"
"""Who signs with our own keys."""
_LEAST_RSA_BITS: Final = 2048


class KeyUse(enum.StrEnum):
    """What a key may sign, and nothing else."""

    AGENT = "agent"
    USER = "user"
    HOSTING = "hosting"
    """Tokens of hosted agents: the hosting service's own key."""


class Algorithm(enum.StrEnum):
    """By its name in a token's header."""

    EDDSA = "EdDSA"
    ES256 = "ES256"
    RS256 = "RS256"


class UnusableKey(RailbirdError):
    """Something is no key that we take. It says nothing of the key."""


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key. `key_id`: how a token's `kid` names it. `audience`: of users' tokens that somebody else signs for us; None: ours."""

    key_id: str
    use: KeyUse
    algorithm: Algorithm
    issuer: str
    public: PublicKey = field(repr=False)
    audience: str | None = None


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key of ours, Ed25519. It does not print."""

    use: KeyUse
    private: Ed25519PrivateKey = field(repr=False)
    issuer: str = ISSUER

    @property
    def key_id(self) -> str:
        """The key's thumbprint (RFC 7638)."""
        return thumbprint(self.private.public_key())

    def verifying(self) -> VerifyingKey:
        """The public half."""
        return VerifyingKey(self.key_id, self.use, Algorithm.EDDSA, self.issuer, self.private.public_key())


class KeyRing:
    """All keys that verify, looked up by name. It does not change: a rotation makes another one."""

    def __init__(self, keys: Iterable[VerifyingKey]) -> None:
        self._by_id: Final[dict[str, VerifyingKey]] = {}
        for key in keys:
            if key.key_id in self._by_id:
                raise UnusableKey("two keys have the same name")
            self._by_id[key.key_id] = key

    def find(self, key_id: str, uses: frozenset[KeyUse]) -> VerifyingKey | None:
        """The key of that name, where it is for one of these uses."""
        key = self._by_id.get(key_id)
        return key if key is not None and key.use in uses else None

    def __iter__(self) -> Iterator[VerifyingKey]:
        return iter(self._by_id.values())


def new_key(use: KeyUse) -> SigningKey:
    """A fresh key from the operating system's randomness."""
    return SigningKey(use, Ed25519PrivateKey.generate())


def thumbprint(key: Ed25519PublicKey) -> str:
    """The name of a public key: SHA-256 of its canonical JWK (RFC 7638, RFC 8037), base64url without padding."""
    canonical = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": _b64(key.public_bytes_raw())}, separators=(",", ":"))
    return _b64(hashlib.sha256(canonical.encode("ascii")).digest())


def algorithm_of(key: object) -> Algorithm:
    """The one algorithm that a public key verifies. Refuses (`UnusableKey`) weak and foreign kinds."""
    match key:
        case Ed25519PublicKey():
            return Algorithm.EDDSA
        case ec.EllipticCurvePublicKey(curve=ec.SECP256R1()):
            return Algorithm.ES256
        case rsa.RSAPublicKey(key_size=bits) if bits >= _LEAST_RSA_BITS:
            return Algorithm.RS256
        case _:
            raise UnusableKey("only Ed25519, P-256 and RSA keys of 2048 bits and more are taken")


def signing_key_from_pem(pem: bytes, use: KeyUse) -> SigningKey:
    """Read an unencrypted PKCS 8 private key."""
    try:
        private = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise UnusableKey("not an unencrypted private key in PEM") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise UnusableKey("not an Ed25519 key")
    return SigningKey(use, private)


def verifying_key_from_pem(
    pem: bytes, use: KeyUse, *, key_id: str | None = None, issuer: str = ISSUER, audience: str | None = None
) -> VerifyingKey:
    """Read a public key. `key_id` may be left out for an Ed25519 key: it is its thumbprint then."""
    try:
        public = serialization.load_pem_public_key(pem)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise UnusableKey("not a public key in PEM") from None
    algorithm = algorithm_of(public)
    if not isinstance(public, Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey):
        raise UnusableKey("not a key that verifies")
    if key_id is None:
        key_id = _own_name(public)
    return VerifyingKey(key_id, use, algorithm, issuer, public, audience)


def _own_name(public: PublicKey) -> str:
    if isinstance(public, Ed25519PublicKey):
        return thumbprint(public)
    raise UnusableKey("this kind of key needs the name that its tokens carry as kid")


def private_pem(key: SigningKey) -> bytes:
    """The private key as unencrypted PKCS 8 PEM, for a file that only its owner reads."""
    return key.private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def public_pem(key: SigningKey) -> bytes:
    """The public half as PEM, for who only verifies."""
    return key.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
