"""The keys that sign and verify now: of a folder, of a configured file, of an issuer that is followed. It holds no rule.

`railbird keys rotate` beside a running server counts here a minute later at most; keys of before verify on, so nobody notices.
"""

from __future__ import annotations

import asyncio
import http.client
import logging
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from gameserver.errors import RailbirdError
from gameserver.identity.followed_keys import MAX_SET_BYTES, REFRESH_EVERY_MS, FollowedKeys
from gameserver.identity.key_files import StoredKeys, load_keys
from gameserver.identity.keys import (
    KeyRing,
    KeyUse,
    SigningKey,
    UnusableKey,
    VerifyingKey,
    signing_key_from_pem,
    verifying_key_from_pem,
)

_log: Final = logging.getLogger(__name__)
_FETCH_WITHIN_S: Final = 5.0


HostingKey: TypeAlias = VerifyingKey | SigningKey
"""Where the hosting service is somebody else its key verifies; where it is this process it signs."""


class KeySource(Protocol):
    """What signs and verifies at this moment."""

    def ring(self) -> KeyRing: ...

    def signing(self, use: KeyUse) -> SigningKey | None:
        """The key that signs for this use; None where this server does not."""

    def states(self) -> Mapping[str, bool]:
        """What the keys depend on, by name, and whether it answered last."""

    async def follow(self) -> None:
        """Look again and again, until cancelled."""


@dataclass(frozen=True, slots=True)
class FixedKeys:
    """Keys that do not change; nothing is signed with them."""

    keys: KeyRing

    def ring(self) -> KeyRing:
        return self.keys

    def signing(self, use: KeyUse) -> SigningKey | None:
        return None

    def states(self) -> Mapping[str, bool]:
        return {}

    async def follow(self) -> None:
        await asyncio.Event().wait()


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who signs users in for us. `jwks_url`: their set; None: only `keys`."""

    name: str
    audience: str | None
    keys: tuple[VerifyingKey, ...] = ()
    jwks_url: str | None = None


class FolderKeys:
    """`folder`: of `railbird keys`. `hosting`: a key of the hosting service's own, in place of the folder's; a private one signs, too.

    `now_ms`: Unix time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        now_ms: Callable[[], int],
        hosting: HostingKey | None = None,
        issuer: Issuer | None = None,
    ) -> None:
        self._folder, self._now_ms, self._hosting, self._issuer = folder, now_ms, hosting, issuer
        self._stored = self._load()
        self._own = self._all_own()
        self._followed = self._following(issuer)
        self._issuer_answers = True

    def ring(self) -> KeyRing:
        return self._own if self._followed is None else self._followed.ring(now_ms=self._now_ms())

    def signing(self, use: KeyUse) -> SigningKey | None:
        if use is KeyUse.HOSTING and self._hosting is not None:
            return self._hosting if isinstance(self._hosting, SigningKey) else None
        return self._stored.signing[use]

    def states(self) -> Mapping[str, bool]:
        return {} if self._followed is None else {"issuer": self._issuer_answers}

    async def follow(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(REFRESH_EVERY_MS / 1_000)

    async def look(self) -> None:
        """Read the folder and ask the issuer once. What cannot be had leaves the present keys in place."""
        try:
            self._stored = await asyncio.to_thread(self._load)
            self._own = self._all_own()
        except (RailbirdError, OSError) as error:
            _log.error("the keys were not read again: %s", type(error).__name__)
        if self._followed is not None:
            self._issuer_answers = await self._followed.refresh(now_ms=self._now_ms())
            if not self._issuer_answers:
                _log.warning("the issuer's keys could not be had")

    def _load(self) -> StoredKeys:
        return load_keys(self._folder, now_s=self._now_ms() // 1_000)

    def _all_own(self) -> KeyRing:
        keys = list(self._stored.ring)
        if self._hosting is not None:
            own = self._hosting.verifying() if isinstance(self._hosting, SigningKey) else self._hosting
            keys = [*(key for key in keys if key.use is not KeyUse.HOSTING), own]
        return KeyRing([*keys, *(self._issuer.keys if self._issuer is not None else ())])

    def _following(self, issuer: Issuer | None) -> FollowedKeys | None:
        if issuer is None or issuer.jwks_url is None:
            return None
        url = issuer.jwks_url

        async def fetched() -> bytes:
            return await asyncio.to_thread(fetch, url)

        return FollowedKeys(own=lambda: self._own, fetch=fetched, issuer=issuer.name, audience=issuer.audience)


def hosting_key(path: Path) -> HostingKey:
    """The hosting service's key from its file, public or private. Raises UnusableKey, OSError."""
    pem = path.read_bytes()
    try:
        return verifying_key_from_pem(pem, KeyUse.HOSTING)
    except UnusableKey:
        return signing_key_from_pem(pem, KeyUse.HOSTING)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The address is the one that was configured, and no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def fetch(url: str) -> bytes:
    """A small document by its address, as it is there. Raises OSError."""
    tls = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    opener = urllib.request.build_opener(_NoRedirects, tls)
    try:
        with opener.open(url, timeout=_FETCH_WITHIN_S) as answer:
            return bytes(answer.read(MAX_SET_BYTES + 1))
    except (urllib.error.URLError, http.client.HTTPException, ValueError) as error:
        raise OSError(type(error).__name__) from None
