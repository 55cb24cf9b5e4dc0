"""Where a model is asked and as who: an address, a model's name, a key that nothing prints. It opens no connection."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, final
from urllib.parse import urlsplit

from railbird.agenthost.prices import Price, list_price

OFFICIAL_HOSTS: Final = {"api.openai.com": "openai", "api.anthropic.com": "anthropic"}
"""Hosts that are known by a shorter name."""

MOST_MODEL_CHARACTERS: Final = 128
_ONE_WORD: Final = re.compile(r"[!#-\[\]-~]{1,512}")
"""Printable, and nothing that JSON would escape but a slash: so that the key is found wherever it is repeated."""
_TELLING: Final = 8
"""So many characters of a key in a row tell something of it. A shorter key (`none`, `x`) is no secret, but a word of answers."""
_ESCAPED_SLASH: Final = re.compile(rb"\\+/")
_PORTS: Final = {"http": 80, "https": 443}


class EndpointError(Exception):
    """An endpoint cannot be used as it was configured; for people, and without a secret in it."""


class Dialect(enum.Enum):
    """How an endpoint is talked to."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class Structured(enum.Enum):
    """Whether answers are asked for by JSON Schema. `LEARN`: until the endpoint refuses it."""

    LEARN = "learn"
    YES = "yes"
    NO = "no"


@final
class ApiKey:
    """A key for a provider. It prints as `<key>`, and is not copied, pickled or encoded by accident."""

    __slots__ = ("_parts", "_text")

    def __init__(self, text: str) -> None:
        if not _ONE_WORD.fullmatch(text):
            raise EndpointError("a key for a model's provider is one printable word without quotes or backslashes")
        self._text = text
        self._parts = tuple(text[start : start + _TELLING].encode() for start in range(len(text) - _TELLING + 1))

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._text

    def is_in(self, data: bytes) -> bool:
        """Whether the key, or a part of it that tells something, is in there."""
        plain = _plain(data)
        return any(part in plain for part in self._parts)

    def taken_from(self, data: bytes) -> bytes:
        """The bytes without the key and its parts: where they stood, a mark says so. Where there is none, they are as they were."""
        if not self.is_in(data):
            return data
        plain = _plain(data)
        kept, end = bytearray(), 0
        for start in sorted({found.start() for part in self._parts for found in re.finditer(re.escape(part), plain)}):
            if start > end or not kept:
                kept += plain[end:start] + b"<key>"
            end = start + _TELLING
        return bytes(kept + plain[end:])

    def __repr__(self) -> str:
        return "<key>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key does not leave")


def _plain(data: bytes) -> bytes:
    """With slashes as they are in a key: somebody who writes JSON may have escaped them."""
    return _ESCAPED_SLASH.sub(b"/", data) if b"\\" in data else data


def key_from(environ: Mapping[str, str], variable: str) -> ApiKey:
    """The key in a variable of the environment. Raises EndpointError where there is none."""
    given = environ.get(variable, "").strip()
    if not given:
        raise EndpointError(f"the environment has no {variable}, which is to hold the key for a model")
    return ApiKey(given)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model of some provider.

    `base_url`: as the provider's SDK takes it, for OpenAI-compatible ones mostly with `/v1`. `model`: as the provider knows it.
    `provider`: how the record and the ledger call it; empty: the address's host. `price`: the operator's word, before the list's.
    It has no place for tools: what is asked of a model is one message and nothing beside it.

    Raises EndpointError for an address that is none, or that holds a credential, a query or a fragment.
    """

    base_url: str
    model: str
    dialect: Dialect = Dialect.OPENAI
    provider: str = ""
    key: ApiKey | None = None
    structured: Structured = Structured.LEARN
    price: Price | None = None

    def __post_init__(self) -> None:
        normal_address(self.base_url)
        if not self.model or len(self.model) > MOST_MODEL_CHARACTERS or not self.model.isprintable():
            raise EndpointError(f"a model's name has 1 to {MOST_MODEL_CHARACTERS} printable characters")

    @property
    def provider_name(self) -> str:
        """Who is asked, as it stands in the record."""
        host = urlsplit(self.base_url).hostname or ""
        return self.provider or OFFICIAL_HOSTS.get(host, host)

    @property
    def known_price(self) -> Price | None:
        """The configured price, else the list's; `None` where nobody knows it."""
        return self.price or list_price(urlsplit(self.base_url).hostname or "", self.model)


def normal_address(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path: two addresses of one endpoint are equal in it. Raises EndpointError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise EndpointError("a model's address cannot be read") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise EndpointError("a model's address begins with https: or http: and names a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise EndpointError("a model's address holds no credential, no query and no fragment")
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme], parts.path.rstrip("/")
