"""From the settings to what the composition root takes: keys, issuers, limits. It holds no rule."""

from __future__ import annotations

from typing import Final

from capture.buffer.writer import BufferSettings
from gameserver.errors import RailbirdError
from gameserver.floor.clock import SystemClock
from gameserver.floor.settings import FloorSettings
from gameserver.identity.key_files import KeysMissing
from gameserver.identity.keys import KeyRing, KeyUse, UnusableKey, VerifyingKey, verifying_key_from_pem
from gameserver.identity.service_key import ServiceKey
from gameserver.identity.tokens import TokenRules
from policy.ids import UserId
from railbird.config import LOOPBACK, IdentitySettings, Settings
from railbird.wiring.keys import FolderKeys, Issuer, hosting_key
from railbird.wiring.record.buffer_place import RecordSetup
from railbird.wiring.setup import Setup

BUFFER_FOLDER: Final = "valkey"
"""Where in the folder of the embedded default the buffer is."""


class CannotStart(Exception):
    """The server does not start; the message says what to do."""


_AN_ISSUER_NEEDS_BOTH: Final = "Set RAILBIRD_JWT_ISSUER and RAILBIRD_JWT_AUDIENCE: without them any token that their key signed for anybody would count here."


def setup_of(settings: Settings, keys: KeyRing) -> Setup:
    """The settings, as the composition root takes them. Raises CannotStart."""
    settings.store.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    service_key = settings.identity.service_key
    return Setup(
        database_url=settings.store.database_url,
        keys=keys,
        key_source=_key_source(settings),
        service_key=None if service_key is None else ServiceKey(service_key),
        origins=settings.server.origins or own_origins(settings.server.host, settings.server.port),
        connections_per_address=settings.server.connections_per_address,
        trusted_proxies=settings.server.trusted_proxies,
        starting_chips=settings.store.starting_chips,
        grace_ms=settings.server.grace_ms,
        floor=FloorSettings(
            hand_gap_ms=settings.play.hand_gap_ms,
            platform_models=frozenset(settings.play.platform_models),
            operators=frozenset(map(UserId, settings.identity.operators)),
        ),
        token_rules=TokenRules(leeway_s=settings.identity.leeway_s),
        record=record_setup(settings),
    )


def record_setup(settings: Settings) -> RecordSetup:
    """Where captured turns lie, and how long."""
    return RecordSetup(
        redis_url=settings.capture.redis_url,
        folder=settings.store.home / BUFFER_FOLDER,
        buffer=BufferSettings(ttl_s=settings.capture.ttl_s, ceiling_bytes=settings.capture.buffer_bytes),
        redact=settings.capture.redact,
        redact_key=None if settings.capture.redact_key is None else settings.capture.redact_key.encode(),
        pinned_days=settings.capture.pinned_days,
    )


def own_origins(host: str, port: int) -> tuple[str, ...]:
    """Under which names a browser on this machine shows our own pages."""
    names = ("127.0.0.1", "localhost", "[::1]") if host in LOOPBACK else (host,)
    written = (f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names)
    return tuple(f"http://{name}:{port}" for name in written)


def _key_source(settings: Settings) -> FolderKeys:
    identity = settings.identity
    try:
        return FolderKeys(
            settings.store.keys_folder,
            now_ms=SystemClock().wall_ms,
            hosting=None if identity.hosting_key is None else hosting_key(identity.hosting_key),
            issuer=_issuer(identity),
        )
    except KeysMissing:
        raise
    except (RailbirdError, OSError) as problem:
        raise CannotStart(f"A configured key cannot be used: {_words(problem)}.") from None


def _words(problem: RailbirdError | OSError) -> str:
    return str(problem) if isinstance(problem, RailbirdError) else f"{problem.filename}: {problem.strerror}"


def _issuer(identity: IdentitySettings) -> Issuer | None:
    """Who signs users in for us; None where nobody is configured."""
    if identity.jwt_public_key is None and identity.jwks_url is None:
        return None
    if identity.jwt_issuer is None or identity.jwt_audience is None:
        raise CannotStart(_AN_ISSUER_NEEDS_BOTH)
    key = _users_key(identity)
    keys = () if key is None else (key,)
    return Issuer(identity.jwt_issuer, identity.jwt_audience, keys, identity.jwks_url)


def _users_key(identity: IdentitySettings) -> VerifyingKey | None:
    if identity.jwt_public_key is None:
        return None
    if identity.jwt_issuer is None:
        raise UnusableKey("an issuer's key needs its issuer")
    return verifying_key_from_pem(
        identity.jwt_public_key.read_bytes(),
        KeyUse.USER,
        key_id=identity.jwt_key_id,
        issuer=identity.jwt_issuer,
        audience=identity.jwt_audience,
    )
