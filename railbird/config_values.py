"""One value of the configuration, from the text of a variable or a value of a TOML file. Errors do not repeat what was given:
it may hold a password."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from capture.redaction import rule_of
from gameserver.identity import ids
from gameserver.identity.origins import parsed
from gameserver.identity.service_key import LEAST_SERVICE_KEY_CHARACTERS
from policy.redaction_policy import Rule

Given: TypeAlias = object
"""A text from the environment, or whatever TOML has."""

Parse: TypeAlias = Callable[[Given], object]

LOG_LEVELS = ("debug", "info", "warning", "error")

_WHOLE = re.compile(r"[0-9]{1,15}")
_MODEL_NAME = re.compile(ids.MODEL)


class BadValue(ValueError):
    """What a value has to be; for people."""


def whole(least: int, most: int) -> Parse:
    """A whole number from `least` to `most`."""

    def parse(given: Given) -> int:
        number = int(given) if isinstance(given, str) and _WHOLE.fullmatch(given) else given
        if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
            raise BadValue(f"has to be a whole number from {least} to {most}")
        return number

    return parse


def text(given: Given) -> str:
    """Any text but the empty one."""
    if not isinstance(given, str) or not given.strip():
        raise BadValue("has to be a text that is not empty")
    return given.strip()


def log_level(given: Given) -> str:
    """A level of the log."""
    if given not in LOG_LEVELS:
        raise BadValue(f"has to be one of {', '.join(LOG_LEVELS)}")
    return str(given)


def secret(given: Given) -> str:
    """A text as long as a service key has to be."""
    if not isinstance(given, str) or len(given) < LEAST_SERVICE_KEY_CHARACTERS:
        raise BadValue(f"has to be a text of at least {LEAST_SERVICE_KEY_CHARACTERS} characters")
    return given


def path(given: Given) -> Path:
    """A path of a file or folder; `~` is one's home."""
    return Path(text(given)).expanduser()


def url(*schemes: str) -> Parse:
    """An address with one of the schemes."""

    def parse(given: Given) -> str:
        found = text(given)
        if urlsplit(found).scheme not in schemes:
            raise BadValue(f"has to be an address that begins with {' or '.join(f'{scheme}:' for scheme in schemes)}")
        return found

    return parse


def words(given: Given) -> tuple[str, ...]:
    """A list of texts: in TOML a list, in a variable separated by commas."""
    listed = given.split(",") if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise BadValue("has to be a list of texts (in a variable: separated by commas)")
    return tuple(word.strip() for word in listed if word.strip())


def networks(given: Given) -> tuple[str, ...]:
    """Addresses and networks, separated by commas or in a list."""
    found = words(given)
    try:
        return tuple(str(ipaddress.ip_network(each, strict=False)) for each in found)
    except ValueError:
        raise BadValue("has to be addresses or networks, like 10.0.0.0/8, separated by commas") from None


def origins(given: Given) -> tuple[str, ...]:
    """A list of origins, as `https://play.example`."""
    found = tuple(origin.removesuffix("/") for origin in words(given))
    if any(parsed(origin) is None for origin in found):
        raise BadValue("has to be a list of origins, as https://play.example")
    return found


def redaction_rules(given: Given) -> tuple[Rule, ...]:
    """Rules of redaction, separated by commas or in a list."""
    try:
        return tuple(rule_of(each) for each in words(given))
    except ValueError:
        raise BadValue("has to be rules, as drop:PATH, hash:PATH or truncate:CHARACTERS:PATH") from None


def models(given: Given) -> Mapping[str, str]:
    """Names with their endpoints: in TOML a table, in a variable `name=endpoint,name=endpoint`. `house` needs no endpoint."""
    pairs = [_pair(word) for word in words(given)] if isinstance(given, str) else _pairs_of_table(given)
    if not pairs or any(not _MODEL_NAME.fullmatch(name) for name, _ in pairs):
        raise BadValue("has to name models, each with its endpoint: name=endpoint")
    if any(not endpoint and name != "house" for name, endpoint in pairs):
        raise BadValue("has to name an endpoint for each model but house: name=endpoint")
    if len({name for name, _ in pairs}) != len(pairs):
        raise BadValue("names a model twice")
    return MappingProxyType(dict(pairs))


def _pair(word: str) -> tuple[str, str]:
    name, _, endpoint = word.partition("=")
    return name.strip(), endpoint.strip()


def _pairs_of_table(given: Given) -> list[tuple[str, str]]:
    if not isinstance(given, dict) or not all(isinstance(endpoint, str) for endpoint in given.values()):
        raise BadValue('has to be a table of models: name = "endpoint"')
    return list(given.items())
