"""A token's outer form: compact JWS (RFC 7515), read strictly. It judges no key and no claim.

There is one reading of a token here: three parts of canonical base64url, JSON objects without a doubled key. What another
reader could take for something else is refused (test_a_token_has_one_reading).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from gameserver.identity.refusals import TokenReason, TokenRefused

MAX_TOKEN_CHARACTERS: Final = 8_192
_MAX_HEADER_CHARACTERS: Final = 1_024
MAX_KEY_ID_CHARACTERS: Final = 128
_PART: Final = re.compile(r"[A-Za-z0-9_-]+")
_KNOWN_PARAMETERS: Final = frozenset({"alg", "typ", "kid", "x5t", "x5t#S256"})
"""The last two are names of certificates, which we do not read. `crit`, `b64`, `zip`, `jwk`, `jku` and `x5u` ask for what we
do not do, and are refused."""
_TYPES: Final = frozenset({"jwt", "at+jwt"})


@dataclass(frozen=True, slots=True)
class CompactToken:
    """A token in its parts, nothing of it verified. `payload` is not parsed before its signature is checked."""

    key_id: str
    algorithm: str
    signed: bytes
    payload: bytes
    signature: bytes

    def __repr__(self) -> str:
        return "<token>"


def read_token(token: str) -> CompactToken:
    """Take a token apart. Raises `TokenRefused`."""
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise TokenRefused(TokenReason.TOO_LONG)
    parts = token.split(".")
    if len(parts) != 3 or len(parts[0]) > _MAX_HEADER_CHARACTERS:
        raise TokenRefused(TokenReason.NOT_COMPACT)
    header, payload, signature = (_bytes_of(part) for part in parts)
    key_id, algorithm = _header(json_object(header, TokenReason.BAD_HEADER))
    return CompactToken(key_id, algorithm, f"{parts[0]}.{parts[1]}".encode("ascii"), payload, signature)


def _bytes_of(part: str) -> bytes:
    """The one spelling of these bytes: no padding, no foreign letter, no bits behind the last byte."""
    if _PART.fullmatch(part) is None:
        raise TokenRefused(TokenReason.NOT_COMPACT)
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error:
        raise TokenRefused(TokenReason.NOT_COMPACT) from None
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii") != part:
        raise TokenRefused(TokenReason.NOT_COMPACT)
    return data


def _header(header: Mapping[str, object]) -> tuple[str, str]:
    if not header.keys() <= _KNOWN_PARAMETERS:
        raise TokenRefused(TokenReason.BAD_HEADER)
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise TokenRefused(TokenReason.BAD_HEADER)
    key_id, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(algorithm, str):
        raise TokenRefused(TokenReason.BAD_HEADER)
    if not isinstance(key_id, str) or not 0 < len(key_id) <= MAX_KEY_ID_CHARACTERS:
        raise TokenRefused(TokenReason.UNKNOWN_KEY)
    return key_id, algorithm


def json_object(data: bytes, otherwise: TokenReason) -> Mapping[str, object]:
    """Parse one JSON object without a doubled key, NaN or Infinity; else refuse for this reason."""
    try:
        found: object = json.loads(
            data.decode("utf-8"), object_pairs_hook=_without_doubles, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise TokenRefused(otherwise) from None
    if not isinstance(found, dict):
        raise TokenRefused(otherwise)
    return found


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key came twice")
    return found


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")
