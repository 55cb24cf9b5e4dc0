"""Reads `tokens.json` and builds its tokens byte by byte, without the code under test: our own issuer signs no such thing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class HostileToken:
    """One shape of the file. README.md explains the fields."""

    id: str
    kind: str
    present: tuple[str, ...]
    header: Mapping[str, Any]
    claims: Mapping[str, Any]
    key: str
    then: tuple[str, ...]
    expect: str
    effect: str
    also_allowed: str
    why: str


def hostile_tokens() -> Sequence[HostileToken]:
    """All shapes, in the order of the file."""
    shapes = json.loads((FOLDER / "tokens.json").read_text(encoding="utf-8"))["tokens"]
    return [
        HostileToken(
            s["id"],
            s["kind"],
            tuple(s["present"]),
            s["header"],
            s["claims"],
            s["key"],
            tuple(s.get("then", ())),
            s["expect"],
            s.get("effect", ""),
            s.get("also_allowed", ""),
            s["why"],
        )
        for s in shapes
    ]


@dataclass(frozen=True, slots=True)
class Forge:
    """Who signs, and what the placeholders stand for. `keys`: by the names of the file; `now_s`: Unix time."""

    keys: Mapping[str, Ed25519PrivateKey]
    values: Mapping[str, str]
    now_s: int
    unique: Callable[[], str]
    fresh: Mapping[str, Any] = field(
        default_factory=lambda: {
            "fresh_ed25519": Ed25519PrivateKey.generate(),
            "fresh_p256": ec.generate_private_key(ec.SECP256R1()),
        }
    )

    def build(self, shape: HostileToken) -> str:
        """The token as it is shown to the server."""
        header, claims = self._json(shape.header, shape.key), self._json(shape.claims, shape.key)
        for step in shape.then:
            if step.startswith("duplicate_claim_raw:"):
                name, value = self._filled(step.partition(":")[2]).split("=")
                claims = f'{{"{name}":"{value}",{claims[1:]}'
        parts = [b64(header.encode()), b64(claims.encode())]
        parts.append(b64(self._signature(shape.key, ".".join(parts).encode())))
        for step in shape.then:
            parts = self._after(step, parts, claims)
        return ".".join(parts) if len(parts) > 1 else parts[0]

    def _json(self, members: Mapping[str, Any], key: str) -> str:
        return "{" + ",".join(f"{json.dumps(name)}:{self._value(value, key)}" for name, value in members.items()) + "}"

    def _value(self, value: Any, key: str) -> str:
        match value:
            case {"repeat": unit, "times": times}:
                return json.dumps(unit * times)
            case "public_of_signing_key":
                return json.dumps(jwk(self._ed25519(key).public_key()))
            case "unique":
                return json.dumps(self.unique())
            case '"now+600" as string':
                return json.dumps(str(self.now_s + 600))
            case str() if value.startswith("raw:"):
                return value[4:]
            case str() if value == "now" or value.startswith(("now+", "now-")):
                return str(self.now_s + int(value[3:] or 0))
            case str():
                return json.dumps(self._filled(value))
            case _:
                return json.dumps(value)

    def _filled(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace("${" + name + "}", value)
        return text

    def _ed25519(self, key: str) -> Ed25519PrivateKey:
        found = self.keys.get(key) or self.fresh[key]
        assert isinstance(found, Ed25519PrivateKey)
        return found

    def _signature(self, key: str, signed: bytes) -> bytes:
        if key.startswith("hmac_of_"):
            return hmac.new(self._secret(key), signed, hashlib.sha256).digest()
        if key == "fresh_p256":
            r, s = decode_dss_signature(self.fresh[key].sign(signed, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return self._ed25519(key).sign(signed)

    def _secret(self, key: str) -> bytes:
        if key == "hmac_of_empty":
            return b""
        public = self.keys["user_key" if "user" in key else "agent_key"].public_key()
        if key.endswith("_raw"):
            return public.public_bytes_raw()
        return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def _after(self, step: str, parts: list[str], claims: str) -> list[str]:
        name, _, argument = step.partition(":")
        match name:
            case "signature_empty":
                return [*parts[:2], ""]
            case "flip_signature_bit":
                signature = bytearray(unb64(parts[2]))
                signature[10] ^= 1
                return [*parts[:2], b64(bytes(signature))]
            case "twist_unused_bits":
                return [*parts[:2], twisted(parts[2])]
            case "replace_claim_after_signing":
                claim, value = self._filled(argument).split("=")
                return [parts[0], b64(json.dumps({**json.loads(claims), claim: value}).encode()), parts[2]]
            case "pad_parts_with_equals":
                return [part + "=" * (-len(part) % 4 or 1) for part in parts]
            case "append_part":
                return [*parts, argument]
            case "json_serialisation":
                return [json.dumps({"protected": parts[0], "payload": parts[1], "signature": parts[2]})]
            case "header_value_joined_twice" | "duplicate_claim_raw":
                return parts
            case _:
                raise AssertionError(f"unknown step {name}")


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def twisted(part: str) -> str:
    """Another spelling of the same bytes: the last letter with a bit set that decodes to nothing."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    changed = part[:-1] + letters[letters.index(part[-1]) ^ 1]
    assert unb64(changed) == unb64(part)
    return changed


def jwk(key: Ed25519PublicKey) -> dict[str, str]:
    return {"kty": "OKP", "crv": "Ed25519", "x": b64(key.public_bytes_raw())}
