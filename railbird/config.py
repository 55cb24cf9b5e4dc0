"""The only reader of configuration: environment variables and, below them, an optional TOML file, as frozen settings by room.

Nothing else asks the environment (test_nobody_else_reads_the_environment). A name that is not known, or a value that is not
possible, is an error that says what to change; all of them are told at once.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from policy.redaction_policy import Rule
from railbird import config_values as values
from railbird.config_values import BadValue, Parse

CONFIG_FILE: Final = "RAILBIRD_CONFIG"
"""The variable that names the TOML file."""

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
"""The names of this machine for itself, as a host is configured."""

_NOT_OURS: Final = frozenset(
    {"RAILBIRD_URL", "RAILBIRD_AGENT_TOKEN", "RAILBIRD_CHROMIUM", "RAILBIRD_NO_APT", "RAILBIRD_TEST_LIMIT_S"}
)
"""Variables for bots, tests and set-up scripts."""


class ConfigError(Exception):
    """The configuration cannot be used. `problems`: one sentence each; none repeats a value."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the server listens. `origins`: of pages that may open sockets here, in place of its own.

    `connections_per_address`: sockets and event streams. `trusted_proxies`: networks whose word on a client's address is taken.
    `metrics_port`: of this machine alone, without a key; None: only `/metrics` with the service key.
    """

    host: str
    port: int
    origins: tuple[str, ...]
    connections_per_address: int
    trusted_proxies: tuple[str, ...]
    grace_ms: int
    metrics_port: int | None
    log_level: str

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host in LOOPBACK


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What is kept where. `home`: the folder of the embedded default. The address may hold a password, so it does not print."""

    home: Path
    starting_chips: int
    database_url: str = field(repr=False)

    @property
    def keys_folder(self) -> Path:
        """Where `railbird keys` keeps the signing keys."""
        return self.home / "keys"


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """`min_turn_ms`: the least time that our own agents take for a move. `platform_models`: endpoint by name."""

    min_turn_ms: int
    hand_gap_ms: int
    platform_models: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """`operators`: user ids. `jwt_*`, `jwks_url`: whose tokens of users are taken beside our own."""

    operators: frozenset[str]
    leeway_s: int
    jwt_issuer: str | None
    jwt_audience: str | None
    jwt_public_key: Path | None
    jwt_key_id: str | None
    jwks_url: str | None
    hosting_key: Path | None
    service_key: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """`redis_url`: `None` is the embedded Valkey in `home`. `pinned_days`: `None` is no limit on turns that were kept.

    `buffer_bytes`: what captured turns may take in the Redis; the oldest are dropped for more. `redact`: rules beside the default
    ones; `redact_key`: of those that hash, `None`: a new one for each process.
    """

    ttl_s: int
    buffer_bytes: int
    redact: tuple[Rule, ...]
    redact_key: str | None = field(repr=False)
    pinned_days: int | None
    redis_url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class BusSettings:
    """`redis_url`: `None` is one worker without a bus."""

    redis_url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, room by room."""

    server: ServerSettings
    store: StoreSettings
    play: PlaySettings
    identity: IdentitySettings
    capture: CaptureSettings
    bus: BusSettings


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its variable, its place in the file (`table.key`), what it may be, and its default (as a variable has it)."""

    variable: str
    place: str
    parse: Parse
    default: str | None
    in_words: str


_DATABASE: Final = values.url("sqlite", "postgres", "postgresql", "postgresql+asyncpg")
_REDIS: Final = values.url("redis", "rediss", "unix")

SETTINGS: Final = (
    Setting("RAILBIRD_HOST", "server.host", values.text, "127.0.0.1", "address to listen on"),
    Setting("RAILBIRD_PORT", "server.port", values.whole(0, 65_535), "8000", "port to listen on"),
    Setting("RAILBIRD_ORIGINS", "server.origins", values.origins, "", "origins of pages that may open sockets here"),
    Setting(
        "RAILBIRD_CONNECTIONS_PER_ADDRESS",
        "server.connections_per_address",
        values.whole(1, 1_000_000),
        "500",
        "open sockets and event streams of one network address",
    ),
    Setting(
        "RAILBIRD_TRUSTED_PROXIES",
        "server.trusted_proxies",
        values.networks,
        "127.0.0.0/8,::1/128",
        "networks of proxies whose `X-Forwarded-For` is believed",
    ),
    Setting(
        "RAILBIRD_GRACE_MS", "server.grace_ms", values.whole(0, 600_000), "10000", "how long hands may go on at the end"
    ),
    Setting(
        "RAILBIRD_METRICS_PORT", "server.metrics_port", values.whole(0, 65_535), None, "port of metrics on loopback"
    ),
    Setting("RAILBIRD_LOG_LEVEL", "server.log_level", values.log_level, "warning", "least severe line of the log"),
    Setting("RAILBIRD_HOME", "store.home", values.path, ".railbird", "folder of the embedded default"),
    Setting(
        "RAILBIRD_DATABASE_URL", "store.database_url", _DATABASE, None, "database; without it SQLite in the folder"
    ),
    Setting("RAILBIRD_STARTING_CHIPS", "store.starting_chips", values.whole(0, 10**9), "10000", "chips of a new user"),
    Setting(
        "MIN_TURN_MS", "play.min_turn_ms", values.whole(0, 60_000), "800", "least time that our own agents take to move"
    ),
    Setting("RAILBIRD_HAND_GAP_MS", "play.hand_gap_ms", values.whole(0, 60_000), "2000", "pause between hands"),
    Setting("RAILBIRD_PLATFORM_MODELS", "play.platform_models", values.models, "house", "models at revealing tables"),
    Setting("RAILBIRD_OPERATORS", "identity.operators", values.words, "", "user ids of the operators"),
    Setting("RAILBIRD_SERVICE_KEY", "identity.service_key", values.secret, None, "key of the operator's own programs"),
    Setting(
        "RAILBIRD_LEEWAY_S", "identity.leeway_s", values.whole(0, 300), "30", "by how much another clock may be off"
    ),
    Setting("RAILBIRD_JWT_ISSUER", "identity.jwt_issuer", values.text, None, "issuer of users' tokens"),
    Setting("RAILBIRD_JWT_AUDIENCE", "identity.jwt_audience", values.text, None, "audience of users' tokens"),
    Setting(
        "RAILBIRD_JWT_PUBLIC_KEY", "identity.jwt_public_key", values.path, None, "PEM file that verifies users' tokens"
    ),
    Setting("RAILBIRD_JWT_KEY_ID", "identity.jwt_key_id", values.text, None, "how tokens name that key (kid)"),
    Setting(
        "RAILBIRD_JWKS_URL", "identity.jwks_url", values.url("https", "http"), None, "keys that verify users' tokens"
    ),
    Setting("RAILBIRD_HOSTING_KEY", "identity.hosting_key", values.path, None, "PEM file of the hosting service's key"),
    Setting(
        "AGENT_CAPTURE_REDIS_URL", "capture.redis_url", _REDIS, None, "capture's Redis; without it an embedded Valkey"
    ),
    Setting(
        "CAPTURE_TTL_SECONDS",
        "capture.ttl_s",
        values.whole(60, 30 * 86_400),
        "86400",
        "how long a captured turn is kept",
    ),
    Setting(
        "CAPTURE_BUFFER_BYTES",
        "capture.buffer_bytes",
        values.whole(2**20, 2**50),
        str(2 * 2**30),
        "what captured turns may take in capture's Redis; the oldest are dropped for more",
    ),
    Setting(
        "CAPTURE_REDACT",
        "capture.redact",
        values.redaction_rules,
        "",
        "what is redacted of captured knowledge and messages: `drop:PATH`, `hash:PATH`, `truncate:CHARACTERS:PATH`",
    ),
    Setting(
        "CAPTURE_REDACT_KEY",
        "capture.redact_key",
        values.secret,
        None,
        "key of its hashes; without it each process has its own",
    ),
    Setting(
        "CAPTURE_PINNED_DAYS",
        "capture.pinned_days",
        values.whole(1, 36_500),
        None,
        "after how many days a turn that somebody kept is deleted",
    ),
    Setting("RAILBIRD_REDIS_URL", "bus.redis_url", _REDIS, None, "bus and leases; without it one worker"),
)
"""Every setting there is."""


def load_settings(environ: Mapping[str, str] | None = None, *, file: Path | None = None) -> Settings:
    """Read and check everything. `environ`: the process's own where it is None. Raises ConfigError."""
    given = os.environ if environ is None else environ
    problems: list[str] = []
    named = file or (Path(given[CONFIG_FILE]) if given.get(CONFIG_FILE) else None)
    from_file = _read_file(named, problems) if named else {}
    problems.extend(_unknown(given, from_file, named))
    found = {setting.place: _value(setting, given, from_file, problems) for setting in SETTINGS}
    if problems:
        raise ConfigError(problems)
    return _settings(found)


def _read_file(file: Path, problems: list[str]) -> dict[str, Any]:
    """The file's values by place."""
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except OSError as failed:
        problems.append(f"The configuration file {file} cannot be read: {failed.strerror}.")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        problems.append(f"The configuration file {file} is no TOML.")
    else:
        return {f"{table}.{key}": value for table, keys in tables.items() for key, value in _keys(keys)}
    return {}


def _keys(keys: Any) -> list[tuple[str, Any]]:
    return list(keys.items()) if isinstance(keys, dict) else [("", keys)]


def _unknown(environ: Mapping[str, str], from_file: Mapping[str, Any], file: Path | None) -> list[str]:
    variables = [setting.variable for setting in SETTINGS]
    known = {*variables, CONFIG_FILE, *_NOT_OURS}
    strange = sorted(name for name in environ if name.startswith("RAILBIRD_") and name not in known)
    places = [setting.place for setting in SETTINGS]
    return [
        *(f"There is no setting {name}.{_meant(name, variables)}" for name in strange),
        *(
            f"{file}: there is no setting {place.rstrip('.')}.{_meant(place, places)}"
            for place in sorted({*from_file} - {*places})
        ),
    ]


def _meant(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]}?" if near else ""


def _value(setting: Setting, environ: Mapping[str, str], from_file: Mapping[str, Any], problems: list[str]) -> Any:
    from_environ = environ.get(setting.variable) or None  # an empty variable is as good as none
    given = from_environ if from_environ is not None else from_file.get(setting.place, setting.default)
    if given is None:
        return None
    try:
        return setting.parse(given)
    except BadValue as bad:
        name = setting.variable if from_environ is not None or setting.place not in from_file else setting.place
        problems.append(f"{name} {bad}.")
        return None


def _settings(found: Mapping[str, Any]) -> Settings:
    home: Path = found["store.home"]
    rooms = {room: _of_room(found, room) for room in ("server", "store", "play", "identity", "capture", "bus")}
    rooms["store"]["database_url"] = found["store.database_url"] or f"sqlite:///{home / 'railbird.sqlite'}"
    rooms["identity"]["operators"] = frozenset(found["identity.operators"])
    return Settings(
        server=ServerSettings(**rooms["server"]),
        store=StoreSettings(**rooms["store"]),
        play=PlaySettings(**rooms["play"]),
        identity=IdentitySettings(**rooms["identity"]),
        capture=CaptureSettings(**rooms["capture"]),
        bus=BusSettings(**rooms["bus"]),
    )


def _of_room(found: Mapping[str, Any], room: str) -> dict[str, Any]:
    return {place.split(".")[1]: value for place, value in found.items() if place.startswith(f"{room}.")}


def environment_of_a_bot(url: str, agent_token: str) -> dict[str, str]:
    """The environment for somebody's bot: this process's own without any setting of ours, and where and as whom it plays."""
    ours = {CONFIG_FILE, *(setting.variable for setting in SETTINGS)}
    others = {name: value for name, value in os.environ.items() if name not in ours}
    return {**others, "RAILBIRD_URL": url, "RAILBIRD_AGENT_TOKEN": agent_token}


def variables_named(names: Iterable[str]) -> dict[str, str]:
    """Those of the variables that are set: what a file names, since it holds no secret itself."""
    return {name: os.environ[name] for name in names if os.environ.get(name)}


DEFAULTS: Final[Mapping[str, str]] = MappingProxyType({s.variable: s.default for s in SETTINGS if s.default})
"""The defaults by variable, as a variable would have them."""
