"""`railbird doctor`: looks at everything that a server or a demo needs, changes nothing, and says in plain words what is wrong."""

from __future__ import annotations

import asyncio
import enum
import http.client
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import redis
from sqlalchemy.exc import SQLAlchemyError

from gameserver.identity.key_files import KeysMissing, KeysNotPrivate, load_keys
from gameserver.identity.keys import UnusableKey
from gameserver.store.engine import DatabaseUrlError, database_url
from railbird import migrations
from railbird.commands.answer import AsJson, ConfigFile, Exit, say, say_json
from railbird.config import ConfigError, Settings, load_settings
from railbird.embedded import valkey

_OLDEST_PYTHON: Final = (3, 11)
_WAIT_S: Final = 3.0


class Health(enum.StrEnum):
    FINE = "fine"
    NOTE = "note"
    """Nothing is wrong, and something is worth knowing."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what that means, in a sentence."""

    what: str
    health: Health
    words: str


def doctor(*, json: AsJson = False, config: ConfigFile = None) -> int:
    """Check Python, configuration, keys, stores and the port, and say in plain words what is wrong. Changes nothing."""
    findings = examine(config)
    wrong = sum(finding.health is Health.WRONG for finding in findings)
    if json:
        told = [{"what": each.what, "health": each.health.value, "words": each.words} for each in findings]
        say_json({"fine": not wrong, "findings": told})
    else:
        _tell(findings, wrong)
    return Exit.FAILED if wrong else Exit.FINE


def examine(config: ConfigFile) -> list[Finding]:
    """All findings, in the order in which things are needed."""
    findings = [_python()]
    try:
        settings = load_settings(file=config)
    except ConfigError as error:
        return [*findings, *(_wrong("configuration", problem) for problem in error.problems)]
    checks: tuple[Callable[[Settings], Finding], ...] = (_folder, _keys, _database, _capture, _bus, _port)
    return [
        *findings,
        _fine("configuration", "Every setting is known and possible."),
        *(check(settings) for check in checks),
    ]


def _tell(findings: list[Finding], wrong: int) -> None:
    marks = {Health.FINE: "ok   ", Health.NOTE: "note ", Health.WRONG: "WRONG"}
    for finding in findings:
        say(f"{marks[finding.health]}  {finding.what:13}  {finding.words}")
    say()
    if wrong:
        say(f"{wrong} thing{'s are' if wrong > 1 else ' is'} wrong. More words: docs/trouble.md")
    else:
        say("Nothing is wrong.")


def _fine(what: str, words: str) -> Finding:
    return Finding(what, Health.FINE, words[:1].upper() + words[1:])


def _note(what: str, words: str) -> Finding:
    return Finding(what, Health.NOTE, words[:1].upper() + words[1:])


def _wrong(what: str, words: str) -> Finding:
    return Finding(what, Health.WRONG, words[:1].upper() + words[1:])


# --- one check each -----------------------------------------------------------------------------------------------------


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _OLDEST_PYTHON:
        return _wrong("python", f"Python {found} is too old: 3.11 or newer is needed.")
    return _fine("python", f"Python {found}.")


def _folder(settings: Settings) -> Finding:
    home = settings.store.home
    nearest = next((folder for folder in (home, *home.absolute().parents) if folder.exists()), home)
    if home.exists() and not home.is_dir():
        return _wrong("folder", f"{home} is in the way: it is no folder. Move it, or set RAILBIRD_HOME.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        return _wrong("folder", f"{nearest} cannot be written to. Change its rights, or set RAILBIRD_HOME.")
    return _fine("folder", f"{home} {'is there' if home.exists() else 'will be made'}.")


def _keys(settings: Settings) -> Finding:
    folder = settings.store.keys_folder
    try:
        stored = load_keys(folder, now_s=int(time.time()))
    except KeysMissing as missing:
        if settings.server.on_loopback:
            return _note(
                "keys", f"{missing}: a demo or a server on this machine makes them, as does `railbird keys init`."
            )
        return _wrong(
            "keys", f"{missing}, and a server that others reach does not start without: `railbird keys init`."
        )
    except (KeysNotPrivate, UnusableKey) as problem:
        return _wrong("keys", f"{problem}.")
    return _fine("keys", f"{len(stored.signing)} keys sign, {len(list(stored.ring))} verify.")


def _database(settings: Settings) -> Finding:
    try:
        url = database_url(settings.store.database_url)
    except DatabaseUrlError as problem:
        return _wrong("database", f"RAILBIRD_DATABASE_URL: {problem}.")
    kind = "SQLite" if url.get_backend_name() == "sqlite" else "Postgres"
    if kind == "SQLite" and not os.path.exists(str(url.database)):
        return _fine("database", "The SQLite file is not there yet: it is made at the first start.")
    try:
        revision = asyncio.run(asyncio.wait_for(migrations.revision_of(url), _WAIT_S))
    except (OSError, SQLAlchemyError, TimeoutError, ImportError) as failed:
        return _wrong(
            "database", f"{kind} does not answer ({type(failed).__name__}). Is it running, and the address right?"
        )
    newest = migrations.newest_revision()
    if revision == newest:
        return _fine("database", f"{kind} answers, and its schema is the newest ({newest}).")
    if revision is None:
        return _fine("database", f"{kind} answers and is empty: its schema is made at the first start.")
    return _note("database", f"{kind} answers with the schema {revision}: the next start brings it to {newest}.")


def _capture(settings: Settings) -> Finding:
    if settings.capture.redis_url is not None:
        found = _redis("capture", "AGENT_CAPTURE_REDIS_URL", settings.capture.redis_url)
        return found if found.health is Health.WRONG else _evicting(settings.capture.redis_url) or found
    try:
        program = valkey.find_program()
    except valkey.ServerMissing as missing:
        return _wrong("capture", f"{missing}")
    return _fine("capture", f"The embedded server is {program.source}.")


def _bus(settings: Settings) -> Finding:
    if settings.bus.redis_url is None:
        return _fine("bus", "None is configured: one worker needs none.")
    return _redis("bus", "RAILBIRD_REDIS_URL", settings.bus.redis_url)


def _redis(what: str, variable: str, url: str) -> Finding:
    try:
        with redis.Redis.from_url(url, socket_timeout=_WAIT_S, socket_connect_timeout=_WAIT_S) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as failed:
        return _wrong(what, f"{variable}: no server answers there ({type(failed).__name__}).")
    return _fine(what, f"The server that {variable} names answers.")


def _evicting(url: str) -> Finding | None:
    """Where a full server throws keys away by itself, turns go that nobody counts as dropped. Not every server says what it does."""
    with suppress(redis.RedisError, OSError), redis.Redis.from_url(url, decode_responses=True) as client:
        policy = client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction")
        if policy != "noeviction":
            return _note(
                "capture", f"The server answers, and drops keys by {policy} when it is full: noeviction is wanted."
            )
    return None


def _port(settings: Settings) -> Finding:
    host, port = settings.server.host, settings.server.port
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family):
            return _fine("port", f"{host} port {port} is free.")
    except OSError as failed:
        if _is_ours(host, port):
            return _note("port", f"A Railbird server answers on {host} port {port} already.")
        return _wrong(
            "port", f"{host} port {port} cannot be had: {failed.strerror}. Set RAILBIRD_PORT, or --port of a demo."
        )


def _is_ours(host: str, port: int) -> bool:
    """Whether what listens there shows our lobby."""
    connection = http.client.HTTPConnection(host, port, timeout=_WAIT_S)
    try:
        connection.request("GET", "/")
        return b"Railbird" in connection.getresponse().read(2_000)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
